package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Names of the tools.
const (
	toolSave   = "memory_save"
	toolSearch = "memory_search"
	toolDelete = "memory_delete"
)

type saveArgs struct {
	Text  string   `json:"text" doc:"one thing in one or two sentences that make sense without this conversation" min:"1" max:"2000"`
	Kind  Kind     `json:"kind,omitempty" enum:"preference,command,trick,fact" doc:"preference: what the person likes; command: a command that worked; trick: how something is done; fact (default): anything else"`
	Tags  []string `json:"tags,omitempty" max:"8"`
	Scope Scope    `json:"scope,omitempty" enum:"project,user" doc:"where it holds: in this project, or wherever the person works (default for preferences)"`
}

type searchArgs struct {
	Query string `json:"query" min:"1"`
	K     int    `json:"k,omitempty" doc:"most hits, default 5" min:"1" max:"50"`
	Kind  Kind   `json:"kind,omitempty" enum:"preference,command,trick,fact"`
}

type deleteArgs struct {
	ID string `json:"id" doc:"such as p12 or u3, from memory_search or memory_save"`
}

// Tools gives memory_save, memory_search and memory_delete. Saving and deleting are Writes, so that a policy may ask.
func (s *Store) Tools() []agent.Tool {
	save := agent.NewTool(toolSave, "Remember something for later conversations: a preference of the person, a command that worked here, a trick, a fact. "+
		"Save what was hard to find out or what the person asks you to remember; never secrets, nor what the files say anyway. "+
		"Saving nearly the same again changes the earlier memory.", agent.Writes, s.toolSave)
	save.Resume = true // the same text is found again
	return []agent.Tool{
		save,
		agent.NewTool(toolSearch, "Look for what was remembered in earlier conversations, in words of any language. What it finds may be out of date.", agent.Reads, s.toolSearch),
		agent.NewTool(toolDelete, "Forget a memory that is wrong or no longer wanted.", agent.Writes, s.toolDelete),
	}
}

func (s *Store) toolSave(ctx context.Context, a saveArgs) (agent.Result, error) {
	done, err := s.Save(ctx, Draft{Text: a.Text, Kind: a.Kind, Tags: a.Tags, Scope: a.Scope})
	if err != nil {
		return failed(err)
	}
	switch {
	case done.Same:
		return s.outcome(msg.MemoryKnown, "remembered already as "+line(done.Record), done.Record), nil
	case done.Was == "":
		return s.outcome(msg.MemoryRemembered, "remembered as "+line(done.Record), done.Record), nil
	}
	return s.outcome(msg.MemoryChanged, "changed "+line(done.Record)+"\nbefore, it said: "+done.Was, done.Record), nil
}

func (s *Store) toolSearch(ctx context.Context, a searchArgs) (agent.Result, error) {
	hits, err := s.Search(ctx, Query{Text: a.Query, K: a.K, Kind: a.Kind})
	if err != nil && len(hits) == 0 {
		return failed(err)
	}
	s.notice(err)
	if len(hits) == 0 {
		return agent.TextResult("nothing is remembered about that"), nil
	}
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(line(h.Record) + "\n")
	}
	return agent.TextResult(strings.TrimSuffix(b.String(), "\n")), nil
}

func (s *Store) toolDelete(ctx context.Context, a deleteArgs) (agent.Result, error) {
	r, err := s.Delete(ctx, a.ID)
	if err != nil {
		return failed(err)
	}
	return s.outcome(msg.MemoryForgotten, "forgotten: "+line(r), r), nil
}

// outcome is a result for the model, with a line for the person.
func (s *Store) outcome(key msg.Key, result string, r Record) agent.Result {
	res := agent.TextResult(result)
	said := msg.For(s.o.Lang).Text(key, r.ID, text.Head(strings.Join(strings.Fields(r.Text), " "), shownText))
	if raw, err := agent.EncodeJSON(map[string]any{"line": said, "memory": r}); err == nil {
		res.Detail = raw
	}
	return res
}

// shownText bounds a memory in a line for the person, in characters.
const shownText = 200

// failed is a fault as the model reads it; a cancelled call stays one.
func failed(err error) (agent.Result, error) {
	if errors.Is(err, context.Canceled) {
		return agent.Result{}, err
	}
	return agent.ErrorResult(err.Error()), nil
}

// line is a memory as the model sees it: what it is and since when, and its text, further lines indented.
func line(r Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s, %s", r.ID, r.Kind, r.Scope, r.Created.Format("2006-01-02"))
	if len(r.Tags) > 0 {
		b.WriteString("; " + strings.Join(r.Tags, ", "))
	}
	b.WriteString("): " + strings.ReplaceAll(r.Text, "\n", "\n  "))
	return b.String()
}
