package command

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"react-agent/internal/config"
	"react-agent/internal/msg"
)

// doctorCommand says what was found, skipped or refused, where it came from and what to do about it.
func doctorCommand() Command {
	return Command{
		Name: "doctor", Help: msg.HelpDoctor, Shell: true, Lenient: true, Prose: true,
		Flags: []Flag{jsonFlag()},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			in.JSON = in.wantsJSON()
			facts := doctorFacts(ctx, h)
			if in.JSON {
				return Outcome{}, printJSON(in, map[string]any{"facts": facts})
			}
			return Outcome{}, printFacts(h, in, facts)
		},
	}
}

func doctorFacts(ctx context.Context, h *Host) []Fact {
	facts := []Fact{
		{Group: "program", Name: "version", Value: h.Options.Version},
		{Group: "program", Name: "go", Value: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH},
	}
	for _, err := range h.Problems {
		facts = append(facts, Fact{Group: "config", Name: "problem", Value: h.Msg.Err(err), Bad: true})
	}
	facts = append(facts, configFacts(h)...)
	if h.Facts != nil {
		facts = append(facts, h.Facts(ctx)...)
	}
	for _, name := range []string{"git", "rg", "python3", "node", "bwrap"} {
		f := Fact{Group: "programs", Name: name}
		path, err := exec.LookPath(name)
		if f.Value = path; err != nil {
			f.Value = h.Msg.Text(msg.DoctorAbsent)
		}
		facts = append(facts, f)
	}
	return facts
}

func configFacts(h *Host) []Fact {
	c := h.Config
	if c == nil {
		return nil
	}
	var facts []Fact
	for _, v := range c.Origins() {
		facts = append(facts, Fact{Group: "config", Name: v.Key, Value: v.Value, Origin: v.Origin.In(h.Msg)})
	}
	for _, i := range c.Ignored {
		facts = append(facts, Fact{Group: "config", Name: i.Key, Value: h.Msg.Err(i.Reason), Origin: i.Origin.In(h.Msg), Bad: true})
	}
	for _, s := range c.SecretEnv() {
		name := s.Name
		if name == "" {
			name = "api_key"
		}
		facts = append(facts, Fact{Group: "keys", Name: name, Value: mask(s.Value)})
	}
	if err := c.Ready(); err != nil {
		unread := slices.ContainsFunc(h.Problems, func(err error) bool { // settings that were left out may name the model
			_, ok := errors.AsType[config.ProblemsError](err)
			return ok
		})
		facts = append(facts, Fact{Group: "model", Name: "ready", Value: h.Msg.Err(err), Bad: !unread})
	}
	return facts
}

// mask shows that a key is there, and enough of a long one to tell two apart.
func mask(key string) string {
	if len(key) < 16 {
		return "****"
	}
	return key[:3] + "…" + key[len(key)-2:]
}

func printFacts(h *Host, in Input, facts []Fact) error {
	group, bad, remarks := "", 0, 0
	for _, f := range facts {
		if f.Group != group {
			group = f.Group
			if err := in.printf("%s\n", h.Msg.Fact(group)); err != nil {
				return err
			}
		}
		mark := " "
		switch { // whatever asks for something to be done is marked and counted
		case f.Bad:
			mark, bad = "!", bad+1
		case f.Fix != "":
			mark, remarks = "~", remarks+1
		}
		name := f.Name
		if strings.Contains(name, " ") { // words; one word is the name of something
			name = h.Msg.Fact(name)
		}
		line := mark + " " + name + ": " + f.Value
		if f.Origin != "" {
			line += "  (" + f.Origin + ")"
		}
		if f.Fix != "" {
			line += "  -> " + f.Fix
		}
		if err := in.printf("%s\n", strings.ReplaceAll(line, "\n", "\n    ")); err != nil {
			return err
		}
	}
	return in.printf("%s\n", h.Msg.Text(msg.DoctorTotal, bad, remarks))
}
