package secret

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func TestModelErrors(t *testing.T) {
	k := testKeeper()
	cause := errors.New("incorrect key provided: sk-test-AAAA1111BBBB2222.")
	for _, fault := range []error{
		&agent.ModelError{Kind: agent.ErrAuth, Provider: "x", Status: 401, Err: cause},
		fmt.Errorf("wrapped: %w", &agent.ModelError{Kind: agent.ErrAuth, Err: cause}),
		cause,
	} {
		m := k.Model(agenttest.NewModel(agenttest.Fail(fault)))
		var got error
		for _, err := range m.Stream(t.Context(), &agent.Request{}) {
			got = err
		}
		if got == nil || strings.Contains(got.Error(), "AAAA1111") || !strings.Contains(got.Error(), "provided: [masked:OPENAI_API_KEY:") || !errors.Is(got, cause) {
			t.Errorf("%v became %v", fault, got)
		}
		if me, ok := errors.AsType[*agent.ModelError](fault); ok {
			now, ok := errors.AsType[*agent.ModelError](got)
			if !ok || now.Kind != me.Kind || now.Status != me.Status {
				t.Errorf("%v became %v", fault, got)
			}
		}
	}
	other := errors.New("no key in it")
	if got := k.cleanError(other); !errors.Is(got, other) || got.Error() != other.Error() || k.cleanError(nil) != nil {
		t.Error("changed without need")
	}
	a := &agent.Agent{Model: k.Model(agenttest.NewModel(agenttest.Say("hello"), agenttest.Say("x")))}
	events, err := agenttest.Collect(a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	if err != nil || events[len(events)-1].Stop != agent.RunEnd || a.Model.Info() != agenttest.NewModel().Info() {
		t.Errorf("%v", err)
	}
	for range a.Model.Stream(t.Context(), &agent.Request{}) {
		break
	}
}
