package app

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/kit/task"
	"react-agent/kit/team"
	"react-agent/kit/team/mates"
	"react-agent/store/disk"
)

// teamDir is where a team keeps its file and its inboxes: one for all who work here, in whatever worktree.
func (p *product) teamDir() string { return filepath.Join(p.c.WorkDir, ".team") }

// matePlaces are where the team's documents and inboxes are, so that people and other programs find them.
func (p *product) matePlaces() (docs, logs []disk.Place) {
	inbox := filepath.Join(p.teamDir(), "inbox")
	return []disk.Place{{Kind: "roster", Dir: p.teamDir(), Within: p.c.WorkDir}, {Kind: "cursor", Dir: inbox, After: ".cursor.json", Within: p.c.WorkDir}},
		[]disk.Place{{Kind: "inbox", Dir: inbox, Within: p.c.WorkDir}}
}

// openMates makes the teammates of the work directory, and repairs what an earlier process has left of which nobody knows.
func (p *product) openMates(ctx context.Context) {
	server := p.face.Name == "server" // there a turn ends with its answer, and mail waits
	o := mates.Options{
		Team: p.team, Sessions: sessions{p.engine}, Do: p.between,
		Log: p.store, KV: p.store, Locks: filepath.Join(p.teamDir(), "inbox"), Board: board{p.tasks}, Root: p.c.WorkDir,
		Rounds: p.maxSteps(), Wait: !server, Trusted: p.content.Trusted(),
		Closing: func(cause error) bool { return errors.Is(cause, engine.ErrClosed) },
		Warn:    func(err error) { p.warn(msg.For(p.c.Language).Err(err)) },
	}
	if !server && p.o.Works { // a command that only writes wakes nobody: whoever works with the session does
		o.Wake = p.wakeLead
	}
	p.mates = mates.New(o)
	if !p.o.Model { // a server goes on with all of them instead
		return
	}
	if err := p.mates.Repair(ctx); err != nil {
		p.warn(msg.For(p.c.Language).Err(err))
	}
}

// between runs fn on a session between its runs.
func (p *product) between(ctx context.Context, session string, fn func(ctx context.Context, a *agent.Agent, s *agent.Session) error) error {
	return p.engine.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		return fn(ctx, a, s)
	})
}

// wakeLead tells an idle lead of its mail, and lets the model go on with it. One that runs is told by itself.
func (p *product) wakeLead(session string) { p.wakeWith(session, p.mates.Pull) }

// mateSeat is an agent's place among teammates.
func (p *product) mateSeat(s engine.Spec, child *team.Spec) *mates.Seat {
	return p.mates.Seat(&mates.Seat{Session: s.Session, Spec: child, Attended: p.o.Attended, Waiting: s.Waiting, Idle: s.Idle})
}

// asMate lets an agent that is otherwise complete be a teammate, if it is one.
func (p *product) asMate(a *agent.Agent, k *cast) {
	if !k.mates.IsMate() {
		return
	}
	a.Ask = k.mates.Ask
	a.Compact = k.mates.Compact(a.Compact)
}

// teamText is the team as list_teammates tells it.
func (p *product) teamText(ctx context.Context) (string, error) {
	r, err := p.mates.Team(ctx)
	return r.Render(), err
}

// drainInbox takes what waits for the lead.
func (p *product) drainInbox(ctx context.Context) (json.RawMessage, error) {
	list, err := p.mates.Inbox(ctx, mates.Lead, true)
	if err != nil {
		return nil, err
	}
	return agent.EncodeJSON(list)
}

// board is the board of tasks as teammates know it.
type board struct{ *task.Board }

func mateTask(t task.Task) mates.Task {
	return mates.Task{ID: t.ID, Subject: t.Subject, Description: t.Description}
}

// fitting tells of a task what fits tells.
func fitting(fits func(mates.Task) bool) func(task.Task) bool {
	return func(t task.Task) bool { return fits(mateTask(t)) }
}

// All implements [mates.Board].
func (b board) All(ctx context.Context) (all []mates.Task, err error) {
	list, _, err := b.List(ctx)
	for _, t := range list {
		all = append(all, mateTask(t))
	}
	return all, err
}

// Ready implements [mates.Board].
func (b board) Ready(ctx context.Context, fits func(mates.Task) bool) (bool, error) {
	_, ok, err := b.Board.Ready(ctx, fitting(fits))
	return ok, err
}

// Next implements [mates.Board].
func (b board) Next(ctx context.Context, owner string, fits func(mates.Task) bool) (mates.Task, bool, error) {
	t, ok, err := b.Board.Next(ctx, owner, fitting(fits))
	return mateTask(t), ok, err
}

// Held implements [mates.Board].
func (b board) Held(ctx context.Context, owner string) (held []mates.Task, err error) {
	list, _, err := b.List(ctx)
	for _, t := range list {
		if t.Owner == owner && t.Status != task.Completed {
			held = append(held, mateTask(t))
		}
	}
	return held, err
}

// Free implements [mates.Board].
func (b board) Free(ctx context.Context, owner string) (freed []mates.Task, err error) {
	list, err := b.Board.Free(ctx, owner)
	for _, t := range list {
		freed = append(freed, mateTask(t))
	}
	return freed, err
}
