package mates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/store"
)

// rosterKey is the document that .team/config.json is.
const rosterKey = "roster/config"

// Status is how a member stands.
type Status string

// The three of them.
const (
	Working  Status = "working"
	Idle     Status = "idle"
	Shutdown Status = "shutdown"
)

// Member is a teammate, as .team/config.json has it.
type Member struct {
	Name   string `json:"name"`
	Role   string `json:"role"`
	Status Status `json:"status"`
}

// open reports whether a member may still do something.
func (m Member) open() bool { return m.Status == Working || m.Status == Idle }

// Roster is the team.
type Roster struct {
	Name    string   `json:"team_name"`
	Members []Member `json:"members"`
}

// usualName is that of a team to which nobody has given one.
const usualName = "default"

// Team gives the team as its file has it. Without a file it is named default and has no members.
func (m *Mates) Team(ctx context.Context) (Roster, error) {
	var r Roster
	_, err := m.load(ctx, rosterKey, &r)
	return r.whole(), err
}

func (r Roster) whole() Roster {
	if r.Name == "" {
		r.Name = usualName
	}
	if r.Members == nil {
		r.Members = []Member{}
	}
	return r
}

// find gives the index of a member, -1 if there is none.
func (r Roster) find(key string) int {
	return slices.IndexFunc(r.Members, func(x Member) bool { return strings.EqualFold(x.Name, key) })
}

// NoTeam is what stands for a team without members.
const NoTeam = "No teammates."

// Render is the team as the model reads it.
func (r Roster) Render() string {
	if len(r.Members) == 0 {
		return NoTeam
	}
	lines := []string{"Team: " + oneLine(r.Name)}
	for _, x := range r.Members {
		lines = append(lines, fmt.Sprintf("  %s (%s): %s", oneLine(x.Name), oneLine(x.Role), oneLine(string(x.Status))))
	}
	return strings.Join(lines, "\n")
}

// oneLine is a text that cannot be taken for several lines.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// enroll puts a member into the file, or changes it.
func (m *Mates) enroll(ctx context.Context, x Member) error {
	return m.roster(ctx, func(r *Roster) error {
		if i := r.find(x.Name); i >= 0 {
			if r.Members[i] == x {
				return store.ErrSame
			}
			r.Members[i] = x
			return nil
		}
		r.Members = append(r.Members, x)
		return nil
	})
}

// stand notes how a member stands. One that is not in the file any more stays out.
func (m *Mates) stand(ctx context.Context, key string, s Status) error {
	err := m.roster(ctx, func(r *Roster) error {
		i := r.find(key)
		if i < 0 || r.Members[i].Status == s {
			return store.ErrSame
		}
		r.Members[i].Status = s
		return nil
	})
	m.bell.Ring()
	return err
}

func (m *Mates) roster(ctx context.Context, fn func(r *Roster) error) error {
	return edit(ctx, m, rosterKey, func(r *Roster) error {
		*r = r.whole()
		return fn(r)
	})
}

// mate says which session a member is. It is written before the member begins.
type mate struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Lead    string `json:"lead"`    // the lead's session
	Session string `json:"session"` // its own
	Key     string `json:"key"`     // of the call that has spawned it
	Team    string `json:"team"`
	// Ended says that it comes to nothing more.
	Ended bool `json:"ended,omitempty"`
}

func mateKey(key string) string { return "mate/" + key }

// mate gives what a name stands for; nil: nobody has it.
func (m *Mates) mate(ctx context.Context, key string) (*mate, error) {
	var x mate
	rev, err := m.load(ctx, mateKey(key), &x)
	if rev == 0 {
		return nil, err
	}
	return &x, err
}

// mates lists all who were ever spawned, by the spelling of their names that files have.
func (m *Mates) mates(ctx context.Context) (map[string]mate, error) {
	list, broken, err := all[mate](ctx, m, "mate")
	return list, errors.Join(broken, err)
}

// openLead tells whose team is open: the session of the lead, "" when nobody's is.
func (m *Mates) openLead(ctx context.Context) (string, error) {
	all, err := m.mates(ctx)
	if err != nil {
		return "", err
	}
	for _, x := range all {
		if !x.Ended {
			return x.Lead, nil
		}
	}
	return "", nil
}

// foreign is an error for a session that is not the lead of an open team.
func (m *Mates) foreign(ctx context.Context, session string) error {
	lead, err := m.openLead(ctx)
	if err == nil && lead != "" && lead != session {
		err = msg.Errorf(msg.MateForeign, lead)
	}
	return err
}
