//go:build unix

package job

import (
	"context"
	"strings"
	"testing"

	"react-agent/agent"
)

// others are one thing in the background that is no job.
type others struct{ seconds int }

func (o *others) Check(_ context.Context, _ agent.Call, id string, seconds int, _ func() bool) (agent.Result, bool) {
	o.seconds = seconds
	return agent.TextResult("[running] " + id), id == "explore-1"
}

func (o *others) Lines(context.Context, agent.Call) []string {
	return []string{"explore-1: [running] look around"}
}

func TestOthersAnswerForTheirIDs(t *testing.T) {
	o := &others{}
	j := newHome(t).open(func(opt *Options) { opt.Others = o })
	if got := call(t, j, toolCheck, "s/1.1", m{"task_id": "explore-1", "wait": 7}); got.Text() != "[running] explore-1" || o.seconds != 7 {
		t.Errorf("%q, %d s", got.Text(), o.seconds)
	}
	if got := call(t, j, toolCheck, "s/1.2", m{"task_id": "explore-2"}); !got.Error || !strings.Contains(got.Text(), "explore-2") {
		t.Errorf("%+v", got)
	}
	if got := call(t, j, toolCheck, "s/1.3", m{}); got.Text() != "explore-1: [running] look around" {
		t.Errorf("%q", got.Text())
	}
}
