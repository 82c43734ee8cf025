package task

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/store/mem"
)

// worker is a process that claims what it can and says each claim, until nothing is left or it is killed. It begins when its
// input says so.
func worker(dir string) int {
	ctx := context.Background()
	t := &testing.T{}
	b := onDisk(t, dir)
	name := os.Getenv("TASK_TEST_NAME")
	fmt.Println("here")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return 3
	}
	for {
		x, ok, err := b.Next(ctx, name, nil)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if !ok {
			return 0
		}
		fmt.Println(x.ID)
		if os.Getenv("TASK_TEST_DONE") != "" {
			if _, err := b.Update(ctx, x.ID, Change{Status: Completed}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
}

type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func start(t *testing.T, dir, name string, env ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(t.Context(), os.Args[0])}
	p.cmd.Env = append(append(os.Environ(), "TASK_TEST_DIR="+dir, "TASK_TEST_NAME="+name), env...)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !p.out.Scan() || p.out.Text() != "here" {
		t.Fatalf("%q", p.out.Text())
	}
	return p
}

func (p *process) begin(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		t.Fatal(err)
	}
}

// Of many processes that claim at once, each task has one winner, and it is the one whose name the file has.
func TestManyProcessesClaim(t *testing.T) {
	dir := t.TempDir()
	b := onDisk(t, dir)
	const tasks, processes = 30, 6
	for i := range tasks {
		create(t, b, "task "+strconv.Itoa(i+1))
	}
	var all []*process
	for i := range processes {
		all = append(all, start(t, dir, "p"+strconv.Itoa(i)))
	}
	for _, p := range all {
		p.begin(t)
	}
	won := map[int]string{}
	for i, p := range all {
		for p.out.Scan() {
			id, err := strconv.Atoi(p.out.Text())
			if err != nil || won[id] != "" {
				t.Errorf("task %d was given to %s and to p%d (%v)", id, won[id], i, err)
			}
			won[id] = "p" + strconv.Itoa(i)
		}
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	list, faults, err := b.List(t.Context())
	if err != nil || len(faults) != 0 || len(list) != tasks || len(won) != tasks {
		t.Fatalf("%d tasks, %d won, %v %v", len(list), len(won), faults, err)
	}
	for _, x := range list {
		if x.Owner != won[x.ID] || x.Status != InProgress {
			t.Errorf("task %d is %s's, who won is %s", x.ID, x.Owner, won[x.ID])
		}
	}
}

// Processes that are killed in the middle of their claims leave whole files, hold nobody up, and what they had can be given
// to others: in the end all is done, in an order that keeps to what waits for what.
func TestKilledWhileClaiming(t *testing.T) {
	dir := t.TempDir()
	b := onDisk(t, dir)
	const tasks = 24
	for i := range tasks {
		create(t, b, "task "+strconv.Itoa(i+1))
		if i%3 == 2 { // every third waits for the two before
			update(t, b, i+1, Change{AddBlockedBy: []int{i, i - 1}})
		}
	}
	for round := range 6 {
		name := "victim" + strconv.Itoa(round)
		p, other := start(t, dir, name, "TASK_TEST_DONE=1"), start(t, dir, "other"+strconv.Itoa(round))
		p.begin(t)
		other.begin(t)
		for range round%3 + 1 {
			p.out.Scan()
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait() // it was killed
		if err := other.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = other.cmd.Wait()
		for _, dead := range []string{name, "other" + strconv.Itoa(round)} {
			if _, err := b.Free(t.Context(), dead); err != nil {
				t.Fatal(err)
			}
		}
		list, faults, err := b.List(t.Context())
		if err != nil || len(faults) != 0 || len(list) != tasks {
			t.Fatalf("%d tasks, %v %v", len(list), faults, err)
		}
		for _, x := range list {
			if x.Status == InProgress || x.Status == Completed && len(Blockers(x, list, faults)) > 0 {
				t.Errorf("%s", x)
			}
		}
	}
	last := start(t, dir, "last", "TASK_TEST_DONE=1")
	last.begin(t)
	for last.out.Scan() {
	}
	if err := last.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := rendered(t, b); strings.Count(got, "[x]") != tasks || strings.Contains(got, "blocked") {
		t.Error(got)
	}
}

// model is what the board should be: owner and status of each task, and what it waits for.
type model struct {
	tasks map[int]*Task
	last  int
}

func (m *model) waits(from, to int) bool {
	if from == to {
		return true
	}
	for _, id := range m.tasks[from].BlockedBy {
		if m.waits(id, to) {
			return true
		}
	}
	return false
}

func (m *model) ready(id int) bool { return len(m.tasks[id].BlockedBy) == 0 }

func (m *model) drop(id int) {
	for _, x := range m.tasks {
		x.BlockedBy = without(x.BlockedBy, id)
	}
}

func without(list []int, id int) (out []int) {
	for _, x := range list {
		if x != id {
			out = append(out, x)
		}
	}
	return out
}

// Whatever is done to a board, by two who share it, it is what the rules say: nobody gets what is another's or blocked,
// nothing waits for itself, no id comes twice, and what waits is what was said to wait less what is done.
func TestBoardHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		docs := mem.New()
		boards := []*Board{New(docs), New(docs)}
		m := &model{tasks: map[int]*Task{}}
		id := func() int { return rapid.IntRange(1, 6).Draw(rt, "id") }
		ctx := context.Background()
		check := func(what string, err error, want bool) bool {
			if (err == nil) != want || err != nil && !IsMistake(err) {
				rt.Fatalf("%s: %v, want ok %v", what, err, want)
			}
			return want
		}
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				x, err := boards[0].Create(ctx, "x", "") // whoever removes remembers the highest id
				if err != nil || x.ID != m.last+1 {
					rt.Fatalf("%d %v", x.ID, err)
				}
				m.last++
				m.tasks[m.last] = &Task{ID: m.last, Status: Pending}
			},
			"claim": func(rt *rapid.T) {
				i, who := id(), rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "who")
				x := m.tasks[i]
				_, err := boards[1].Claim(ctx, i, who)
				if check("claim", err, x != nil && x.Status != Completed && (x.Owner == "" || x.Owner == who) && m.ready(i)) {
					x.Owner, x.Status = who, InProgress
				}
			},
			"wait": func(rt *rapid.T) {
				i, j, mirrored := id(), id(), rapid.Bool().Draw(rt, "mirrored")
				x, y := m.tasks[i], m.tasks[j]
				ok := x != nil && y != nil && !m.waits(j, i)
				var err error
				if mirrored {
					_, err = boards[0].Update(ctx, j, Change{AddBlocks: []int{i}})
				} else {
					_, err = boards[0].Update(ctx, i, Change{AddBlockedBy: []int{j}})
				}
				if check("wait", err, ok) && y.Status != Completed {
					x.BlockedBy = append(without(x.BlockedBy, j), j)
				}
			},
			"status": func(rt *rapid.T) {
				i, to := id(), rapid.SampledFrom([]string{Pending, InProgress, Completed, Deleted}).Draw(rt, "status")
				x := m.tasks[i]
				_, err := boards[0].Update(ctx, i, Change{Status: to})
				if !check("status", err, x != nil) {
					return
				}
				switch x.Status = to; to {
				case Pending:
					x.Owner = ""
				case Completed:
					m.drop(i)
				case Deleted:
					delete(m.tasks, i)
					m.drop(i)
				}
			},
			"free": func(rt *rapid.T) {
				if _, err := boards[1].Free(ctx, "a"); err != nil {
					rt.Fatal(err)
				}
				for _, x := range m.tasks {
					if x.Owner == "a" && x.Status != Completed {
						x.Owner, x.Status = "", Pending
					}
				}
			},
			"": func(rt *rapid.T) {
				list, faults, err := boards[1].List(ctx)
				if err != nil || len(faults) != 0 || len(list) != len(m.tasks) {
					rt.Fatalf("%d tasks, want %d, %v %v", len(list), len(m.tasks), faults, err)
				}
				for i, x := range list {
					w := m.tasks[x.ID]
					if i > 0 && list[i-1].ID >= x.ID || x.Owner != w.Owner || x.Status != w.Status || len(Blockers(x, list, faults)) != len(w.BlockedBy) {
						rt.Fatalf("%s\nwant %+v", x, w)
					}
				}
			},
		})
	})
}
