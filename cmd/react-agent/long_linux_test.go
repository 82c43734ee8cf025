package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"react-agent/agent"
	"react-agent/provider/providertest"
)

// What a session of thousands of steps may cost; make long holds it against this.
const (
	longDrift  = 1.2                    // a step at the end, of one at the start, with a window as full
	longMemory = 60 << 10               // kB, at most, in all the time
	longResume = 150 * time.Millisecond // from the start of the program to its first request
)

// TestLongSession plays a session that is compacted again and again: every request is one that a vendor takes, each step is
// made once, the next process goes on with it, and the log is sound.
//
// As an ordinary test it is short and its window is small. make long plays LONG steps in the window that is usual, and
// measures: then what a step costs may not grow, nor memory, and going on may not take long. Steps are measured in the
// processor's time, beside a piece of work that is always the same: other programs make both slower. LONG_PROFILE names a face.
func TestLongSession(t *testing.T) {
	steps, err := strconv.Atoi(cmp.Or(os.Getenv("LONG"), "0"))
	if err != nil {
		t.Fatalf("LONG: %v", err)
	}
	measured := steps > 0
	usual, window := 60, 12_000
	if testing.Short() { // under the race detector a step takes many times as long
		usual, window = 24, 5000
	}
	l := newLong(t, cmp.Or(steps, usual))
	if measured {
		l.build()
	} else {
		t.Parallel()
		l.extra = append(l.extra, "REACT_AGENT_CONTEXT_WINDOW="+strconv.Itoa(window))
	}
	l.extra = append(l.extra, "REACT_AGENT_PROFILE="+cmp.Or(os.Getenv("LONG_PROFILE"), "lean"))
	first := l.play("--session", "s", "work through it all")
	if l.made != l.steps {
		t.Errorf("%d steps of %d were made", l.made, l.steps)
	}
	second := l.play("--continue", "and now?")
	resume := l.arrived[len(l.arrived)-1].when.Sub(second.started)
	if last := string(l.last); !strings.Contains(last, "and now?") || strings.Count(last, `"role":"assistant"`) < 2 {
		t.Errorf("the next process does not go on: %.500s", last)
	}
	l.check()
	compacts := 0
	for _, e := range l.decode(l.log()) {
		if e.Type == agent.EvCompact {
			compacts++
		}
	}
	if compacts < 2 {
		t.Errorf("the session was compacted %d times", compacts)
	}
	if !measured {
		return
	}
	drift := l.drift()
	t.Logf("%d steps in %v, %d compactions, %d summaries; a step at the end costs %.2f × one at the start (%s); %d kB at most, %d kB going on; %v to go on, %v of the processor's; log of %d kB",
		l.steps, first.took.Round(time.Second), compacts, l.summaries, drift, l.windows(), first.peak, second.peak, resume.Round(time.Millisecond), second.used.Round(time.Millisecond), l.size()>>10)
	if drift > longDrift || first.peak > longMemory || second.peak > longMemory || resume > longResume {
		t.Errorf("limits are %.1f ×, %d kB, %v", longDrift, longMemory, longResume)
	}
}

// long is a model that has a long piece of work done, and keeps time.
type long struct {
	*rig
	steps int
	bin   string // "": the program under test

	mu        sync.Mutex
	made      int // steps asked for
	summaries int
	arrived   []arrival
	answered  time.Duration // the program had used up to the reply before; 0: something else lies between
	last      []byte
	faults    []string
	life      *lived // that runs now
}

// arrival is a request of the work.
type arrival struct {
	when time.Time
	own  time.Duration // the program has used since the reply before; 0: something else lies between
	unit time.Duration // what the same piece of work took at this time
	size int
}

// lived is one process.
type lived struct {
	cmd     *exec.Cmd
	started time.Time
	took    time.Duration
	used    time.Duration // of the processor's time, up to its last request
	peak    int           // kB
}

func newLong(t *testing.T, steps int) *long {
	t.Helper()
	l := &long{rig: newRig(t, "NOTHING"), steps: steps}
	srv := httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(srv.Close)
	l.extra = []string{"OPENAI_BASE_URL=" + srv.URL + "/v1"}
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "line %d of the data, as it was measured\n", i)
	}
	if err := os.WriteFile(l.work("data.txt"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

// build makes the program as it is released: the test binary has more in it.
func (l *long) build() {
	l.t.Helper()
	l.bin = filepath.Join(l.dir, "released")
	cmd := exec.CommandContext(l.t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", l.bin, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("%v\n%s", err, out)
	}
}

// step is what the model wants done next: mostly reading, some commands and some writing, never twice the same.
func (l *long) step(n int) string {
	switch {
	case n%5 == 3:
		return fmt.Sprintf("CALL bash {\"command\":\"echo step %d; seq %d %d\"}", n, n, n+150)
	case n%10 == 6:
		return fmt.Sprintf("CALL write_file {\"path\":\"out%d.txt\",\"content\":\"result %d\\n\"}\n+ CALL read_file {\"path\":\"data.txt\",\"offset\":%d,\"limit\":5}", n%40, n, n%3000+1)
	}
	return fmt.Sprintf("SAY step %d\n+ CALL read_file {\"path\":\"data.txt\",\"offset\":%d,\"limit\":%d}", n, n%3000+1, 20+n%7)
}

// serve answers requests with tools by the next step, and those without by a summary.
func (l *long) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.life.look()
	script := "SAY all went well so far"
	if bytes.Contains(body, []byte(`"tools":[`)) {
		a := arrival{when: now, size: len(body), unit: unit()}
		if l.answered > 0 {
			a.own = l.life.used - l.answered
		}
		l.arrived, l.last = append(l.arrived, a), body
		if script = "SAY that is all"; l.made < l.steps {
			script = l.step(l.made)
			l.made++
		}
	} else {
		l.summaries++
	}
	reply := providertest.MustParse(script).Replies[0]
	reply.Usage = &[3]int{len(body) / 4, 20, 0}
	if fault := speak(w, r, body, len(l.arrived)+l.summaries, reply); fault != "" {
		l.faults = append(l.faults, fault)
	}
	_ = http.NewResponseController(w).Flush()
	l.answered = l.life.used
	if !bytes.Contains(body, []byte(`"tools":[`)) {
		l.answered = 0 // what follows a summary is no usual step
	}
}

// play runs one process to the end of its turn.
func (l *long) play(args ...string) lived {
	l.t.Helper()
	cmd := l.command(nil, append([]string{"run", "--yolo"}, args...)...)
	if l.bin != "" {
		path := cmd.Path
		cmd = exec.CommandContext(l.t.Context(), l.bin, append([]string{"run", "--yolo"}, args...)...) // as long as it takes
		like := l.command(nil)
		cmd.Dir, cmd.Env, like.Path = like.Dir, like.Env, path
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	life := lived{cmd: cmd, started: time.Now()}
	l.mu.Lock()
	l.answered, l.life = 0, &life
	err := cmd.Start()
	l.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		l.t.Fatalf("%v: %v\n%.3000s", args, err, errs.String())
	}
	life.took = time.Since(life.started)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) > 0 {
		l.t.Fatalf("refused: %.2000s", strings.Join(l.faults, "\n"))
	}
	return life
}

// look reads what the process has taken up to now.
func (life *lived) look() {
	if life.cmd.Process == nil {
		return
	}
	proc := fmt.Sprintf("/proc/%d/", life.cmd.Process.Pid)
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &life.peak) // one line is it
	}
	threads, _ := filepath.Glob(proc + "task/*/schedstat")
	life.used = 0
	for _, name := range threads {
		var ns int64
		if data, err := os.ReadFile(name); err == nil {
			_, _ = fmt.Sscan(string(data), &ns)
		}
		life.used += time.Duration(ns)
	}
}

// unit does a piece of work and gives the processor's time that it took.
func unit() time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.Timespec
	work := []byte("[" + strings.Repeat(`{"role":"tool","content":"line 7 of the data"},`, 4000) + "0]")
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &before)
	if !json.Valid(work) {
		return 0
	}
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &after)
	return time.Duration(after.Nano() - before.Nano())
}

// drift is what a step costs at the end, of what it costs at the start: windows that are as full are compared.
func (l *long) drift() float64 {
	begin, end := l.costs(true), l.costs(false)
	var ratios []float64
	for fill, was := range begin {
		if is := end[fill]; len(was) >= 5 && len(is) >= 5 {
			ratios = append(ratios, float64(median(is))/float64(median(was)))
		}
	}
	if len(ratios) == 0 {
		l.t.Fatal("no two windows are as full")
	}
	sum := 0.0
	for _, r := range ratios {
		sum += r
	}
	slower := float64(median(l.units(false))) / float64(median(l.units(true)))
	return sum / float64(len(ratios)) / slower
}

// part is the first or the last fifth of the steps.
func (l *long) part(start bool) []arrival {
	all := l.arrived[:len(l.arrived)-2] // the last is another process
	n := len(all) / 5
	if start {
		return all[:n]
	}
	return all[len(all)-n:]
}

func (l *long) units(start bool) (list []time.Duration) {
	for _, a := range l.part(start) {
		list = append(list, a.unit)
	}
	return list
}

// costs sorts the steps of the first or last part by how full the window is. The very first have none that are as full
// later: what the first compaction has not yet cut.
func (l *long) costs(start bool) map[int][]time.Duration {
	out := map[int][]time.Duration{}
	for _, a := range l.part(start) {
		if a.own > 0 {
			out[a.size>>15] = append(out[a.size>>15], a.own)
		}
	}
	return out
}

func (l *long) windows() string {
	var all [2][]time.Duration
	for i, start := range []bool{true, false} {
		for _, d := range l.costs(start) {
			all[i] = append(all[i], d...)
		}
	}
	return fmt.Sprintf("%v, %v", median(all[0]).Round(10*time.Microsecond), median(all[1]).Round(10*time.Microsecond))
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

func (l *long) size() int64 {
	fi, err := os.Stat(l.state("log", "session", "s.jsonl"))
	if err != nil {
		l.t.Fatal(err)
	}
	return fi.Size()
}
