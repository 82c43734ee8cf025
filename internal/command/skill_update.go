package command

import (
	"context"
	"errors"

	"react-agent/internal/msg"
	"react-agent/kit/skill/install"
)

// skillUpdateCommand looks for newer versions of installed skills.
func skillUpdateCommand() Command {
	return Command{
		Name: "skill update", Args: "[NAME...]", Help: msg.HelpSkillUpdate, Shell: true, Max: -1, Lenient: true,
		Flags: []Flag{globalFlag(), loseFlag(), yesFlag(), insecureFlag(), jsonFlag()},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			in.JSON = in.wantsJSON()
			return Outcome{}, skillUpdate(ctx, h, in)
		},
	}
}

// meant are the installed skills that a command line names: with -g the person's own, else the project's; without names
// all of them.
func meant(ctx context.Context, h *Host, in Input, store *install.Store) ([]install.State, error) {
	level := install.Level("")
	if in.isSet(flagGlobal) {
		level = install.User
	}
	var out []install.State
	for _, name := range in.Args {
		st, err := store.Find(ctx, name, level)
		if err != nil {
			return nil, &UsageError{err}
		}
		out = append(out, *st)
	}
	if len(in.Args) > 0 {
		return out, nil
	}
	all, err := store.States(ctx)
	if err != nil {
		return nil, &UsageError{err}
	}
	here, err := placeFor(h, in)
	if err != nil {
		return nil, err
	}
	for _, st := range all {
		if st.Place.Level == here.Level {
			out = append(out, st)
		}
	}
	return out, nil
}

func skillUpdate(ctx context.Context, h *Host, in Input) error {
	store := skillStore(h)
	states, err := meant(ctx, h, in, store)
	if err != nil {
		return err
	}
	if len(states) == 0 && !in.JSON {
		return in.printf("%s\n", h.Msg.Text(msg.UpdateNothing))
	}
	updates, err := store.Updates(ctx, fetcher(h, in), states, in.isSet(wordForce))
	if err != nil {
		return err
	}
	var failed []error
	byPlace := map[install.Place][]install.Change{}
	var order []install.Place
	for i := range updates {
		u := &updates[i]
		if err := refuseUpdate(h, in, u); err != nil {
			return err
		}
		if u.Err != nil {
			failed = append(failed, u.Err)
			continue
		}
		p := u.Change.Place
		if byPlace[p] == nil {
			order = append(order, p)
		}
		byPlace[p] = append(byPlace[p], *u.Change)
	}
	for _, p := range order {
		if err := carryOutChanges(ctx, h, in, store, byPlace[p], func(n int) string { return h.Msg.Text(msg.UpdateQuestion, n) }); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return mistake(errors.Join(failed...))
	}
	return nil
}

// refuseUpdate says of one that it stays as it is: to programs here, to people in the error at the end, but they see what
// there would be.
func refuseUpdate(h *Host, in Input, u *install.Update) error {
	if u.Err == nil && u.Change.Blocked != nil && !in.isSet(wordForce) {
		u.Err = u.Change.Blocked
		if !in.JSON {
			return printChange(h, in, u.Change)
		}
	}
	if u.Err == nil || !in.JSON {
		return nil
	}
	return printJSON(in, installed{Name: u.State.Name, Level: string(u.State.Place.Level), Status: "failed", Error: h.Msg.Err(u.Err)})
}
