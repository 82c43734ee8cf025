// Package offline is a model that is none: a fixed table of rules that recognises a few questions and answers them by
// really calling tools, in the same loop as any model. It is there to try the program without a key and to test whole
// turns without a script. It says what it is, and for a question outside of the table it says that too.
//
// A [Rule] has patterns, perhaps a command for the shell, and an answer. The last message of the person is matched
// against the rules in order. A rule with a command calls the shell tool that the request offers, whatever its name, and
// answers from the result; one without answers at once. Answers are in Chinese when the question has Chinese in it, else
// in English. Rules can be added ([New], [ParseRules]); the same question always gets the same treatment.
package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"react-agent/agent"
)

// Model answers from a table of rules. It is deterministic and safe for many runs at once.
type Model struct {
	rules []compiled
	goos  string
}

// compiled is a rule ready to match.
type compiled struct {
	Rule
	match []*regexp.Regexp
	// find, when set, recognises the question itself and gives values for the command.
	find func(text string) (map[string]string, bool)
}

// New makes the model from its own rules; those given come first. A pattern that does not compile never matches:
// [ParseRules] reports it.
func New(rules ...Rule) *Model {
	m := &Model{goos: runtime.GOOS}
	for _, r := range append(slices.Clone(rules), table()...) {
		m.rules = append(m.rules, compile(r))
	}
	return m
}

func compile(r Rule) compiled {
	c := compiled{Rule: r}
	for _, p := range r.Match {
		if re, err := regexp.Compile("(?i)" + p); err == nil {
			c.match = append(c.match, re)
		}
	}
	if r.Name == arithmetic {
		c.find = findArithmetic
	}
	return c
}

// Info says that this is the offline table.
func (m *Model) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "offline", Preset: "offline", Name: "offline-rules", Tools: true}
}

// Stream answers the last message of the person, or goes on after the results of the tools that it called.
func (m *Model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for _, c := range m.reply(req) {
			if ctx.Err() != nil {
				yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrNetwork, Provider: "offline", Err: ctx.Err()})
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (m *Model) reply(req *agent.Request) []agent.Chunk {
	question, results := last(req.Messages)
	lang := language(question)
	rule, values, ok := m.find(question)
	switch {
	case !ok:
		return say(m.help(lang))
	case len(rule.Command) == 0:
		return say(rule.answer(lang, ""))
	case len(results) > 0:
		return say(conclude(rule, lang, results[len(results)-1]))
	}
	tool, arg, found := shellOf(req.Tools)
	if !found {
		return say(text(lang, "这条规则（%s）要用命令行工具，但这里没有提供。", "The rule “%s” needs a shell tool, and none is offered here.", rule.Name))
	}
	command, ok := rule.command(m.goos, values)
	if !ok {
		return say(text(lang, "规则 %s 没有适合 %s 的命令。", "The rule “%s” has no command for %s.", rule.Name, m.goos))
	}
	return ask(tool, arg, command, text(lang, "规则“%s”命中，用命令行取得事实。", "The rule “%s” matches; the shell has the facts.", rule.Name))
}

// last gives the newest message of the person and the results that came after it.
func last(msgs []agent.Message) (question string, results []*agent.Result) {
	for _, m := range slices.Backward(msgs) {
		if m.Role == agent.User && m.From == "" {
			slices.Reverse(results)
			return m.Text(), results
		}
		if r := m.Result(); r != nil {
			results = append(results, r)
		}
	}
	return "", nil
}

func language(question string) string {
	if strings.ContainsFunc(question, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return "zh"
	}
	return "en"
}

func text(lang, zh, en string, args ...any) string {
	if lang == "zh" {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}

func (m *Model) find(question string) (compiled, map[string]string, bool) {
	for _, r := range m.rules {
		if r.find != nil {
			if values, ok := r.find(question); ok {
				return r, values, true
			}
			continue
		}
		for _, re := range r.match {
			found := re.FindStringSubmatch(question)
			if found == nil {
				continue
			}
			values := map[string]string{}
			for i, name := range re.SubexpNames() {
				if name != "" {
					values[name] = quote(found[i])
				}
			}
			return r, values, true
		}
	}
	return compiled{}, nil, false
}

// quote makes one shell word of a text from outside.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellOf finds the shell tool and the name of its argument, as this face shows them.
func shellOf(tools []agent.Tool) (t agent.Tool, arg string, ok bool) {
	for _, t := range tools {
		names := append([]string{t.Name, t.Shown()}, t.Aliases...)
		if !slices.ContainsFunc(names, func(n string) bool { return n == "bash" || n == "run_shell_command" || n == "run_command" }) {
			continue
		}
		var s struct {
			Required []string `json:"required"`
		}
		if json.Unmarshal(t.Schema, &s) != nil || len(s.Required) == 0 {
			return t, "command", true
		}
		return t, s.Required[0], true
	}
	return agent.Tool{}, "", false
}

func conclude(r compiled, lang string, res *agent.Result) string {
	output := strings.TrimSpace(res.Text())
	if res.Error {
		return text(lang, "命令没有成功：\n%s", "The command did not succeed:\n%s", output)
	}
	return r.answer(lang, output)
}

// help says what this is, what it knows, and how to get a real model.
func (m *Model) help(lang string) string {
	var names []string
	for _, r := range m.rules {
		if example := r.example(lang); example != "" {
			names = append(names, "  "+example)
		}
	}
	list := strings.Join(names, "\n")
	return text(lang,
		"我不是大模型，只是一张固定的规则表，这个问题不在表里。我能回答：\n%s\n要用真正的模型，请设置 OPENAI_API_KEY（以及 OPENAI_BASE_URL、MODEL_ID），或写 config.yaml，然后运行 react-agent run。",
		"I am no language model but a fixed table of rules, and this question is not in it. I can answer:\n%s\nFor a real model set OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL_ID) or write a config.yaml, then use react-agent run.",
		list)
}

func ask(t agent.Tool, arg, command, thought string) []agent.Chunk {
	args, err := agent.EncodeJSON(map[string]string{arg: command})
	if err != nil { // strings always encode
		args = []byte("{}")
	}
	half := len(args) / 2
	return []agent.Chunk{
		{Part: &agent.Part{Kind: agent.Thinking, Text: thought}},
		{Index: 1, Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: t.Shown()}, Text: string(args[:half])}},
		{Index: 1, Part: &agent.Part{Kind: agent.CallKind, Text: string(args[half:])}},
		{Stop: agent.StopCalls},
	}
}

// say streams a text in pieces of a few characters, as models do.
func say(s string) []agent.Chunk {
	var out []agent.Chunk
	for piece := range slices.Chunk([]rune(s), 16) {
		out = append(out, agent.Chunk{Part: &agent.Part{Kind: agent.Text, Text: string(piece)}})
	}
	return append(out, agent.Chunk{Stop: agent.StopEnd})
}
