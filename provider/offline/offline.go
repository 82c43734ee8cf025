// Package offline is a model that is none: a fixed table of rules that recognises a few questions and answers them by
// really calling tools, in the same loop as any model. It is there to try the program without a key and to test whole
// turns without a script. It says what it is, and for a question outside of the table it says that too.
//
// A [Rule] has patterns, perhaps something to do, and an answer. The last message of the person is matched against the
// rules in order. A rule with an action calls the tool for it that the request offers, whatever its name there, and answers
// from the result; one without answers at once. Answers are in Chinese when the question has Chinese in it, in English when
// it has other words, and when it has none, as in /now or 1+1, in the language that was set.
//
// Rules may belong to skills, which bring them along. Then the model goes about it as any model does: it lists the skills,
// reads those that it needs in one reply, does what their rules say, and answers. The rules of several skills combine: a
// rule whose answer has {before} in it works on what the others answer, so that weather and translation give one text.
// An [Agent] speaks for a sub-agent that it knows by its system prompt.
//
// Nothing is remembered from one request to the next: what has been done is read off the conversation, so the same
// conversation always goes on in the same way, also after a crash.
package offline

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"react-agent/agent"
)

// Model answers from a table of rules. It is deterministic and safe for many runs at once.
type Model struct {
	rules  []compiled
	voices []voice
	goos   string
	lang   string
}

// Lines are rules that are added to the table.
type Lines struct {
	Rules  []Rule
	Agents []Agent
	// Lang is the language for questions without words: zh, or else English.
	Lang string
}

// New makes the model from its own rules; those given come first. An expression that does not compile never matches: who
// reads rules from a file reports it.
func New(more Lines) *Model {
	m := &Model{goos: runtime.GOOS, lang: "en", voices: voices(more.Agents)}
	if more.Lang == "zh" {
		m.lang = "zh"
	}
	for _, r := range append(slices.Clone(more.Rules), table()...) {
		c := compile(r)
		if r.Skill == "" && r.Name == arithmetic {
			c.find = findArithmetic
		}
		m.rules = append(m.rules, c)
	}
	return m
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
	if answer, ok := m.asAgent(req); ok {
		return say(answer)
	}
	t := turnOf(req.Messages)
	lang := language(t.question, m.lang)
	hits := m.find(t.question)
	names, _ := m.called(t.question)
	w := &walk{goos: m.goos, lang: lang, system: req.System, given: t.given, called: len(names) > 0, tools: req.Tools, rounds: t.rounds}
	if len(hits) == 0 {
		return say(m.help(w))
	}
	if !w.prepare(hits) {
		return w.next
	}
	var all []done
	for _, h := range hits {
		d, ok := w.run(h)
		if !ok {
			return w.next
		}
		all = append(all, d)
	}
	return say(answersOf(all, lang))
}

// language is that of a question's words, otherwise if it has none. Names behind a slash at its beginning are no words.
func language(question, otherwise string) string {
	if strings.ContainsFunc(question, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return "zh"
	}
	words := strings.Fields(question)
	for len(words) > 0 && strings.HasPrefix(words[0], "/") {
		words = words[1:]
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsFunc(w, unicode.IsLetter) }) {
		return "en"
	}
	return otherwise
}

func text(lang, zh, en string, args ...any) string {
	if lang == "zh" {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}

// help says what this is, what it can answer here, and how to get a real model.
func (m *Model) help(w *walk) string {
	var names []string
	for i := range m.rules {
		r := &m.rules[i]
		if example := "  " + r.Example[w.lang]; r.Example[w.lang] != "" && !slices.Contains(names, example) && w.able(r) {
			names = append(names, example)
		}
	}
	list := strings.Join(names, "\n")
	return text(w.lang,
		"我不是大模型，只是一张固定的规则表，这个问题不在表里。我能回答：\n%s\n要用真正的模型，请设置 OPENAI_API_KEY（以及 OPENAI_BASE_URL、MODEL_ID），或写 config.yaml，然后运行 react-agent run。",
		"I am no language model but a fixed table of rules, and this question is not in it. I can answer:\n%s\nFor a real model set OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL_ID) or write a config.yaml, then use react-agent run.",
		list)
}
