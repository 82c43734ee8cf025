package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

const (
	// GoalName is the hook's, and the From of its messages.
	GoalName = "until"
	// GoalKey is where a session keeps its [Goal].
	GoalKey = "until"

	usualRounds = 25
	// mostTalks is how often the model may only talk while the output changes: something else may be at work.
	mostTalks = 3
)

// Goal is a command that has to pass.
type Goal struct {
	Command string `json:"command,omitempty"` // "" is a goal that was given up
	Holds   bool   `json:"holds"`             // it has passed
	// Rounds counts the checks since the person spoke; Ended says how the last one ended.
	Rounds int   `json:"rounds"`
	Ended  Ended `json:"ended,omitzero"`
	// Seen is a digest of what the last check printed; Talks counts the last checks whose output moved the model to no call.
	Seen  string `json:"seen,omitempty"`
	Talks int    `json:"talks,omitempty"`
}

// GoalOf is a session's goal; false: it never had one, or gave it up.
func GoalOf(s *agent.Session) (Goal, bool) { return GoalIn(s.State) }

// GoalIn is the goal in a state, or in what an event changes of it.
func GoalIn(state map[string]json.RawMessage) (g Goal, ok bool) {
	raw, ok := state[GoalKey]
	ok = ok && json.Unmarshal(raw, &g) == nil && g.Command != ""
	return g, ok
}

// SetGoal is the state that sets a goal; "" gives it up, also one that a hook was given.
func SetGoal(command string) map[string]json.RawMessage { return Goal{Command: command}.state() }

// markOff is the data of a message that gives the goal up.
const markOff = `"off"`

// GiveUpMessage is what the person says to a session at work to give its goal up: a check that runs is the last one.
func GiveUpMessage() agent.Message {
	m := agent.TextMessage(agent.User, "/until off (the goal is given up and not checked any more)")
	m.Parts[0].Opaque = &agent.Opaque{Origin: GoalName, Data: json.RawMessage(markOff)}
	return m
}

func givesUp(m *agent.Message) bool {
	if m.Role != agent.User || len(m.Parts) == 0 {
		return false
	}
	o := m.Parts[0].Opaque
	return o != nil && o.Origin == GoalName && string(o.Data) == markOff
}

func (g Goal) state() map[string]json.RawMessage {
	raw, err := agent.EncodeJSON(g)
	if err != nil { // it is texts and numbers
		raw = json.RawMessage("null")
	}
	return map[string]json.RawMessage{GoalKey: raw}
}

// How a check can end.
const (
	EndedExit    = "exit"    // by itself, with the exit status What
	EndedKilled  = "killed"  // by the signal What
	EndedTimeout = "timeout" // it had not ended after What seconds
	EndedAsks    = "asks"    // it wanted an answer of a person
)

// Ended is how a check ended, in codes: each language says it in its own words.
type Ended struct {
	How  string `json:"how"`
	What string `json:"what,omitempty"`
}

// In says it in words, "exit status 1"; "" if there was no check.
func (e Ended) In(c msg.Catalogue) string {
	switch e.How {
	case EndedExit:
		return c.Text(msg.GoalExit, e.What)
	case EndedKilled:
		return c.Text(msg.GoalKilled, e.What)
	case EndedTimeout:
		return c.Text(msg.GoalTimeout, e.What)
	case EndedAsks:
		return c.Text(msg.GoalAsks)
	}
	return e.How
}

// Checked is what a check came to.
type Checked struct {
	Pass   bool
	Ended  Ended
	Output string // as the model may see it, cut to what it can read
}

// GoalOptions of [Until]. Check is required.
type GoalOptions struct {
	// Command is the goal of this program run, which holds anew each time the person speaks; "": there is only what
	// [SetGoal] has set.
	Command string
	// Check runs the command; an error says that it could not be run.
	Check func(ctx context.Context, command string) (Checked, error)
	// Rounds is how often a goal is checked before it is given up; 0 is 25.
	Rounds int
	// Off says of a session that nothing is checked in it now; nil: always.
	Off func(s *agent.Session) bool
	// Lang is the language of why a run ended, "zh" or "en"; empty is English. The model reads English.
	Lang string
}

// Until makes the hook of the goal loop, for one session.
func Until(o GoalOptions) agent.Hook {
	if o.Rounds <= 0 {
		o.Rounds = usualRounds
	}
	l := &loop{o: o}
	return agent.Hook{
		Name: GoalName,
		OnInput: func(_ context.Context, _ *agent.Session, m *agent.Message) error {
			l.spoke, l.off = true, givesUp(m)
			return nil
		},
		Inject: func(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
			if l.off {
				l.spoke, l.begun, l.off = false, true, false
				return &agent.Note{State: SetGoal("")}, nil
			}
			if stopping {
				return l.check(s), nil
			}
			return l.begin(s), nil
		},
	}
}

// loop is the goal loop of a session.
type loop struct {
	o     GoalOptions
	spoke bool // the person, since the last look
	begun bool // the goal of the options was set
	off   bool // the person has given the goal up
}

// begin sets the goal of the options, and begins a new count when the person has spoken.
func (l *loop) begin(s *agent.Session) *agent.Note {
	g, ok := GoalOf(s)
	spoke, first := l.spoke, !l.begun
	l.spoke, l.begun = false, true
	want := l.o.Command
	switch {
	case want != "" && first && (spoke || !ok || g.Command != want), // after a crash the count goes on
		want != "" && spoke && ok && g.Command == want:
		return &agent.Note{State: SetGoal(want)}
	case ok && !g.Holds && spoke && g.Rounds > 0:
		return &agent.Note{State: SetGoal(g.Command)}
	}
	return nil
}

// check looks whether the goal holds, now that the model has answered.
func (l *loop) check(s *agent.Session) *agent.Note {
	g, ok := GoalOf(s)
	if !ok || g.Holds || len(s.Messages) == 0 || l.o.Off != nil && l.o.Off(s) {
		return nil
	}
	last := &s.Messages[len(s.Messages)-1]
	if last.Role == agent.User || last.Role == agent.Assistant && !last.Answers() { // the run goes on
		return nil
	}
	if g.Rounds >= l.o.Rounds { // a crash came before the end
		return l.spent(g)
	}
	idle := !called(s.Messages)
	c := agent.Call{Key: s.ID + "/" + strconv.FormatInt(last.Seq, 10) + ".0", Name: GoalName}
	return &agent.Note{Later: &agent.Later{Call: c, Run: func(ctx context.Context) (*agent.Note, error) { return l.judge(ctx, g, idle) }}}
}

// called reports whether the model has called a tool since the last check.
func called(messages []agent.Message) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		switch m := &messages[i]; {
		case m.From == GoalName || m.Role == agent.User && m.From == "":
			return false
		case len(m.Calls()) > 0:
			return true
		}
	}
	return true // nobody knows: it was compacted
}

// judge runs the command and decides how to go on.
func (l *loop) judge(ctx context.Context, g Goal, idle bool) (*agent.Note, error) {
	c := msg.For(msg.Lang(l.o.Lang))
	r, err := l.o.Check(ctx, g.Command)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, l.cannot(g, err)
	}
	before := g
	g.Rounds++
	g.Ended = r.Ended
	switch {
	case r.Pass:
		g.Holds, g.Seen, g.Talks = true, "", 0
		return &agent.Note{State: g.state()}, nil
	case before.Rounds == 0 && r.Ended.How == EndedExit && (r.Ended.What == "126" || r.Ended.What == "127"): // as shells say it
		return nil, l.cannot(g, strings.TrimSpace(r.Ended.In(c)+"\n"+strings.TrimSpace(r.Output)))
	}
	g.Seen, g.Talks = digest(r), g.Talks+1
	if !idle || before.Rounds == 0 { // the first answer may well be one that only talks
		g.Talks = 0
	}
	switch {
	case g.Talks > 0 && g.Seen == before.Seen, g.Talks >= mostTalks:
		return g.end(agent.RunLoop, c.Text(msg.GoalStuck, g.Command)), nil
	case g.Rounds >= l.o.Rounds:
		return l.spent(g), nil
	}
	output := strings.TrimSpace(r.Output)
	if output == "" {
		output = "(no output)"
	}
	m := agent.TextMessage(agent.User, fmt.Sprintf("The goal does not hold yet: `%s` ended with %s (check %d of %d).\n<output>\n%s\n</output>\n"+
		"Go on until it passes, and leave the check itself as it is. What runs in the background is waited for with a call.",
		g.Command, g.Ended.In(msg.For(msg.En)), g.Rounds, l.o.Rounds, output))
	m.From = GoalName
	return &agent.Note{Messages: []agent.Message{m}, State: g.state()}, nil
}

// cannot ends a run whose goal cannot be checked.
func (l *loop) cannot(g Goal, why any) error {
	text := msg.For(msg.Lang(l.o.Lang)).Text(msg.GoalCannot, g.Command, why)
	return &agent.StopError{Stop: agent.RunError, Text: text, Cause: &agent.Error{Kind: agent.ErrConfig, Message: text}}
}

// spent ends a run whose goal was checked often enough.
func (l *loop) spent(g Goal) *agent.Note {
	return g.end(agent.RunSteps, msg.For(msg.Lang(l.o.Lang)).Text(msg.GoalRounds, g.Rounds, g.Command))
}

// end stores the goal, then stops the run.
func (g Goal) end(stop agent.RunStop, text string) *agent.Note {
	return &agent.Note{State: g.state(), Later: &agent.Later{Run: func(context.Context) (*agent.Note, error) {
		return nil, &agent.StopError{Stop: stop, Text: text}
	}}}
}

// digest is the same for two checks that say the same: times and other numbers are not looked at.
func digest(r Checked) string {
	sum := sha256.Sum256([]byte(r.Ended.How + r.Ended.What + "\n" + regexp.MustCompile(`\d+`).ReplaceAllString(r.Output, "0")))
	return hex.EncodeToString(sum[:8])
}
