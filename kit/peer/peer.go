package peer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
	"react-agent/store"
)

const (
	// Name is the hook's.
	Name = "peer"
	// ToolName is the tool's.
	ToolName = "call_agent"
	// Depth is how many calls may be above one another, over all programs.
	Depth = 3
	// Header is how a server says that a message with an id is taken once.
	Header = "Input-Id"

	most = 16     // calls of a conversation that nobody has called
	cut  = 50_000 // characters of an answer
)

// Agent is one that can be called. URL is where another program serves it, "" = it is this program's.
type Agent struct {
	Name, About string
	URL, Token  string
}

// Options are what calls are made with. HTTP and KV are needed.
type Options struct {
	// HTTP gives the client that requests are made with: one that follows no redirect to another host.
	HTTP func() (*http.Client, error)
	// KV keeps which calls were begun.
	KV store.KV
	// Closing reports whether a run ends with this cause because the program does. nil: never.
	Closing func(cause error) bool
	// Warn tells the person of something that does not keep anything from going on. nil: nobody is told.
	Warn func(err error)
}

// Peers makes calls. It is safe for concurrent use.
type Peers struct{ o Options }

// New makes one. Nothing is reached before the first call.
func New(o Options) *Peers {
	if o.Closing == nil {
		o.Closing = func(error) bool { return false }
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Peers{o: o}
}

// Local has an agent of this program do what a call asks for: c is the call of the tool, with its key.
type Local func(ctx context.Context, c agent.Call, name, prompt string) (agent.Result, error)

type args struct {
	Agent  string `json:"agent"`
	Prompt string `json:"prompt" doc:"all it needs to know: it sees nothing of this conversation"`
}

// Tool is call_agent for these agents. It is a Resume tool: a call that is run again finds its own work. What an agent of
// another program does there nobody judges here, so with one of those in the list the tool counts as one that executes.
func (p *Peers) Tool(agents []Agent, local Local) agent.Tool {
	effect, names := agent.Reads, make([]string, 0, len(agents))
	doc := []string{"Have another agent do a piece of work, and get its answer. The agents are:"}
	for _, a := range agents {
		if a.URL != "" {
			effect = agent.Executes
		}
		names = append(names, a.Name)
		doc = append(doc, strings.TrimSuffix("- "+a.Name+": "+strings.Join(strings.Fields(a.About), " "), ": "))
	}
	t := agent.NewCallTool(ToolName, strings.Join(doc, "\n"), effect, func(ctx context.Context, c agent.Call, in args) (agent.Result, error) {
		i := slices.IndexFunc(agents, func(a Agent) bool { return a.Name == in.Agent })
		switch {
		case i < 0:
			return agent.ErrorResult(fmt.Sprintf("there is no agent %q; the agents are: %s", in.Agent, strings.Join(names, ", "))), nil
		case strings.TrimSpace(in.Prompt) == "":
			return agent.ErrorResult("the prompt is empty: say what the agent is to do"), nil
		case agents[i].URL == "":
			return local(ctx, c, in.Agent, in.Prompt)
		}
		return p.call(ctx, agents[i], c, in.Prompt)
	})
	t.Resume, t.Shared = true, true
	t.Schema = withEnum(t.Schema, names)
	return t
}

// withEnum lists the names of the agents in the schema.
func withEnum(schema []byte, names []string) []byte {
	list, err := agent.EncodeJSON(names)
	if err != nil { // texts always encode
		return schema
	}
	from := `"agent":{"type":"string"`
	return []byte(strings.Replace(string(schema), from, from+`,"enum":`+string(list), 1))
}

// Reasons for the model.
const (
	textTooDeep = "refused: agents may call each other %d deep, and you are there. Do the work yourself with the tools you have."
	textTooMany = "refused: %d calls to agents of other programs were made for this request already, that is the limit. Do the rest yourself, or answer with what you have."
	textSilent  = "(no answer)"
)

// call has an agent of another program do the work.
func (p *Peers) call(ctx context.Context, a Agent, c agent.Call, prompt string) (agent.Result, error) {
	session, _, _ := strings.Cut(c.Key, "/")
	above := above(session)
	if above >= Depth {
		return agent.ErrorResult(fmt.Sprintf(textTooDeep, Depth)), nil
	}
	limit := max(1, most>>(2*above))
	id, again, err := p.enter(ctx, rootOf(session), c.Key, limit)
	if errors.Is(err, errTooMany) {
		return agent.ErrorResult(fmt.Sprintf(textTooMany, limit)), nil
	}
	if err != nil {
		return agent.Result{}, err
	}
	client, err := p.o.HTTP()
	if err != nil {
		return agent.Result{}, err
	}
	t := &talk{agent: a, client: client, id: id, again: again, session: fmt.Sprintf("call-%d-%s", above+1, id), prompt: prompt, asked: map[string]bool{}}
	err = t.run(ctx)
	if ctx.Err() != nil {
		if !p.o.Closing(context.Cause(ctx)) {
			t.cancel(context.WithoutCancel(ctx))
		}
		return agent.Result{}, context.Cause(ctx)
	}
	words := text.Cut(strings.Join(t.words, "\n"), cut, "")
	switch {
	case err != nil && words != "":
		return agent.ErrorResult(err.Error() + "\nIts last words:\n" + words), nil
	case err != nil:
		return agent.ErrorResult(err.Error()), nil
	case words == "":
		words = textSilent
	}
	return agent.TextResult(words), nil
}

// above is how many calls are above a session: its id says so, if another program has called it.
func above(session string) int {
	rest, called := strings.CutPrefix(session, "call-")
	if !called || len(rest) < 2 || rest[1] != '-' || rest[0] < '1' || rest[0] > '9' {
		return 0
	}
	return int(rest[0] - '0')
}

func rootOf(session string) string {
	root, _, _ := strings.Cut(session, ".")
	return root
}
