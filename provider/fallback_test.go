package provider_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider"
)

// sized is a model with a name and a window.
type sized struct {
	agent.Model
	name   string
	window int
}

func (s sized) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "chat", Preset: "p", Name: s.name, Context: s.window}
}

func failing(name string, window int, kind agent.ErrorKind) sized {
	return sized{agenttest.NewModel(half(name, modelErr(kind, false, 0))), name, window}
}

func TestFallbackOnlyToALargerWindow(t *testing.T) {
	for _, c := range []struct {
		first, second, third int
		want                 string
	}{
		{8, 8, 32, "third"},   // one that is no larger is passed by
		{8, 32, 64, "second"}, // the first that is
		{32, 8, 8, ""},
		{0, 32, 32, ""}, // nothing is known of the first
		{8, 0, 32, "third"},
	} {
		second, third := agenttest.NewModel(agenttest.Say("second")), agenttest.NewModel(agenttest.Say("third"))
		m := provider.Fallback(failing("first", c.first, agent.ErrContextLength), sized{second, "second", c.second}, sized{third, "third", c.third})
		_, text, _, err := collect(t.Context(), m)
		if text != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %q, %v", c, text, err)
		}
		if me, ok := errors.AsType[*agent.ModelError](err); c.want == "" && (!ok || me.Kind != agent.ErrContextLength) {
			t.Errorf("%+v: %v is not what the loop compacts at", c, err)
		}
	}
}

func TestFallbackListsEveryReason(t *testing.T) {
	var notes []string
	note := func(err *agent.ModelError, next agent.ModelInfo) string {
		notes = append(notes, string(err.Kind)+" to "+next.Name)
		return "n"
	}
	last := failing("three", 0, agent.ErrRateLimit)
	m := provider.FallbackWith(note, failing("one", 0, agent.ErrQuota), failing("two", 0, agent.ErrAuth), last)
	if m.Info().Name != "one" {
		t.Errorf("%+v", m.Info())
	}
	_, _, _, err := collect(t.Context(), m)
	me, ok := errors.AsType[*agent.ModelError](err)
	if !ok || me.Kind != agent.ErrRateLimit {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"one: quota", "two: auth", "rate_limit", "said the vendor"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said: %v", want, err)
		}
	}
	if !slices.Equal(notes, []string{"quota to two", "auth to three"}) {
		t.Errorf("%q", notes)
	}
	bare := sized{agenttest.NewModel(half("x", &agent.ModelError{Kind: agent.ErrServer})), "bare", 0}
	_, _, _, err = collect(t.Context(), provider.Fallback(failing("one", 0, agent.ErrQuota), bare))
	if err == nil || !strings.Contains(err.Error(), "before that one: quota") {
		t.Errorf("%v", err)
	}
}

// A reply that was tried twice and never names its model is still the stand-in's.
func TestFallbackSignsWhatItsVendorDoesNot(t *testing.T) {
	second := agenttest.NewModel(agenttest.Reply{Chunks: []agent.Chunk{
		{Part: &agent.Part{Kind: agent.Text, Text: "no"}, Model: "named"}, {Reset: true}, {Part: &agent.Part{Kind: agent.Text, Text: "yes"}}, {Stop: agent.StopEnd},
	}})
	b, text, _, err := collect(t.Context(), provider.Fallback(failing("one", 0, agent.ErrQuota), sized{second, "second", 0}))
	if err != nil || text != "yes" || b.Message().Model != "second" {
		t.Errorf("%q, %q wrote it, %v", text, b.Message().Model, err)
	}
	first := agenttest.NewModel(agenttest.Say("first"))
	if b, _, _, err := collect(t.Context(), provider.Fallback(sized{first, "first", 0}, sized{second, "second", 0})); err != nil || b.Message().Model == "second" {
		t.Errorf("%q, %v", b.Message().Model, err)
	}
}

// Who stops reading while a stand-in is announced asks nobody else.
func TestFallbackStopsWhenTheReaderLeaves(t *testing.T) {
	second := agenttest.NewModel(agenttest.Say("second"))
	m := provider.Fallback(failing("one", 0, agent.ErrQuota), second)
	for c := range m.Stream(t.Context(), &agent.Request{}) {
		if c.Reset {
			break
		}
	}
	if n := len(second.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
