package mates

import (
	"context"
	"fmt"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/team"
)

// spawn makes a teammate for a lead. The same call again finds the same one.
func (m *Mates) spawn(ctx context.Context, lead, call, name string, in spawnArgs) error {
	key, err := member(name)
	if err != nil {
		return err
	}
	return m.leading(ctx, func() error {
		old, err := m.mate(ctx, key)
		if err != nil {
			return err
		}
		if old != nil && old.Key == call {
			return m.begin(ctx, key, old)
		}
		if err := m.foreign(ctx, lead); err != nil {
			return err
		}
		if err := m.led(ctx, lead); err != nil {
			return err
		}
		return m.hire(ctx, key, old, mate{Name: name, Role: in.Role, Lead: lead, Key: call}, in.Prompt)
	})
}

// hire is spawn once all but the name is settled; old is who has the name, or had it.
func (m *Mates) hire(ctx context.Context, key string, old *mate, next mate, prompt string) error {
	if err := m.vacate(ctx, key, old); err != nil {
		return err
	}
	if old != nil { // what was sent to the last one after its end
		if _, err := m.skip(ctx, key); err != nil {
			return err
		}
	}
	own, err := m.told(ctx)
	if err != nil {
		return err
	}
	next.Team = own.Name
	next.Session, err = m.o.Team.Enlist(ctx, team.Task{
		Key: next.Key, Parent: next.Lead, Name: next.Name, Title: oneLine(next.Role) + ": " + oneLine(prompt), Mate: next.Name, Role: next.Role,
		System: m.prompt(&next), Text: prompt, Tools: MateTools(), Steps: m.o.Rounds,
	})
	if err != nil {
		return err
	}
	if err := edit(ctx, m, mateKey(key), func(x *mate) error { *x = next; return nil }); err != nil {
		return err
	}
	return m.begin(ctx, key, &next)
}

// vacate sees that a name is free: one who works keeps it, one who is idle makes room. The team's file is only asked about
// those of whom nothing else is known.
func (m *Mates) vacate(ctx context.Context, key string, x *mate) error {
	m.mu.Lock()
	d := m.drivers[key]
	working := d != nil && d.working
	m.mu.Unlock()
	switch {
	case working:
		return msg.Errorf(msg.MateStatus, d.mate.Name, Working)
	case d != nil:
		d.cancel(errReplaced)
		return d.gone(ctx)
	case x != nil && x.Ended:
		return nil
	case x == nil:
		r, err := m.Team(ctx)
		i := r.find(key)
		if err != nil || i < 0 || !r.Members[i].open() {
			return err
		}
		if r.Members[i].Status == Working {
			return msg.Errorf(msg.MateStatus, r.Members[i].Name, Working)
		}
	}
	ok, err := m.retire(ctx, key, x, left)
	if err == nil && !ok {
		err = msg.Errorf(msg.MateElsewhere, key)
	}
	return err
}

// begin enters a teammate into the team's file and has it driven.
func (m *Mates) begin(ctx context.Context, key string, x *mate) error {
	if x.Ended {
		return nil
	}
	if err := m.enroll(ctx, Member{x.Name, x.Role, Working}); err != nil {
		return err
	}
	here, err := m.attend(ctx, key, x)
	if err == nil && !here {
		err = msg.Errorf(msg.MateElsewhere, x.Name)
	}
	return err
}

// prompt is what a teammate is told of itself.
func (m *Mates) prompt(x *mate) string {
	return strings.Join([]string{
		fmt.Sprintf("You are '%s', role: %s, team: %s, at work in %s.", x.Name, oneLine(x.Role), oneLine(x.Team), m.o.Root),
		"You work with a lead and other teammates, who see nothing of what you do but your messages and your files: tell the lead with send_message what you have finished, what you found, and what stops you.",
		"Messages to you stand in the conversation as JSON. Answer a shutdown_request with shutdown_response and its request_id.",
		"Before risky or large work submit a plan with plan_approval, and wait for the answer.",
		"When you have nothing to do, use idle. While you are idle, tasks of the board may be claimed for you; claim_task takes one yourself.",
	}, "\n")
}
