package plan

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// ask puts the question until there is an answer to act on. A nil note ends the turn.
func (p *Planner) ask(ctx context.Context, session string, x Plan) (*agent.Note, error) {
	c := msg.For(msg.Lang(p.o.Lang))
	own, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if p.o.Waiting != nil {
		go p.listen(own, stop)
	}
	for n := 1; ; n++ {
		v, changes, err := question(own, c, strconv.Itoa(n))
		switch {
		case err != nil && ctx.Err() == nil && errors.Is(context.Cause(own), errSpoke):
			return nil, nil //nolint:nilnil // the turn ends, and another begins
		case err != nil:
			return nil, err
		case v == approve:
			return p.approved(x), nil
		case v == reject:
			x.Rejected = true
			return &agent.Note{State: x.state()}, nil
		case v == nobody:
			if p.o.Tell != nil && (p.o.Waiting == nil || !p.o.Waiting()) { // else the plan has its word already
				p.o.Tell(session)
			}
			return nil, nil //nolint:nilnil // the turn ends
		case changes != "":
			note := agent.Say(changes)
			return &note, nil
		}
	}
}

// question asks once; an edit without changes is none after all.
func question(ctx context.Context, c msg.Catalogue, n string) (v verdict, changes string, err error) {
	a, err := agent.AskUser(ctx, agent.Ask{
		ID: "plan" + n, Text: c.Text(msg.PlanAsk), Kind: agent.Question,
		Choices: []string{c.Text(msg.PlanApprove), c.Text(msg.PlanEdit), c.Text(msg.PlanReject)},
	})
	if err != nil {
		return v, "", err
	}
	if v, changes = read(a); v != edit || changes != "" {
		return v, changes, nil
	}
	a, err = agent.AskUser(ctx, agent.Ask{
		ID: "changes" + n, Text: c.Text(msg.PlanChanges), Kind: agent.Question,
	})
	if err != nil || strings.TrimSpace(a.Text) == "" { // back to the question
		return edit, "", err
	}
	v, changes = read(a)
	return v, changes, nil
}

// errSpoke ends a question because the person has said something else.
var errSpoke = errors.New("the person spoke")

// listen withdraws the question when the person says something that is no answer to it.
func (p *Planner) listen(ctx context.Context, withdraw context.CancelCauseFunc) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if p.o.Waiting() {
				withdraw(errSpoke)
				return
			}
		}
	}
}

type verdict int

const (
	approve verdict = iota
	reject
	edit
	nobody
)

// read takes an answer as what was meant. Words decide before the answer's allow does, except that nothing is approved
// that was not allowed; words that are none of ours are the changes that are wanted.
func read(a agent.Answer) (v verdict, changes string) {
	text := strings.TrimSpace(a.Text)
	word := strings.ToLower(strings.TrimRight(text, ".!。！"))
	rest, edits := cutEdit(text)
	switch {
	case text == agent.Nobody && !a.Allow:
		return nobody, ""
	case text == "" && a.Allow:
		return approve, ""
	case text == "", slices.Contains(noes(), word), slices.Contains(yeses(), word) && !a.Allow:
		return reject, ""
	case slices.Contains(yeses(), word):
		return approve, ""
	case edits:
		return edit, rest
	}
	return edit, text
}

func yeses() []string {
	return append(columns(msg.PlanApprove), "1", "y", "yes", "ok", "okay", "go", "go ahead", "approved", "同意", "是", "好", "好的", "可以", "行")
}

func noes() []string {
	return append(columns(msg.PlanReject), "3", "n", "no", "rejected", "cancel", "否", "不", "不行", "不要", "取消")
}

// cutEdit takes off the word that says that changes follow: on a line of its own, or with a colon or a comma behind it. A
// sentence that only begins like it is whole.
func cutEdit(text string) (rest string, ok bool) {
	for _, word := range append(columns(msg.PlanEdit), "2") {
		if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
			continue
		}
		rest = strings.TrimLeft(text[len(word):], " \t\r")
		if rest == "" || strings.IndexAny(rest, "\n:：,，") == 0 {
			return strings.TrimLeft(rest, " \t\r\n:：,，"), true
		}
	}
	return "", false
}

// columns is a text in both languages: who answers may speak another one than who was asked.
func columns(k msg.Key) []string {
	return []string{msg.For(msg.Zh).Text(k), msg.For(msg.En).Text(k)}
}

// Numbered reports whether a text is a plan: a line of it begins with the number one and goes on, as items of lists and
// headings of steps do in Chinese and English.
func Numbered(text string) bool {
	return regexp.MustCompile(`(?mi)^[\s>#*_\-|]*(?:(?:step|phase|task)\s+1\b|(?:步骤|阶段)\s*[1一]|第\s*[1一]\s*[步阶]|[(（]?1[.)、．:：）](?:[^\d\s]|[^\S\n]+\S)|(?:一[、.．]|①|1️⃣)[^\S\n]*\S)`).MatchString(text)
}

// markApprove is the data of a message that approves what waits.
const markApprove = `"approve"`

// ApproveMessage is what the person says to a session to approve the plan that waits in it; text is what was typed.
func ApproveMessage(text string) agent.Message {
	m := agent.TextMessage(agent.User, text)
	m.Parts[0].Opaque = &agent.Opaque{Origin: Name, Data: json.RawMessage(markApprove)}
	return m
}

// Waits is the plan that [ApproveMessage] would approve, "" if there is none: the one that was presented, or in plan mode the
// model's last answer, whatever it looks like.
func (p *Planner) Waits(s *agent.Session) string {
	if x := Of(s); x.Proposed != "" {
		return x.Proposed
	}
	if !p.On(s) {
		return ""
	}
	since := Of(s).Since
	for _, m := range slices.Backward(s.Messages) {
		if m.Answers() && len(m.Calls()) == 0 && m.Seq > since {
			return strings.TrimSpace(m.Text())
		}
	}
	return ""
}

// approvedBy looks for a message that approves what waits, and was not heard yet.
func (p *Planner) approvedBy(s *agent.Session) *agent.Note {
	x := Of(s)
	for _, m := range slices.Backward(s.Messages) {
		switch {
		case m.Role == agent.Assistant || m.Seq <= x.Heard:
			return nil
		case m.Role != agent.User || m.From != "" || len(m.Parts) == 0:
			continue
		}
		if o := m.Parts[0].Opaque; o != nil && o.Origin == Name && string(o.Data) == markApprove {
			x.Heard = m.Seq
			if x.Proposed = p.Waits(s); x.Proposed == "" {
				return nil
			}
			if !p.On(s) { // somebody left plan mode meanwhile: the mode stays
				x.Before = p.o.Now(s)
			}
			return p.approved(x)
		}
	}
	return nil
}
