package shell

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// tree writes a random tree of scripts: what commands do to escape from whoever started them.
type tree struct {
	t    *testing.T
	rnd  *rand.Rand
	dir  string
	n    int
	ends bool // the command ends by itself; then nothing may hide from a list of its session and of the pipe's holders
}

func (g *tree) pick(of ...string) string { return of[g.rnd.IntN(len(of))] }

// script writes a node into a file of its own and gives a command that runs it.
func (g *tree) script(depth int) string {
	g.t.Helper()
	g.n++
	name := fmt.Sprintf("n%d.sh", g.n)
	body := g.node(depth)
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(body+"\n"), 0o600); err != nil {
		g.t.Fatal(err)
	}
	return "sh ./" + name
}

func (g *tree) node(depth int) string {
	if depth == 0 {
		return g.pick("exec sleep 300", "sleep 300", "cat", "read -r x; sleep 300", "while :; do sleep 0.05; done",
			"trap '' TERM; while :; do sleep 0.05; done", "while :; do echo tick; sleep 0.2; done", "trap '' HUP INT TERM; sleep 300",
			"mkfifo p$$ && cat p$$", "tail -f /dev/null", "exit 3", "kill -STOP $$", "exec 2>&1 >/dev/null; sleep 300")
	}
	a := g.script(depth - 1)
	shapes := []string{
		a, "exec " + a, a + " &", "(" + a + ") &\nwait", a + " &\n" + g.script(depth-1),
		a + " | " + g.script(depth-1), a + " | cat >/dev/null &", "set -m\n" + a + " &",
		"trap '" + a + " &' TERM\nwhile :; do sleep 0.05; done", "trap '' TERM\n" + a,
		"(" + a + " &)", "x=$(" + a + ")", "{ " + a + "; } <>/dev/null &", "while :; do " + a + " & wait; sleep 0.05; done",
		"f() { sleep 0.05; f & }\nf\n" + a,
		"setsid " + a + " &", "(setsid " + a + " &)", // with the pipe
	}
	if !g.ends {
		shapes = append(
			shapes,
			"setsid "+a+" >/dev/null 2>&1 </dev/null &", "(setsid "+a+" >/dev/null 2>&1 &)",
			"(cd . && umask 0 && setsid sh -c '(exec "+a+" >/dev/null 2>&1) &')", "nohup setsid "+a+" >/dev/null 2>&1 &",
		)
	}
	return g.pick(append(shapes, "nohup "+a+" >/dev/null 2>&1 &", "nohup "+a+" &")...)
}

// command is a whole tree.
func (g *tree) command() string {
	var b strings.Builder
	for range 1 + g.rnd.IntN(3) {
		b.WriteString(g.script(1+g.rnd.IntN(3)) + " &\n")
	}
	if g.ends {
		b.WriteString("sleep 0.2; echo over")
	} else {
		b.WriteString(g.pick("sleep 300", "wait; sleep 300", "exec sleep 300", "trap '' TERM; sleep 300 & wait; sleep 300", "while :; do :; done"))
	}
	return b.String()
}

// marked lists the processes with this in their environment.
func marked(mark string) []proc {
	var out []proc
	for _, p := range processes() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
		if err == nil && bytes.Contains(env, []byte(mark+"\x00")) {
			out = append(out, p)
		}
	}
	return out
}

// Whatever tree of processes a command makes, it comes back soon after its limit, and leaves nothing running but what was
// started with nohup, which is named.
func TestRandomTrees(t *testing.T) {
	t.Parallel()
	first, trees := 0, 100
	if testing.Short() { // others than those
		first, trees = 100, 24
	}
	var wg sync.WaitGroup
	next, slow := make(chan int), make(chan int, trees)
	for range beside {
		wg.Go(func() {
			for n := range next {
				if runTree(t, uint64(n)) > treeTime {
					slow <- n
				}
			}
		})
	}
	for n := range trees {
		next <- first + n
	}
	close(next)
	wg.Wait()
	close(slow)
	t.Logf("%d trees, %d of them late beside others", trees, len(slow))
	for n := range slow { // now alone; what the machine is late with anyway does not count
		var took, anyway time.Duration
		for tries := 0; tries < 5 && (tries == 0 || took > treeTime+4*anyway); tries++ {
			start := time.Now()
			run(t, Cmd{Command: "sleep 300 & sleep 300", Timeout: treeLimit})
			anyway = time.Since(start) - treeLimit
			took = runTree(t, uint64(n))
		}
		if took > treeTime+4*anyway {
			t.Errorf("tree %d took %s, again and again; a plain command is late by %s", n, took, anyway)
		}
	}
}

const (
	treeLimit = 700 * time.Millisecond // in which they mostly wait
	treeTime  = 2 * time.Second
	beside    = 8
)

func runTree(t *testing.T, n uint64) time.Duration {
	t.Helper()
	g := tree{t: t, rnd: rand.New(rand.NewPCG(n, 7)), dir: t.TempDir(), ends: n%5 == 0}
	mark := fmt.Sprintf("STRESS_TREE=%d-%s", n, filepath.Base(filepath.Dir(g.dir)))
	command := g.command()
	start := time.Now()
	r, err := Run(t.Context(), Cmd{Command: command, Dir: g.dir, Timeout: treeLimit, Vars: append(os.Environ(), mark+g.dir)})
	took := time.Since(start)
	if err != nil {
		t.Errorf("tree %d: %v", n, err)
		return 0
	}
	if r.TimedOut == g.ends && took < treeLimit {
		t.Errorf("tree %d: timed out %v after %s, %+v", n, r.TimedOut, took, r)
	}
	named := map[int]bool{}
	for _, p := range r.Left {
		named[p.PID] = p.Running
	}
	list := marked(mark + g.dir)
	for _, p := range list {
		if !r.TimedOut && (named[p.pid] || ignoresHangup(p.pid) && descends(list, p, named)) {
			continue
		}
		t.Errorf("tree %d: left %d: %s (%s)\nnamed %+v\n%s", n, p.pid, commandLine(p.pid), string(p.state), r.Left, command)
	}
	killAll(t, mark+g.dir)
	return took
}

// descends reports whether a process comes from one that is named, as far as that is known.
func descends(list []proc, p proc, named map[int]bool) bool {
	for range list {
		if named[p.pid] || p.parent == 1 || named[p.group] || named[p.session] {
			return true
		}
		for _, q := range list {
			if q.pid == p.parent {
				p = q
			}
		}
	}
	return false
}

// killAll ends what was allowed to stay.
func killAll(t *testing.T, mark string) {
	t.Helper()
	for range 50 {
		list := marked(mark)
		if len(list) == 0 {
			return
		}
		for _, p := range list {
			if q, err := os.FindProcess(p.pid); err == nil {
				_ = q.Kill()
			}
		}
		waitDead(list)
	}
	t.Error("processes cannot be killed")
}
