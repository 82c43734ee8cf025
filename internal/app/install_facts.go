package app

import (
	"context"
	"strings"

	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/kit/skill/install"
)

// installFacts are what doctor says of installed skills: those that are not as they were installed, and lock files that
// cannot be read.
func (p *product) installFacts(ctx context.Context) []command.Fact {
	c := p.host.Msg
	store := install.Store{Places: p.installPlaces(p.c.WorkDir)}
	states, err := store.States(ctx)
	var facts []command.Fact
	if users := p.shippedUsers(); users != nil {
		facts = append(facts, command.Fact{
			Group: "skills", Name: "shipped", Value: strings.Join(shippedNames(), ", "), Origin: c.Text(msg.SkillUnused, p.face.Name, strings.Join(users, ", ")),
		})
	}
	if err != nil {
		facts = append(facts, command.Fact{Group: "skills", Name: "skills-lock", Value: c.Err(err), Bad: true})
	}
	for i := range states {
		st := &states[i]
		f := command.Fact{Group: "skills", Name: st.Name, Origin: st.Place.Lock}
		switch st.Status {
		case install.Modified:
			f.Value = c.Text(msg.InstallDoctorModified, strings.Join(st.Changed, ", "))
			if len(st.Changed) == 0 {
				f.Value = c.Text(msg.InstallDoctorModified, c.Err(st.Reason))
			}
			f.Fix = c.Text(msg.InstallDoctorFix, st.Name)
		case install.Missing:
			f.Value, f.Bad, f.Fix = c.Text(msg.InstallMissing), true, c.Text(msg.InstallDoctorFix, st.Name)
		case install.Intact, install.Linked:
			continue
		}
		facts = append(facts, f)
	}
	return facts
}
