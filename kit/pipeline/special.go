package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// special makes search queries of the question before the first retrieval, and ends a run whose question cannot be worked
// on. Nothing in this file is entered when both switches are off: a run then has no special.
type special struct {
	placeholder  string
	inject, oods bool
}

func newSpecial(s *Settings) *special {
	if !s.QueryInjection && !s.OODDetection {
		return nil
	}
	return &special{placeholder: s.Placeholder, inject: s.QueryInjection, oods: s.OODDetection}
}

// wanted reports whether a block is the step with the placeholder.
func (x *special) wanted(b *Block) bool { return strings.Contains(b.Run, x.placeholder) }

// The bounds of what is asked for.
const (
	fewestQueries = 3
	mostQueries   = 5
	mostNames     = 20
)

// intake is what the sub-agent answers.
type intake struct {
	Queries     []string `json:"queries"`
	NamedPapers []string `json:"named_papers"`

	OOD           bool   `json:"ood"`
	TriggerID     int    `json:"trigger_id"`
	TriggerQuote  string `json:"trigger_quote"`
	MatchEvidence string `json:"match_evidence"`
}

// step is the step with the placeholder: a sub-agent answers, then the commands run with what it said, or the run ends.
func (x *special) step(ctx context.Context, r *run, b *Block) (*Block, error) {
	in, err := x.ask(ctx, r, b)
	if err != nil {
		return nil, err
	}
	if x.oods && in.OOD {
		return x.end(ctx, r, in)
	}
	command := b.Run
	if x.inject {
		r.report.current().add("queries: %s", strings.Join(in.Queries, " | "))
		command = x.put(r, b.Run, in)
	} else {
		command = insert(command, r.shellWords())
	}
	return nil, r.perform(ctx, []action{r.filledCommands(command)})
}

// ask has a sub-agent read the question, once more if its answer makes no sense.
func (x *special) ask(ctx context.Context, r *run, b *Block) (*intake, error) {
	jobs, err := r.jobs(b)
	if err != nil {
		return nil, err
	}
	task, err := r.task(ctx, b, jobs, len(jobs)-1)
	if err != nil {
		return nil, err
	}
	task.Text += x.wants()
	for try := 1; ; try++ {
		said, err := r.have(ctx, b, task)
		if err != nil {
			return nil, err
		}
		r.log.info("intake", "reply", said)
		in, err := x.read(said)
		if err == nil {
			return in, nil
		}
		if try == 2 {
			return nil, stopped("the sub-agent of step %q gave no search queries, twice: %v\n%s", b.Step, err, said)
		}
		task.ID += "-again"
		task.Text += fmt.Sprintf("\nAn earlier answer was of no use: %v\n", err)
	}
}

// wants says what the answer has to be.
func (x *special) wants() string {
	var s strings.Builder
	s.WriteString("\nAnswer with one JSON object and nothing else.\n")
	if x.inject {
		fmt.Fprintf(&s, "{\"queries\": [four search queries, %d to %d are allowed: the broad area; the method; the closest problem; one in the "+
			"words of those who have solved it already], \"named_papers\": [titles that the question names], \"domain_hints\": [], \"venue_hints\": []}\n",
			fewestQueries, mostQueries)
	}
	if x.oods {
		s.WriteString("If the question cannot be worked on, answer instead {\"ood\": true, \"trigger_id\": 1 if it is too broad, 2 if it has no " +
			"anchor (no domain, task, data or baseline), \"trigger_quote\": words of the question, \"match_evidence\": why}\n")
	}
	return s.String()
}

// read takes the answer apart. It is parsed, not searched: a text that only speaks of ood is none.
func (x *special) read(reply string) (*intake, error) {
	raw, ok := findJSON(reply)
	if !ok {
		return nil, errors.New("there is no JSON object in it")
	}
	var in intake
	if err := json.Unmarshal([]byte(raw), &in); err != nil {
		return nil, fmt.Errorf("its JSON has another shape: %w", err)
	}
	if x.oods && in.OOD {
		if in.TriggerID != 1 && in.TriggerID != 2 {
			return nil, errors.New("trigger_id must be 1 or 2")
		}
		return &in, nil
	}
	in.Queries = one(in.Queries, mostQueries)
	in.NamedPapers = one(in.NamedPapers, mostNames)
	if x.inject && len(in.Queries) < fewestQueries {
		return nil, fmt.Errorf("it has %d queries, at least %d are needed", len(in.Queries), fewestQueries)
	}
	return &in, nil
}

// one cleans texts that will be joined with a bar, and drops those that are empty or there already.
func one(list []string, most int) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		s = CleanQuery(strings.ReplaceAll(s, "|", " "))
		if s != "" && !seen[s] && len(out) < most {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// put writes the queries and the titles into the commands.
func (x *special) put(r *run, command string, in *intake) string {
	titles := regexp.MustCompile(`[ \t]*--named-papers(?:[ \t]+|=)("[^"\n]*"|'[^'\n]*'|[^\s"']+)`)
	const mark = "\x01titles\x01" // stands for the titles until everything is quoted
	command = strings.NewReplacer("\x01", "").Replace(command)
	command = titles.ReplaceAllStringFunc(command, func(string) string {
		if len(in.NamedPapers) == 0 {
			return ""
		}
		return " --named-papers " + mark
	})
	words := r.shellWords()
	words[x.placeholder] = tame(in.Queries)
	words[mark] = tame(in.NamedPapers)
	return insert(command, words)
}

// end writes what a run leaves whose question cannot be worked on.
func (x *special) end(ctx context.Context, r *run, in *intake) (*Block, error) {
	c := r.msg()
	reason, remedy := c.Text(msg.PipelineTooBroad), []string{c.Text(msg.PipelineNarrow)}
	if in.TriggerID == 2 {
		reason, remedy = c.Text(msg.PipelineNoAnchor), []string{c.Text(msg.PipelineNameAnchors)}
	}
	data, err := agent.EncodeJSON(map[string]any{
		"state": "do_not_generate",
		"ood_reasons": []map[string]any{{
			"trigger_id": in.TriggerID, "reason": reason, "trigger_quote": in.TriggerQuote, "match_evidence": in.MatchEvidence,
		}},
		"remedial_steps": remedy,
	})
	if err != nil {
		return nil, err
	}
	page := fmt.Sprintf("# do_not_generate\n\n%s\n\n> %s\n\n%s\n\n- %s\n", reason, in.TriggerQuote, in.MatchEvidence, strings.Join(remedy, "\n- "))
	for name, content := range map[string]string{"phase1/phase1_output.json": string(data) + "\n", "do_not_generate.md": page} {
		t, _, err := r.paths.target(name, false)
		if err == nil {
			err = r.write(ctx, t, content)
		}
		if err != nil {
			return nil, stopped("%w", err)
		}
	}
	r.report.current().tell(reason, "out of scope (%d): phase1/phase1_output.json, do_not_generate.md", in.TriggerID)
	return &Block{State: "do_not_generate", Step: reason, Type: Terminal, Notes: "do_not_generate.md"}, nil
}
