//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
)

// A pipeline whose process is killed in the middle of each of its phases goes on in the same folder, with the step that was
// under way; what was done is not done again, and no sub-agent works twice.
func TestPipelineKilledInEachPhase(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	t.Parallel()
	g := newRig(t, "")
	g.extra = []string{"REACT_AGENT_DURABILITY=process"}
	face := []string{"--profile", "classic", "--api", "offline"}
	l := g.start(nil, append(face, "--session", "s", "/idea-spark 智能体方向")...)
	for phase := range 5 {
		begins := regexp.MustCompile(fmt.Sprintf(`^\[\d+\] Phase %d `, phase))
		for {
			e, ok := l.next()
			if !ok {
				t.Fatalf("the run ended before phase %d: %s", phase, l.errs.String())
			}
			if e.Type == agent.EvProgress && begins.MatchString(e.Text) {
				break
			}
		}
		if err := l.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if code := l.wait(); code != -1 {
			t.Fatalf("exit %d in phase %d", code, phase)
		}
		l = g.start(nil, append(face, "--resume", "s")...)
	}
	if code := l.play(); code != 0 {
		t.Fatalf("exit %d: %s", code, l.errs.String())
	}
	g.check()
	calls, results := 0, ""
	for _, e := range g.decode(g.log()) {
		if e.Type == agent.EvCall {
			calls++
		}
		if e.Type == agent.EvMessage {
			if r := e.Message.Result(); r != nil {
				results += r.Text()
			}
		}
	}
	if calls != 1 || !strings.HasPrefix(results, "pipeline idea-spark: DONE\nrun folder: skill_run/idea-spark/zhi-neng-ti-fang-xiang\n") {
		t.Errorf("%d calls, %s", calls, results)
	}
	runs, err := os.ReadDir(g.work("skill_run", "idea-spark"))
	if err != nil || len(runs) != 2 || runs[1].Name() != "zhi-neng-ti-fang-xiang" { // the other one is the log
		t.Errorf("%v %v", runs, err)
	}
	children, err := filepath.Glob(g.state("log", "session", "s.*.jsonl"))
	if slices.Sort(children); err != nil || len(slices.DeleteFunc(children, func(f string) bool { return filepath.Base(f) == "s.jsonl" })) != 8 {
		t.Errorf("%d sub-agents: %v %v", len(children), children, err)
	}
	data, err := os.ReadFile(g.work("skill_run", "idea-spark", "pipeline.log"))
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, m := range regexp.MustCompile(`msg="step done" n=(\d+) `).FindAllStringSubmatch(string(data), -1) {
		done = append(done, m[1])
	}
	if got := strings.Join(done, " "); got != "1 2 3 4 5 6 7 8 9 10 11 12" {
		t.Errorf("steps that were done: %s", got)
	}
}
