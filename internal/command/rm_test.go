package command

import (
	"context"
	"errors"
	"testing"

	"react-agent/engine"
	"react-agent/kit/cost"
	"react-agent/store/mem"
)

// goneEngine removes any session.
type goneEngine struct{ engine.Engine }

func (goneEngine) Delete(context.Context, string) error { return nil }

// What cannot be taken away with a session keeps nothing else from it: a new one of its name begins at nothing.
func TestRemoveGoesOnPastWhatFails(t *testing.T) {
	log, full := mem.New(), errors.New("disk full")
	if _, err := log.Append(t.Context(), "cost/s", -1, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	h := &Host{Engine: goneEngine{}, Forget: func(string) error { return full }, Meter: cost.New(cost.Options{Log: log})}
	if err := Remove(t.Context(), h, "s"); !errors.Is(err, full) {
		t.Error(err)
	}
	for rec, err := range log.Read(t.Context(), "cost/s", 0, false) {
		t.Errorf("left: %s, %v", rec.Data, err)
	}
}
