package pipeline

import (
	"crypto/rand"
	"fmt"
	"slices"

	"react-agent/internal/shell"
)

// markName is the variable by which the processes of a run's commands are known after a crash.
const markName = "AGENT_PIPELINE_RUN"

func newMark() string { return rand.Text() }

// env is the environment of the program that says what comes next.
func (r *run) env() []string { return r.marked("next") }

// runEnv is the environment of the commands of the step under way. What earlier steps have left running on purpose has
// another mark.
func (r *run) runEnv() []string { return r.marked(fmt.Sprintf("%d.%d", r.rec.Step, r.rec.Stage)) }

func (r *run) marked(what string) []string {
	return append(slices.Clone(r.set.Env), markName+"="+r.rec.Mark+"."+what)
}

// endOrphans ends what a process that was killed has left running of this run, before the same is begun again.
func (r *run) endOrphans() {
	if r.rec.Mark == "" {
		return
	}
	for _, env := range [][]string{r.runEnv(), r.env()} {
		if n := shell.EndMarked(env[len(env)-1]); n > 0 {
			r.log.info("ended what was left of a run that was killed", "processes", n)
		}
	}
}
