package app

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/kit/cost"
)

func TestWhatIsRemembered(t *testing.T) {
	p := &product{dir: t.TempDir(), choices: map[string]choice{}, applied: map[string]bool{}}
	for _, id := range []string{"a", "a.1", "a.1.2", "ab", "b", "b.1"} {
		p.remember(id, choice{Model: id})
		p.apply(id)
	}
	p.unlearn(familyOf("a"))
	p.unlearn(familyOf("b.1"))
	for name, got := range map[string][]string{
		"choices": slices.Sorted(maps.Keys(p.choices)), "applied": slices.Sorted(maps.Keys(p.applied)),
	} {
		if want := []string{"ab", "b"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q are left, want %q", name, got, want)
		}
	}
}

type named struct {
	agent.Model
	name string
}

// A sub-agent's own model is the one that is open already.
func TestAModelByItsNameIsOpenedOnce(t *testing.T) {
	settings, err := config.Load(config.Source{
		Flags: map[string]string{"provider": "openai", "model": "m"}, Environ: []string{"OPENAI_API_KEY=k", "DEEPSEEK_API_KEY=k"},
		WorkDir: t.TempDir(), Vendors: vendors(nil), NoFiles: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	open := named{name: "open"}
	p := &product{c: settings, meter: cost.New(cost.Options{Prices: cost.NewTable(nil)}), models: map[choice]opened{{"deepseek", "chat", "deepseek-chat"}: {first: open}}}
	for range 2 {
		if m, err := p.modelNamed("deepseek/deepseek-chat"); err != nil || m != open {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if m, err := p.modelNamed("sonnet"); m != nil || err != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// What comes late finds the product closed: nothing is begun that nobody would wait for.
func TestNothingIsBegunOnceItIsClosed(t *testing.T) {
	p := &product{c: &config.Config{}, worlds: map[string]*world{"a": nil}, closed: true}
	if err := p.giveUp(t.Context(), "a"); err != nil || len(p.worlds) != 0 {
		t.Errorf("%v, %v", err, p.worlds)
	}
	if err := p.closeWorlds(t.Context()); err != nil {
		t.Error(err)
	}
	if w, err := p.world(t.Context(), "b"); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("%v, %v", w, err)
	}
	p.wakeWith("b", nil)
	p.waking.Wait()
}
