package command

import (
	"context"
	"fmt"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/policy"
	"react-agent/kit/profile"
)

// Profiles lists the names of the faces, the usual one first.
func Profiles() []string { return profile.Names() }

// profilesWith are the profiles that show a tool.
func profilesWith(tool string) string {
	var names []string
	for _, name := range profile.Names() {
		if p, err := profile.Load(name); err == nil && p.Shown(tool) != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Banner is the line with which a conversation begins: model, profile, and the mode unless it is the usual one. It waits for
// the end of a run; session may be "" for one that has no mode of its own.
func Banner(ctx context.Context, h *Host, session string) string {
	face, err := profile.Load(h.Profile)
	if err != nil { // an unknown one does not get this far
		face = profile.Profile{}
	}
	mode := policy.Mode(h.Config.ModeFor(face.Mode))
	if session != "" {
		if own, err := h.Mode(ctx, session, ""); err == nil { // what is wrong with it is met at the next message
			mode = own
		}
	}
	text := ""
	if mode != policy.Ask {
		text = h.Msg.Text(msg.ReplMode, mode)
		if face.Blocklist {
			text += h.Msg.Text(msg.ReplListed)
		}
	}
	missing := ""
	if h.Absent != nil {
		if err := h.Absent(ctx, session); err != nil {
			missing = "\n" + h.Msg.Text(msg.ProgramMissing, err)
		}
	}
	return hello(ctx, h, face) + h.Msg.Text(msg.ReplHello, h.ModelOf(ctx, session), h.Profile, text) + missing
}

// hello is how a face greets: with its name, the model and the tools.
func hello(ctx context.Context, h *Host, face profile.Profile) string {
	if face.Look.Hello == "" {
		return ""
	}
	a, err := h.Agent(ctx, "")
	if err != nil { // it is met again at the first message
		return ""
	}
	var names []string
	for _, t := range a.Tools {
		names = append(names, t.Shown())
	}
	return fmt.Sprintf(face.Look.Hello, h.ModelOf(ctx, ""), strings.Join(names, ", ")) + "\n"
}
