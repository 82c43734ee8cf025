package tool

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/msg"
)

//go:embed ask_user.md
var askDoc string

// AskUserName is the tool's name.
const AskUserName = "ask_user"

type askArgs struct {
	Question string      `json:"question" min:"1"`
	Choices  []askChoice `json:"choices,omitempty" max:"20" doc:"ready answers, each a text or a label with a description; without them the person writes one"`
	FreeText *bool       `json:"free_text,omitempty" doc:"the person may write something else than a choice; default true"`
}

type askChoice struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// askItem is the schema of a choice.
const askItem = `{"anyOf":[{"type":"string"},{"type":"object","properties":{"label":{"type":"string"},"description":{"type":"string"}},"required":["label"]}]}`

// UnmarshalJSON takes a text, which models like to write, as a label.
func (c *askChoice) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte{'"'}) {
		return json.Unmarshal(raw, &c.Label)
	}
	type plain askChoice
	return json.Unmarshal(raw, (*plain)(c))
}

// shown is a choice in one line, as front ends offer it.
func (c askChoice) shown() string {
	label, about := oneLine(c.Label), oneLine(c.Description)
	if about == "" {
		return label
	}
	return label + " — " + about
}

// AskUser makes the tool that asks the person: over [agent.AskUser], so question and answer are in the log, and a call
// that a crash has cut is asked again under the same id. Where nobody is there the model is told so; nothing is refused.
func AskUser(e Env) agent.Tool {
	e = e.withDefaults()
	t := agent.NewTool(AskUserName, strings.TrimSpace(askDoc), agent.Reads,
		func(ctx context.Context, a askArgs) (agent.Result, error) { return e.askUser(ctx, a) })
	t.Resume = true
	t.Check = checkAsk
	t.Schema = bytes.Replace(t.Schema, []byte(`"items":{}`), []byte(`"items":`+askItem), 1)
	return t
}

// maxQuestion is how many characters a question may have: it stands above a prompt, or on a card.
const maxQuestion = 16_000

// maxChoice is the same for one of its choices; all of them have to fit into one record of the log.
const maxChoice = 2000

// checkAsk looks beyond the schema: a question that says something, and choices that can be told apart.
func checkAsk(raw json.RawMessage) error {
	var a askArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if strings.TrimSpace(a.Question) == "" {
		fault("question: it is empty")
	}
	if n := utf8.RuneCountInString(a.Question); n > maxQuestion {
		fault("question: it has %d characters, a person reads %d at most: say the rest before you ask", n, maxQuestion)
	}
	seen := map[string]int{}
	for i, c := range a.Choices {
		if n := utf8.RuneCountInString(c.shown()); n > maxChoice {
			fault("choices[%d]: it has %d characters, a person reads %d at most: say the rest before you ask", i, n, maxChoice)
		}
		label := strings.ToLower(oneLine(c.Label))
		if label == "" {
			fault("choices[%d].label: it is empty", i)
			continue
		}
		if first, there := seen[label]; there {
			fault("choices[%d].label: it is the same as that of choices[%d]", i, first)
			continue
		}
		seen[label] = i
	}
	if len(a.Choices) == 0 && a.FreeText != nil && !*a.FreeText {
		fault("free_text: without choices it cannot be false")
	}
	return errors.Join(faults...)
}

// askTries is how often the person is asked when the answer is none of the choices and has to be.
const askTries = 3

func (e Env) askUser(ctx context.Context, a askArgs) (agent.Result, error) {
	say := msg.For(msg.Lang(e.Lang))
	q := agent.Ask{Text: strings.TrimSpace(a.Question), Kind: agent.Question}
	for _, c := range a.Choices {
		q.Choices = append(q.Choices, c.shown())
	}
	free := a.FreeText == nil || *a.FreeText
	if !free {
		q.Kind = agent.Selection
	}
	text := ""
	for try := range askTries {
		if try > 0 {
			q.Text = say.Text(msg.AskNoChoice, oneLine(text)) + "\n" + strings.TrimSpace(a.Question)
		}
		ans, err := e.ask(ctx, q)
		if err != nil {
			return agent.Result{}, err
		}
		text = strings.TrimSpace(ans.Text)
		switch {
		case !ans.Allow && text == agent.Nobody:
			return agent.TextResult("Nobody is there to answer. Go on with your best judgement, and say in your answer what you assumed."), nil
		case text == "" && ans.Allow:
			text = "yes"
		case text == "":
			return agent.TextResult("The person gave no answer. Go on with your best judgement, and say in your answer what you assumed."), nil
		}
		if i := chosen(a.Choices, text); i >= 0 {
			label := oneLine(a.Choices[i].Label)
			return e.answered("The person chose: "+label, say.Text(msg.AskChose, label)), nil
		}
		if free {
			return e.answered("The person answered: "+text, say.Text(msg.AskSaid, oneLine(text))), nil
		}
	}
	return agent.TextResult("The person answered with none of the choices: " + text), nil
}

// answered is a result with its own line on the screen.
func (e Env) answered(text, line string) agent.Result {
	r := e.masked(agent.TextResult(text))
	if raw, err := agent.EncodeJSON(map[string]string{"line": line}); err == nil {
		r.Detail = raw
	}
	return r
}

// chosen finds the choice that an answer means, by its label, the whole line or its number; -1 if it is none.
func chosen(choices []askChoice, text string) int {
	said := strings.ToLower(oneLine(text))
	for i, c := range choices {
		if said == strings.ToLower(oneLine(c.Label)) || said == strings.ToLower(c.shown()) {
			return i
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(choices) {
		return n - 1
	}
	return -1
}
