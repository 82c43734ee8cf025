package command

import (
	"context"
	"fmt"
	"strings"

	"react-agent/internal/config"
	"react-agent/internal/msg"
)

// ModelList is what a session could use, and what it does use.
type ModelList struct {
	Now Listed
	// Own says that the session chose its model itself; else settings did.
	Own      bool
	Fallback []string
	// Models are those that are known of the vendor in use, Vendors all others that can be asked at once, NoKey those that
	// lack a key, NoBase those that lack an address; Local are servers of this machine and Programs commands, which need
	// neither; NoProgram are commands that are not there.
	Models                                    []Listed
	Vendors                                   []Listed
	Local, Programs, NoProgram, NoKey, NoBase []string
}

// Listed is one model, with what is known of it; 0 and nil are unknown. Fault says why it cannot be used.
type Listed struct {
	Provider, API, Model string
	Context, MaxOutput   int
	Price                string
	Fault                string
}

// modelCommand lists models, or takes another one from the next run on.
func modelCommand() Command {
	return Command{
		Name: "model", Prose: true, Args: "[[VENDOR/]NAME] [--provider VENDOR] [--api WIRE]", Help: msg.HelpModel, Slash: true, Max: 5,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			w, err := modelWanted(in.Args)
			if err != nil {
				return Outcome{}, err
			}
			if w == (config.Want{}) {
				return Outcome{}, listModels(ctx, h, in)
			}
			if err := idle(ctx, h, in.Session); err != nil {
				return Outcome{}, err
			}
			if err := h.UseModel(ctx, in.Session, w); err != nil {
				return Outcome{}, err
			}
			list, err := h.Models(ctx, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{}, in.printf("%s\n", list.Now.line(h.Msg))
		},
	}
}

// modelWanted reads the arguments: NAME, or VENDOR and NAME apart, and the flags that the command line has too.
func modelWanted(args []string) (w config.Want, err error) {
	var names []string
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		to := map[string]*string{"--provider": &w.Provider, "--api": &w.API, "--model": &w.Model}[name]
		switch {
		case to == nil && strings.HasPrefix(name, "--"):
			return w, usage(msg.ModelFlag, args[i])
		case to == nil:
			names = append(names, args[i])
			continue
		case !given && i+1 == len(args):
			return w, usage(msg.ModelFlagValue, name)
		case !given:
			i++
			value = args[i]
		}
		*to = value
	}
	if len(names) > 1 || len(names) == 1 && w.Model != "" {
		return w, usage(msg.ModelOne, strings.Join(names, " "))
	}
	if len(names) == 1 {
		w.Model = names[0]
	}
	return w, nil
}

// line is a model for the person: what it is, how large, what it costs.
func (l Listed) line(c msg.Catalogue) string {
	s := fmt.Sprintf("%s (%s, %s)", l.Model, l.Provider, l.API)
	if facts := l.facts(c); facts != "" {
		s += ": " + facts
	}
	return s
}

func (l Listed) facts(c msg.Catalogue) string {
	var facts []string
	if l.Context > 0 {
		facts = append(facts, c.Text(msg.ModelContext, round(l.Context)))
	}
	if l.MaxOutput > 0 {
		facts = append(facts, c.Text(msg.ModelOutput, round(l.MaxOutput)))
	}
	if l.Price != "" {
		facts = append(facts, l.Price)
	}
	if l.Fault != "" {
		facts = append(facts, l.Fault)
	}
	return strings.Join(facts, ", ")
}

// round writes a number of tokens as people say it: 200k, 1M.
func round(n int) string {
	switch {
	case n >= 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1_000_000), ".0") + "M"
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func listModels(ctx context.Context, h *Host, in Input) error {
	list, err := h.Models(ctx, in.Session)
	if err != nil {
		return err
	}
	c := h.Msg
	var b strings.Builder
	from := msg.ModelFromSettings
	if list.Own {
		from = msg.ModelFromSession
	}
	fmt.Fprintf(&b, "%s  [%s]\n", list.Now.line(c), c.Text(from))
	for _, f := range list.Fallback {
		fmt.Fprintf(&b, "  %s\n", c.Text(msg.ModelFallback, f))
	}
	if len(list.Models) > 0 {
		fmt.Fprintf(&b, "%s\n", c.Text(msg.ModelsOf, list.Now.Provider))
	}
	for _, m := range list.Models {
		mark := " "
		if m.Model == list.Now.Model {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, strings.TrimSuffix(m.Model+": "+m.facts(c), ": "))
	}
	if len(list.Vendors) > 0 {
		fmt.Fprintf(&b, "%s\n", c.Text(msg.ModelVendors))
	}
	for _, v := range list.Vendors {
		fmt.Fprintf(&b, "  %s\n", strings.TrimSuffix(v.Provider+"/"+v.Model+": "+v.facts(c), ": "))
	}
	for _, without := range []struct {
		key   msg.Key
		names []string
	}{{msg.ModelLocal, list.Local}, {msg.ModelPrograms, list.Programs}, {msg.ModelNoProgram, list.NoProgram}, {msg.ModelNoKey, list.NoKey}, {msg.ModelNoBase, list.NoBase}} {
		if len(without.names) > 0 {
			fmt.Fprintf(&b, "%s\n", c.Text(without.key, strings.Join(without.names, ", ")))
		}
	}
	return in.printf("%s%s\n", b.String(), c.Text(msg.ModelHow))
}
