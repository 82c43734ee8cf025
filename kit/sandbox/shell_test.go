//go:build linux

package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/internal/shell"
)

// inside lists the processes that stand in a directory.
func inside(dir string) (list []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		if cwd, err := os.Readlink(p + "/cwd"); err == nil && (cwd == dir || within(cwd, dir)) {
			stat, _ := os.ReadFile(p + "/stat")
			if !strings.Contains(string(stat), ") Z ") {
				line, _ := os.ReadFile(p + "/cmdline")
				list = append(list, p+" "+strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
	}
	return list
}

// nobody checks that no process of the command is left. What was killed may die a moment later on a busy machine.
func (r *rig) nobody(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		list := inside(r.root)
		if len(list) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Error("lives: ", list)
			return
		}
	}
}

// patience is far longer than what ends takes on any machine, and shorter than what the commands would take by themselves.
const patience = 40 * time.Second

func TestEndingsPassThrough(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		for _, c := range []struct{ command, out, status string }{
			{"echo out; echo err >&2", "out\nerr\n", "exit status 0"},
			{"exit 3", "", "exit status 3"},
			{"kill -SEGV $$", "", "killed by SIGSEGV"},
			{"cat; echo end", "end\n", "exit status 0"},
			{"no-such-program-here 2>/dev/null", "", "exit status 127"},
			{"read -r x </dev/tty", "", "exit status 1"},
		} {
			out, res := r.sh(t, c.command)
			status := res.Status()
			if w.kind == Bwrap && strings.HasPrefix(c.status, "killed") {
				c.status = "exit status 139 (SIGSEGV)" // bubblewrap says it like a shell
			}
			if status != c.status || c.out != "" && out != c.out {
				t.Errorf("%s: %q, %s; want %q, %s", c.command, out, status, c.out, c.status)
			}
		}
		r.nobody(t)
	})
}

func TestTimeoutEndsTheTree(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		for _, command := range []string{
			"sleep 300 & wait",
			"setsid sleep 300 & wait",
			"(setsid sleep 300 >/dev/null 2>&1 &); sleep 300",
			"trap '' TERM; while :; do sleep 0.05; done",
			"set -m; sleep 300 & wait",
			"f() { sleep 0.01; f & }; f; sleep 300",
		} {
			start := time.Now()
			_, res := r.run(t, shell.Cmd{Command: command, Timeout: 300 * time.Millisecond})
			if !res.TimedOut {
				t.Errorf("%s: %+v", command, res)
			}
			if took := time.Since(start); took > patience {
				t.Errorf("%s: took %s", command, took)
			}
			r.nobody(t)
		}
	})
}

func TestCancelEndsTheTree(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		ctx, cancel := context.WithCancel(t.Context())
		c := shell.Cmd{Command: "echo begun; setsid -w sleep 300", Dir: r.root, Prepare: r.Prepare, Output: func([]byte) { cancel() }}
		res, err := shell.Run(ctx, c)
		if err != nil || !res.Cancelled || string(res.Head) != "begun\n" {
			t.Errorf("%+v %q %v", res, res.Head, err)
		}
		r.nobody(t)
	})
}

func TestLeftOversAreStoppedAndNamed(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		for _, command := range []string{
			"(while :; do echo tick; sleep 0.1; done) & echo DONE",
			"setsid sh -c 'echo ready >f; exec sleep 300' & while ! [ -s f ]; do :; done; echo DONE",
			"sleep 300 >/dev/null 2>&1 & echo DONE",
		} {
			out, res := r.sh(t, command) // it fails when it waits for what is left
			if !strings.Contains(out, "DONE") || res.Failed() {
				t.Errorf("%s: %q %+v", command, out, res)
			}
			if len(res.Left) == 0 {
				t.Errorf("%s: nothing is named", command)
			}
			for _, p := range res.Left {
				if p.Running {
					t.Errorf("%s: %d %s is said to run", command, p.PID, p.Command)
				}
			}
			r.nobody(t)
		}
	})
}

func TestPasswordPromptIsSeen(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		if _, err := os.Stat("/usr/bin/script"); err != nil {
			t.Skip("needs script")
		}
		_, res := r.run(t, shell.Cmd{Command: "sleep 60 | script -qc 'printf \"[sudo] password for me: \"; exec sleep 50' /dev/null", Timeout: 40 * time.Second})
		if res.Human == "" || res.TimedOut {
			t.Errorf("not seen: %+v %s", res, res.Head)
		}
		r.nobody(t)
	})
}

func TestLongCommand(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		out, res := r.sh(t, ": "+strings.Repeat("x", 300_000)+"\necho still here; ls /tmp")
		if !strings.HasPrefix(out, "still here\n") {
			t.Errorf("%q %+v", out[:min(len(out), 200)], res)
		}
	})
}

func TestDirectories(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		for dir, want := range map[string]string{r.root: r.root, r.home: r.home, filepath.Join(r.root, "gone", "deep"): r.root, "/": "/"} {
			out, res := r.run(t, shell.Cmd{Command: "pwd -P", Dir: dir})
			if strings.TrimSpace(out) != want {
				t.Errorf("%s: %q %+v", dir, out, res)
			}
		}
		if err := os.RemoveAll(r.root); err != nil {
			t.Fatal(err)
		}
		out, res := r.run(t, shell.Cmd{Command: "pwd -P", Dir: r.root})
		if strings.TrimSpace(out) != r.home || res.Dir != r.home {
			t.Errorf("without the work directory: %q %+v", out, res)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 3 {
					if got := r.works(t, fmt.Sprintf("echo %d >f%d; cat f%d", i, i, i)); got != strconv.Itoa(i) {
						t.Errorf("%d: %q", i, got)
					}
				}
			})
		}
		wg.Wait()
	})
}

// What one command puts into /tmp the next one finds.
func TestTempStays(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		name := fmt.Sprintf("/tmp/sandbox-stays-%d", os.Getpid())
		r.works(t, "echo kept >"+name)
		if got := r.works(t, "cat "+name+" && rm "+name); got != "kept" {
			t.Errorf("%q", got)
		}
		if (r.Temp() == "") != w.bare {
			t.Errorf("Temp is %q", r.Temp())
		}
	})
}

// Background jobs are watched by a lock that the command holds, and by its group.
func TestBackgroundJobs(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		start := func(name, command string) (*shell.Task, string) {
			out := filepath.Join(r.out, name)
			task, err := shell.StartBackground(shell.Background{
				Command: command, Dir: r.root, Prepare: r.Prepare, Output: out, Status: out + ".status", Mark: fmt.Sprintf("%s-%d", name, os.Getpid()),
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				task.Stop()
				task.Release()
			})
			return task, out
		}
		task, out := start("short", "echo said; touch file; touch /usr/x; exit 7")
		<-task.Done()
		if e := task.Exit(); e.Code != 7 || !e.Known {
			t.Errorf("%+v", e)
		}
		if got := content(t, out); !strings.HasPrefix(got, "said\n") || !strings.Contains(got, "/usr/x") {
			t.Errorf("output %q", got)
		}
		task, _ = start("long", "touch begun; sleep 300 & setsid -w sleep 300; wait")
		for !exists(filepath.Join(r.root, "begun")) {
			select {
			case <-task.Done():
				t.Fatal("it has ended: ", task.Exit())
			case <-time.After(time.Millisecond):
			}
		}
		task.Stop()
		<-task.Done()
		r.nobody(t)
		task, _ = start("left", "sleep 300 & sleep 0.1; exit 0")
		<-task.Done()
		r.nobody(t)
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
