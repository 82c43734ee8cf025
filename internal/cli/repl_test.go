package cli

import (
	"strings"
	"testing"

	"react-agent/agent"
)

// What is taken for quiet shows nothing, and the other way round: else a prompt, or what was typed, is printed once more for
// nothing, or not where it has to be.
func TestQuietEvents(t *testing.T) {
	trim := &agent.Trim{Before: 1000, After: 10}
	for name, e := range map[string]agent.Event{
		"a compaction of a command": {Type: agent.EvCompact, Trim: trim},
		"a compaction of a run":     {Type: agent.EvCompact, Trim: trim, Run: "1"},
		"a step":                    {Type: agent.EvStep, Text: "model"},
		"a notice":                  {Type: agent.EvNotice, Text: "look"},
		"a state":                   {Type: agent.EvState},
		"what the person said":      {Type: agent.EvMessage, Message: &agent.Message{Role: agent.User, Parts: []agent.Part{agent.TextPart("hi")}}},
	} {
		var shown strings.Builder
		v := &textView{out: &shown, err: &shown, live: true}
		if err := v.event(e, newFollower("s")); err != nil {
			t.Fatal(err)
		}
		if quiet := quietEvent(e); quiet != (shown.Len() == 0) {
			t.Errorf("%s: quiet is %t, but it shows %q", name, quiet, shown.String())
		}
	}
}
