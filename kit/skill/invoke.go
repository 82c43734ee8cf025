package skill

import (
	"context"
	"fmt"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Invoke renders a skill for a person who called it by name, whether or not the menu shows it: the note has one message
// from [Name] and the State by which the session remembers it. Header.Fork is for the caller to see to. sess is only read,
// and must not be running. The error names the skills that a person may call.
func (s *Set) Invoke(ctx context.Context, sess *agent.Session, name, args string) (agent.Note, error) {
	k, ok := s.Find(name)
	if !ok {
		return agent.Note{}, msg.Errorf(msg.SkillUnknown, name, s.menu())
	}
	_, note, err := s.render(ctx, sess, k, args, 0)
	return note, err
}

// render gives a skill's text as it enters, or a word about the one that stands in the conversation, and as a note.
func (s *Set) render(ctx context.Context, sess *agent.Session, k *Skill, args string, nth int) (string, agent.Note, error) {
	r := render{set: s, skill: k, session: sess.ID, args: args, live: sess}
	text, err := r.whole(ctx)
	if err != nil {
		return "", agent.Note{}, err
	}
	inv := k.invocation(text, spot{seq: sess.Seq + 1, nth: nth})
	for _, old := range Invoked(sess) {
		if old.Hash == inv.Hash && NormalizeSkillName(old.Name) == k.key && old.present(sess) {
			text = fmt.Sprintf(Lean().Again, k.Name)
		}
	}
	note := noteOf(text)
	note.State = inv.state()
	return text, note, nil
}

// menu lists the names that a person may call.
func (s *Set) menu() string {
	return names(s.ForUser())
}
