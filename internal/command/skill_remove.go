package command

import (
	"context"

	"react-agent/internal/msg"
	"react-agent/kit/skill/install"
)

// skillRemoveCommand takes installed skills away.
func skillRemoveCommand() Command {
	return Command{
		Name: "skill remove", Args: "NAME...", Help: msg.HelpSkillRemove, Shell: true, Min: 1, Max: -1, Lenient: true,
		Flags: []Flag{globalFlag(), loseFlag(), yesFlag(), jsonFlag()},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			in.JSON = in.wantsJSON()
			return Outcome{}, skillRemove(ctx, h, in)
		},
	}
}

func skillRemove(ctx context.Context, h *Host, in Input) error {
	store := skillStore(h)
	states, err := meant(ctx, h, in, store)
	if err != nil {
		return err
	}
	for i := range states {
		if err := showRemoval(h, in, &states[i]); err != nil {
			return err
		}
	}
	if err := agreed(h, in, h.Msg.Text(msg.RemoveQuestion, len(states))); err != nil {
		return err
	}
	for i := range states {
		st := &states[i]
		if err := store.Remove(ctx, st, in.isSet(wordForce)); err != nil {
			return mistake(err)
		}
		if in.JSON {
			err = printJSON(in, installed{Name: st.Name, Level: string(st.Place.Level), Status: "removed"})
		} else {
			err = in.printf("%s\n", h.Msg.Text(msg.RemoveDone, st.Name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// showRemoval names the folders and links that would go.
func showRemoval(h *Host, in Input, st *install.State) error {
	if in.JSON {
		return nil
	}
	if err := in.printf("%s  %s\n", st.Name, h.Msg.Text(stateWord(string(st.Status)))); err != nil {
		return err
	}
	for _, path := range append(append([]string{}, st.Dirs...), st.Links...) {
		if err := in.printf("  - %s\n", shortPath(h, path)); err != nil {
			return err
		}
	}
	return nil
}
