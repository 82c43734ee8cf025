package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Background is a command that runs beside this process and outlives it. Its output goes into a file that the command
// itself writes, and a small shell around it notes the exit status in another file, so nothing is lost when this process
// dies meanwhile. Its standard input is empty, unless it has a terminal.
type Background struct {
	// Command, Shell, Dir, Vars, Hide and Prepare are as in [Cmd].
	Command, Shell, Dir string
	Vars, Hide          []string
	Prepare             func(cmd *exec.Cmd) error
	// Output is the file for both streams; it is made, or appended to, and only its owner may read it.
	Output string
	// Status is the file for the exit status. Whoever runs the command holds a lock on it: there is one run per file.
	Status string
	// Mark is a word that no other command has. The command's processes are known by it.
	Mark string
	// Terminal gives the command a terminal of its own. What it prints goes through this process then, and the command is
	// hung up when this process ends. Waits, if set, is called when the command begins to wait for a person to type
	// something secret, with the reason, and with "" when it no longer does; from one goroutine, never after Done.
	Terminal bool
	Waits    func(why string)
}

// Ident finds a background command again, also from another process.
type Ident struct {
	PID   int    `json:"pid"`
	Start string `json:"start,omitempty"` // when the process began, only good for comparing
	Boot  string `json:"boot,omitempty"`  // the machine's run, likewise
}

// Exit is what is known of a background command's end.
type Exit struct {
	Begun bool // the command was started
	Known bool // its exit status is known; a shell's word for a signal is 128 + its number
	Code  int
}

// Task is a background command that runs, or did when it was found.
type Task struct {
	b      Background
	id     Ident
	j      *job
	own    *exec.Cmd // nil: another process started it
	dir    string
	script string // a temporary file with a long command

	done    chan struct{} // it has ended
	over    chan struct{} // nobody watches any more
	release func()        // ends the watching
	exit    Exit
	left    []Process

	stop sync.Mutex
	term *terminal
}

// ErrRunning says that the command of a status file runs already, or has run.
var ErrRunning = errors.New("shell: this command was started already")

// ErrNoTerminal says that the command has no terminal to type into.
var ErrNoTerminal = errors.New("shell: the command has no terminal")

// wrapper runs its arguments and notes how that ended. The signals that are meant for all do not end it, so that the note is
// made; the command inherits neither that nor the note. What a shell says about a killed child is no output of the child.
// The leader of a terminal's session does not stay when the terminal is hung up: its death is what hangs the command up.
func wrapper(terminal bool) string {
	signals := "HUP INT QUIT TERM"
	if terminal {
		signals = "INT QUIT TERM"
	}
	return `exec 4>&2 2>/dev/null
printf 'begun\n' >&3
trap : ` + signals + `
(exec "$@" 2>&4 3>&- 4>&-)
s=$?
printf 'exit %s\n' "$s" >&3
exit "$s"`
}

// StartBackground starts b and returns at once. [ErrRunning] says that it was started already. The caller ends with
// [Task.Release], or when the task is done.
func StartBackground(b Background) (*Task, error) {
	if strings.ContainsRune(b.Command, 0) {
		return nil, errors.New("the command holds a NUL byte, which no shell can take; write it as \\0 for printf")
	}
	shell, err := Find(b.Shell)
	if err != nil {
		return nil, err
	}
	b.Shell = shell
	status, err := lockedStatus(b.Status)
	if err != nil {
		return nil, err
	}
	defer func() { _ = status.Close() }() // the command has it now
	out, err := os.OpenFile(b.Output, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("file for the output: %w", err)
	}
	t, err := b.start(status, out)
	if err != nil || t.term == nil {
		_ = out.Close() // the command has it
	}
	return t, err
}

func (b Background) start(status, out *os.File) (*Task, error) {
	dir, err := startDir(b.Dir)
	if err != nil {
		return nil, err
	}
	inner, script, err := b.arguments()
	if err != nil {
		return nil, err
	}
	t := &Task{b: b, script: script}
	if dir != b.Dir {
		t.dir = dir
	}
	cmd := wrapped(inner, status, b.Terminal)
	cmd.Dir = dir
	vars := b.Vars
	if vars == nil {
		vars = cmd.Environ()
	}
	mark := markName + "=" + b.Mark
	cmd.Env = environment(vars, b.Hide, dir, mark)
	var tty io.Closer
	if b.Terminal {
		if t.term, tty, err = openTerminal(cmd, out); err != nil {
			t.removeScript()
			return nil, fmt.Errorf("terminal for the command: %w", err)
		}
	} else {
		cmd.Stdout, cmd.Stderr = out, out
		cmd.SysProcAttr = ownSession()
	}
	if b.Prepare != nil {
		err = b.Prepare(cmd)
	}
	if err == nil {
		err = cmd.Start()
	}
	if tty != nil {
		_ = tty.Close() // the command's end
	}
	if err != nil {
		if t.term != nil {
			t.term.close()
		}
		t.removeScript()
		return nil, fmt.Errorf("start of %s: %w", b.Shell, err)
	}
	t.own = cmd
	t.id = identify(cmd.Process.Pid)
	t.j = &job{mark: mark, pipeFD: -1, cmd: &exec.Cmd{Args: inner, Process: cmd.Process}}
	t.watch()
	return t, nil
}

// arguments are the shell and its own. A command too long for an argument goes through a temporary file, which is removed
// when the command has ended.
func (b Background) arguments() (argv []string, script string, err error) {
	flag := "-c"
	if isCmdExe(b.Shell) {
		flag = "/C"
	}
	if len(b.Command) <= longCommand {
		return []string{b.Shell, flag, b.Command}, "", nil
	}
	f, err := os.CreateTemp("", "command-*.sh")
	if err != nil {
		return nil, "", fmt.Errorf("file for a long command: %w", err)
	}
	_, err = f.WriteString(b.Command)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, "", errors.Join(fmt.Errorf("file for a long command: %w", err), os.Remove(f.Name()))
	}
	return []string{b.Shell, f.Name()}, f.Name(), nil
}

// FindBackground looks for a command that was started earlier, by whomever. A nil Task says that it does not run, and
// Exit how it ended. id may be empty when it is not known.
func FindBackground(b Background, id Ident) (*Task, Exit) {
	// The note of the end counts more than the lock: when this process starts something else at the wrong moment, that
	// child holds a copy of the lock until it runs its own program.
	if e := readExit(b.Status); e.Known {
		return nil, e
	}
	if !statusHeld(b.Status) {
		return nil, readExit(b.Status)
	}
	if same := identify(id.PID); id.PID == 0 || same != id {
		id = findMarked(markName + "=" + b.Mark)
	}
	t := &Task{b: b, id: id}
	t.reach(id)
	t.watch()
	return t, Exit{Begun: true}
}

// reach says which process a command that was found is.
func (t *Task) reach(id Ident) {
	if id.PID > 0 {
		// Its arguments are not known, so nobody is taken for a copy of its shell.
		cmd := &exec.Cmd{Args: []string{t.b.Shell}, Process: &os.Process{Pid: id.PID}}
		t.j = &job{mark: markName + "=" + t.b.Mark, pipeFD: -1, cmd: cmd}
	}
}

// Rebooted reports whether the machine was started again since the command of id was started.
func Rebooted(id Ident) bool {
	then, _, _ := strings.Cut(id.Boot, "/")
	now, _, _ := strings.Cut(identify(0).Boot, "/")
	return then != "" && now != "" && then != now
}

// Self identifies this process.
func Self() Ident { return identify(os.Getpid()) }

// Alive reports whether the process still runs. One that cannot be seen from here, in another box of the same machine, is
// taken for alive.
func (id Ident) Alive() bool {
	if id.Boot != identify(0).Boot {
		return !Rebooted(id)
	}
	return id.PID > 0 && identify(id.PID) == id && pidAlive(id.PID)
}

// Running says whether there is a process of this number, whichever it is.
func Running(pid int) bool { return pid > 0 && pidAlive(pid) }

// readExit reads a status file.
func readExit(file string) Exit {
	b, err := os.ReadFile(file)
	if err != nil {
		return Exit{}
	}
	e := Exit{Begun: strings.HasPrefix(string(b), "begun\n")}
	for line := range strings.Lines(string(b)) {
		word, ok := strings.CutPrefix(line, "exit ")
		if !ok || !strings.HasSuffix(word, "\n") {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(word)); err == nil {
			e.Known, e.Code = true, n
		}
	}
	return e
}

// watch follows the command to its end.
func (t *Task) watch() {
	t.done, t.over = make(chan struct{}), make(chan struct{})
	wait, release := t.waiter()
	copied := make(chan struct{})
	if t.term == nil {
		close(copied)
	} else {
		go func() {
			defer close(copied)
			t.term.copy(t.b.Waits)
		}()
	}
	t.release = release
	go func() {
		defer close(t.over)
		ended := wait()
		if ended {
			t.finish()
		}
		if t.term != nil {
			t.term.drain(copied, ended)
		}
		if ended {
			close(t.done)
		}
	}()
}

// finish reads what the command has left: its status, and its children.
func (t *Task) finish() {
	if t.own != nil {
		_ = t.own.Wait() // how it ended is in ProcessState
		t.noteExit()
	}
	t.exit = readExit(t.b.Status)
	t.removeScript()
	t.stop.Lock()
	defer t.stop.Unlock()
	switch {
	case t.j == nil:
	case t.j.tree.begun:
		t.j.tree.kill(t.j)
	case t.term != nil || groupAlive(t.j.cmd.Process.Pid):
		t.left = t.j.sweep(true)
	}
}

func (t *Task) removeScript() {
	if t.script != "" {
		_ = os.Remove(t.script) // it may be gone with the temporary files of the machine
	}
}

// Ident says how to find the command again.
func (t *Task) Ident() Ident { return t.id }

// Done is closed when the command has ended and its output is complete.
func (t *Task) Done() <-chan struct{} { return t.done }

// Over is closed when nobody watches any more: after [Task.Release], and after Done.
func (t *Task) Over() <-chan struct{} { return t.over }

// Exit says how the command ended; it may be asked when Done is closed.
func (t *Task) Exit() Exit { return t.exit }

// Left are the processes that the command left behind; it may be asked when Done is closed.
func (t *Task) Left() []Process { return t.left }

// Dir is set when the command could not start in its directory: the one it started in.
func (t *Task) Dir() string { return t.dir }

// Stop ends the command with everything it has started: they are asked, and killed if they do not go. It returns when
// that is done, shortly after the command's end at the latest.
func (t *Task) Stop() {
	if !t.ask() || t.ends(termGrace) {
		return
	}
	t.stop.Lock()
	t.j.tree.kill(t.j)
	t.stop.Unlock()
	t.ends(closeGrace)
}

// ask asks all processes to end; false: there is none, or none that can be reached from here.
func (t *Task) ask() bool {
	t.stop.Lock()
	defer t.stop.Unlock()
	select {
	case <-t.done:
		return false
	default:
	}
	if t.j == nil { // it was only about to start when it was found
		t.reach(findMarked(markName + "=" + t.b.Mark))
	}
	if t.j == nil {
		return false
	}
	if !t.j.tree.begun {
		t.j.tree = t.j.family()
		t.j.tree.begun = true
		_ = t.j.tree.terminate(t.j) // what does not go is killed
	}
	return true
}

func (t *Task) ends(within time.Duration) bool {
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case <-t.done:
		return true
	case <-limit.C:
		return false
	}
}

// Write types into the command's terminal. It fails with [ErrNoTerminal] when there is none here, and when the command
// does not read for some seconds.
func (t *Task) Write(text string) error {
	if t.term == nil {
		return ErrNoTerminal
	}
	return t.term.write(text)
}

// Release stops watching without touching the command; it may be called often. It returns when nothing of this task runs here any more; a
// command with a terminal is hung up.
func (t *Task) Release() {
	t.release()
	<-t.over
}
