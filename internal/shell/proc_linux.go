package shell

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// proc is a line of the process table.
type proc struct {
	pid, parent, group, session, tty int
	start                            string // in ticks since boot
	state                            byte
}

// id names the process for good: its number may be used again.
func (p proc) id() string { return strconv.Itoa(p.pid) + "@" + p.start }

func (p proc) dead() bool { return p.state == 'Z' || p.state == 'X' }

// readProc reads /proc/PID/stat.
func readProc(pid int) (proc, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	// The name stands in parentheses and may hold anything.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 {
		return proc{}, false
	}
	p := proc{pid: pid, state: f[0][0], start: f[19]}
	for i, to := range []*int{&p.parent, &p.group, &p.session, &p.tty} {
		if *to, err = strconv.Atoi(f[i+1]); err != nil {
			return proc{}, false
		}
	}
	return p, true
}

// maxListings bounds the reading of a process table that grows all the time.
const maxListings = 20

// processes reads the process table, without this process.
func processes() []proc {
	list, _ := scan(func(proc) bool { return false })
	return list
}

// scan reads the process table, without this process, and asks of each process whether it is a member as soon as it has
// been read: a moment later it may be gone. It looks for new processes until there are none, so that one that forks and
// ends meanwhile does not escape in its child.
func scan(member func(p proc) bool) (list []proc, in map[int]bool) {
	seen := map[int]bool{os.Getpid(): true}
	in = map[int]bool{}
	for range maxListings {
		fresh := false
		for _, pid := range pids() {
			if seen[pid] {
				continue
			}
			seen[pid], fresh = true, true
			p, ok := readProc(pid)
			if !ok || p.dead() {
				continue
			}
			list = append(list, p)
			if member(p) {
				in[pid] = true
			}
		}
		if !fresh {
			break
		}
	}
	return list, in
}

// pids lists the processes of this moment.
func pids() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // what could be read is enough
	list := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// family is what a command has become.
type family struct {
	begun   bool // a stop has begun
	members []proc
}

// family finds every process of the command: its session and group, their descendants, whoever has its mark or its pipe.
func (j *job) family() family {
	pipe := j.pipeName()
	list, in := scan(func(p proc) bool { return j.sameSession(p) || j.hasMark(p) || j.holdsPipe(p, pipe) })
	in[j.cmd.Process.Pid] = true
	for _, p := range j.tree.members {
		if now, ok := readProc(p.pid); ok && now.start == p.start {
			in[p.pid] = true
		}
	}
	return family{members: withDescendants(list, in)}
}

func (j *job) sameSession(p proc) bool {
	leader := j.cmd.Process.Pid
	return p.session == leader || p.group == leader
}

// withDescendants gives those of list that are in the set or descend from one that is.
func withDescendants(list []proc, in map[int]bool) []proc {
	for grew := true; grew; {
		grew = false
		for _, p := range list {
			if in[p.parent] && !in[p.pid] {
				in[p.pid] = true
				grew = true
			}
		}
	}
	var out []proc
	for _, p := range list {
		if in[p.pid] {
			out = append(out, p)
		}
	}
	return out
}

// terminate asks every member to end.
func (f *family) terminate(*job) error {
	for _, p := range f.members {
		_ = syscall.Kill(p.pid, syscall.SIGTERM) // gone is as good
	}
	return nil
}

// maxRounds bounds the hunt for processes that fork while they are killed.
const maxRounds = 20

// settleTime bounds the wait for processes that have only just been made; a crowded machine needs some time for that.
const settleTime = time.Second

// kill ends every member and what it has started meanwhile.
func (f *family) kill(j *job) {
	killed := map[string]bool{}
	killGroup(j.cmd.Process.Pid)
	for range maxRounds {
		fresh := false
		for _, p := range j.family().members {
			killGroup(p.group)
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
			fresh = fresh || !killed[p.id()]
			killed[p.id()] = true
		}
		if !fresh {
			break
		}
	}
	waitDead(j.family().members)
}

// deathGrace is for killed processes to be gone; one that hangs in the system may take longer.
const deathGrace = 500 * time.Millisecond

// waitDead waits until all of list are dead.
func waitDead(list []proc) { waitDeadFor(list, deathGrace) }

// killGroup kills a process group at one blow: no member can fork in between. Groups of a command are never ours.
func killGroup(pgid int) {
	if pgid > 1 && pgid != syscall.Getpgrp() {
		_ = syscall.Kill(-pgid, syscall.SIGKILL)
	}
}

// sweep stops what a command left behind. Who ignores SIGHUP and does not hold the pipe was meant to stay.
func (j *job) sweep(pipeClosed bool) []Process {
	pipe := ""
	if !pipeClosed {
		pipe = j.pipeName()
	}
	seen := map[string]bool{}
	var left []Process
	for range maxRounds {
		fresh, moved := j.sweepOnce(pipe, seen)
		left = append(left, fresh...)
		if !moved {
			break
		}
	}
	return left
}

// sweepOnce deals with those who are not in seen yet. moved says that there were some: they may have made others.
func (j *job) sweepOnce(pipe string, seen map[string]bool) (left []Process, moved bool) {
	j.settle(processes())
	holds := map[int]bool{}
	list, in := scan(func(p proc) bool {
		holds[p.pid] = j.holdsPipe(p, pipe)
		return j.sameSession(p) || holds[p.pid]
	})
	hupMeansNothing := signal.Ignored(syscall.SIGHUP)
	var killed []proc
	for _, p := range withDescendants(list, in) {
		if seen[p.id()] {
			continue
		}
		boxed, keeper := box(p.pid)
		if keeper {
			continue // nobody's left-over: it goes when those in the box are gone
		}
		seen[p.id()], moved = true, true
		one := Process{PID: p.pid, Command: commandLine(p.pid)}
		one.Running = !holds[p.pid] && !hupMeansNothing && !boxed && ignoresHangup(p.pid)
		if !one.Running {
			err := syscall.Kill(p.pid, syscall.SIGKILL)
			if errors.Is(err, syscall.ESRCH) {
				continue // it went by itself
			}
			one.Running = err != nil // somebody else's by now
			if err == nil {
				killed = append(killed, p)
			}
		}
		left = append(left, one)
	}
	waitDead(killed)
	return left, moved
}

// box reports whether a process lives in a box with process numbers of its own, where nothing outlives the box, and whether
// it is the one that bubblewrap keeps there to wait for the others.
func box(pid int) (boxed, keeper bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false, false
	}
	name := ""
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "Name:"); ok {
			name = strings.TrimSpace(value)
		}
		if value, ok := strings.CutPrefix(line, "NSpid:"); ok {
			numbers := strings.Fields(value)
			boxed = len(numbers) > 1
			return boxed, boxed && numbers[len(numbers)-1] == "1" && name == "bwrap"
		}
	}
	return false, false
}

// settle waits, shortly, for processes that are still on their way to what they are going to be: a copy of the shell that
// has not yet closed the pipe or started its program, a program in the middle of its start, a nohup that does not yet ignore SIGHUP. A copy that stays one is
// a subshell, and is judged as it is; it is known by sleeping.
func (j *job) settle(list []proc) {
	shell := strings.Join(strings.Fields(strings.Join(j.cmd.Args, " ")), " ")
	onTheWay := func(p proc) bool {
		now, ok := readProc(p.pid)
		if !ok || now.dead() || now.state == 'S' || now.state == 'T' || !j.sameSession(p) {
			return false // who sleeps has arrived
		}
		line := argumentsOf(p.pid)
		first, _, _ := strings.Cut(line, " ")
		return line == "" || line == shell || filepath.Base(first) == "nohup"
	}
	if !slices.ContainsFunc(list, onTheWay) {
		return
	}
	limit := time.NewTimer(settleTime)
	defer limit.Stop()
	tick := time.NewTicker(settleTime / 500)
	defer tick.Stop()
	for {
		select {
		case <-limit.C:
			return
		case <-tick.C:
			if !slices.ContainsFunc(list, onTheWay) {
				return
			}
		}
	}
}

// pipeName is what a link in /proc/PID/fd says of our pipe.
func (j *job) pipeName() string {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(j.pipeFD))
	if err != nil {
		return ""
	}
	return name
}

// holdsPipe reports whether p has the pipe open. A child of ours between fork and exec has everything open and does not
// count.
func (j *job) holdsPipe(p proc, pipe string) bool {
	if pipe == "" {
		return false
	}
	dir := "/proc/" + strconv.Itoa(p.pid)
	if p.parent == os.Getpid() && !j.sameSession(p) && sameProgram(dir) {
		return false
	}
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil && to == pipe {
			return true
		}
	}
	return false
}

func sameProgram(dir string) bool {
	its, err1 := os.Readlink(filepath.Join(dir, "exe"))
	ours, err2 := os.Readlink("/proc/self/exe")
	return err1 == nil && err2 == nil && its == ours
}

// hasMark reports whether the process was started by the command or a descendant.
func (j *job) hasMark(p proc) bool {
	file := "/proc/" + strconv.Itoa(p.pid) + "/environ"
	env, err := os.ReadFile(file)
	// While it starts a program it has no environment, and does not sleep. What belongs to no session is the system's own.
	for tries := 0; err == nil && len(env) == 0 && p.session != 0 && p.state != 'S' && tries < 5; tries++ {
		runtime.Gosched()
		env, err = os.ReadFile(file)
	}
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if string(v) == j.mark {
			return true
		}
	}
	return false
}

// ignoresHangup reports that the process was started with nohup or does as if.
func ignoresHangup(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if mask, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && n&(1<<(uint(syscall.SIGHUP)-1)) != 0
		}
	}
	return false
}

// commandLine is the process's command line on one line.
func commandLine(pid int) string {
	if line := argumentsOf(pid); line != "" {
		return line
	}
	name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm") // best effort
	return strings.TrimSpace(string(name))
}

// argumentsOf is the same, empty while the process starts a program or when it is dead.
func argumentsOf(pid int) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline") // gone is as good as empty
	return strings.Join(strings.Fields(strings.ReplaceAll(string(b), "\x00", " ")), " ")
}

// onOwnTerminal reports that some process of the command has opened a terminal for itself, and so can wait for somebody
// to type.
func (j *job) onOwnTerminal() bool {
	for _, p := range j.family().members {
		if p.tty != 0 {
			return true
		}
	}
	return false
}
