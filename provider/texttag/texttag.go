// Package texttag lets a model that knows no tools call tools: they are described in the prompt, calls are tags in the
// text of a reply, and results are text in the history. It is a model over a model, so the history that is stored is the
// same as with any other model, and goes on with any other.
//
//	m = texttag.New(m, texttag.Options{})
//
// # Replies
//
// A reply is text with any of
//
//	<thought>…</thought>             kept apart as a thought
//	<tool_call>JSON</tool_call>      a call; there may be several
//	<final_answer>…</final_answer>   the answer
//
// The JSON is an object with name, and args or arguments; a code fence around it does not matter. Think blocks go first.
// With a call, the rest of the reply is no answer: what was said before it is kept as a thought, what follows is left out.
// The same holds for what stands around a final answer. Without any tag the whole text is the answer. What stands in code is an example and stays text. No tag is ever shown,
// however the stream is cut. Calls in the markup of models' own languages are understood as well ([wire.TextCalls]).
//
// A tag that cannot be read becomes a call that cannot be run, and so does a call of a tool that is not there: the loop
// answers it, and what is sent to the model says what was wrong. A model that does nothing else four times in a row fails
// with kind invalid_response.
//
// # Requests
//
// The tools stand behind the system prompt. A call goes back as the tag it was, its result as text that begins with
// [工具结果]. With [Options.OneText] the whole history is one text of such lines, for models that take nothing but a
// prompt; else messages stay messages, and neighbours of one role become one. A line in anybody's text that would pass for
// one of those is set in by a blank, so that a file cannot speak for the person.
package texttag

import (
	"context"
	"encoding/json"
	"iter"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Options say how the model is spoken to.
type Options struct {
	// OneText makes one text of the history.
	OneText bool
	// Lang is the language of what the prompt says about tools, and of what is said about broken tags: zh, else English.
	Lang string
	// Examples shows the model two replies. Thought and Final ask it for the tags of those names.
	Examples, Thought, Final bool
}

// MaxBroken is how many replies in a row are answered that have nothing in them but tags that lead nowhere.
const MaxBroken = 3

// New makes a model that takes tools of one that need not. It may be used by many runs at once if m may.
func New(m agent.Model, o Options) agent.Model {
	return &model{Model: m, o: o, words: wordsFor(o.Lang)}
}

type model struct {
	agent.Model
	o     Options
	words words
}

// Info is the inner model's, with tools.
func (m *model) Info() agent.ModelInfo {
	i := m.Model.Info()
	i.Tools = true
	return i
}

// Stream asks the inner model, and finds calls in what it says.
func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		if req.Choice == "none" {
			bare := *req
			bare.Tools = nil
			req = &bare
		}
		inner := m.request(req)
		r := newReply(m, req, yield)
		for c, err := range m.Model.Stream(ctx, inner) {
			if err != nil {
				r.fail(err)
				return
			}
			if r.chunk(c); r.left {
				return
			}
			if c.Stop != "" {
				r.finish(c.Stop, inner)
				return
			}
		}
		// The inner stream ended without a stop; what that means is for those around to say.
	}
}

// request is what the inner model is asked.
func (m *model) request(req *agent.Request) *agent.Request {
	inner := *req
	inner.Tools, inner.Choice = nil, ""
	if len(req.Tools) > 0 {
		inner.Schema = nil // it would leave no room for a tag
	}
	inner.System = paragraphs(req.System, m.manual(req))
	inner.Messages = m.history(req)
	return &inner
}

// broken reports whether a call leads nowhere: it could not be read, or there is no such tool.
func broken(c agent.Call, tools []agent.Tool) bool { return unreadable(c) || !offered(c.Name, tools) }

// unreadable reports whether arguments are no object.
func unreadable(c agent.Call) bool { return len(c.Args) > 0 && c.Args[0] != '{' }

// brokenRun counts the replies in a row, up to the end of the history, that led nowhere.
func brokenRun(messages []agent.Message, tools []agent.Tool) int {
	n := 0
	for i := len(messages) - 1; i >= 0; i-- {
		msg := &messages[i]
		switch {
		case msg.Role == agent.ToolRole || msg.Role == agent.User && msg.From != "":
			continue
		case msg.Role != agent.Assistant || !allBroken(msg.Calls(), tools):
			return n
		}
		n++
	}
	return n
}

func allBroken(calls []agent.Call, tools []agent.Tool) bool {
	for _, c := range calls {
		if !broken(c, tools) {
			return false
		}
	}
	return len(calls) > 0
}

var errFormat = msg.Errorf(msg.ModelTags)

// rawText is the text that an unreadable call was made of.
func rawText(c agent.Call) string {
	var s string
	if json.Unmarshal(c.Args, &s) != nil {
		return string(c.Args)
	}
	return s
}
