package team

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"react-agent/agent"
)

// Names of the tools.
const (
	toolTask  = "task"
	toolSpawn = "spawn_subagent"
	toolCheck = "check_background"
	toolCall  = "call_agent" // which may start one, see kit/peer
)

//go:embed task.md
var taskDoc string

//go:embed spawn_subagent.md
var spawnDoc string

type taskArgs struct {
	Prompt     string `json:"prompt"`
	AgentType  string `json:"agent_type,omitempty"`
	Background *bool  `json:"background,omitempty"`
}

type spawnArgs struct {
	Task           string   `json:"task"`
	PromptFile     string   `json:"prompt_file,omitempty" doc:"its text is the system prompt"`
	InputFiles     []string `json:"input_files,omitempty" doc:"put into the message"`
	OutputPath     string   `json:"output_path,omitempty" doc:"file for the reply"`
	ToolsAllowlist []string `json:"tools_allowlist,omitempty" doc:"names of tools it may use; default none"`
}

// SpawnTools gives task and spawn_subagent. Both are Resume tools: a call that is run again finds its own child. task itself
// does nothing but have a child work, whose calls are judged one by one; spawn_subagent also writes the reply.
func (s *Seat) SpawnTools() []agent.Tool {
	return []agent.Tool{s.taskTool(), s.spawnTool()}
}

func (s *Seat) taskTool() agent.Tool {
	types := s.types()
	doc := strings.TrimSpace(taskDoc)
	if s.t.o.Texts.Bare { // whose model knows nothing of the background
		doc, _, _ = strings.Cut(doc, "\nbackground:")
	}
	lines := []string{doc}
	for _, x := range types[len(usual()):] {
		lines = append(lines, "- "+x.Name+": "+strings.Join(strings.Fields(x.Description), " "))
	}
	t := newTool(toolTask, strings.Join(lines, "\n"), agent.Reads, s.task)
	t.Schema = withEnum(t.Schema, "agent_type", types)
	t.Rename = ownNames
	return t
}

func (s *Seat) spawnTool() agent.Tool {
	return newTool(toolSpawn, strings.TrimSpace(spawnDoc), agent.Writes, s.spawn)
}

// newTool makes a tool that finds its own work again and may run beside its neighbours.
func newTool[In any](name, doc string, e agent.Effect, fn func(ctx context.Context, c agent.Call, in In) (agent.Result, error)) agent.Tool {
	t := agent.NewCallTool(name, doc, e, fn)
	t.Resume, t.Shared = true, true
	return t
}

// withEnum lists the names of the types in the schema; the first is the default.
func withEnum(schema json.RawMessage, property string, types []Type) json.RawMessage {
	names := make([]string, len(types))
	for i, x := range types {
		names[i] = x.Name
	}
	list, err := agent.EncodeJSON(names)
	if err != nil { // strings always encode
		return schema
	}
	from := `"` + property + `":{"type":"string"`
	return json.RawMessage(strings.Replace(string(schema), from, from+`,"enum":`+string(list), 1))
}

// task is the tool of that name.
func (s *Seat) task(ctx context.Context, c agent.Call, a taskArgs) (agent.Result, error) {
	work := Task{Key: c.Key, Parent: sessionOf(c.Key), Type: a.AgentType, Title: titleOf(c.Args), Text: a.Prompt}
	if work.Type == "" {
		work.Type = Explore
	}
	x, err := s.kind(work.Type)
	if err != nil {
		return agent.Result{}, err
	}
	work.Background = x.Background
	if a.Background != nil {
		work.Background = *a.Background
	}
	r, err := s.t.Run(ctx, work)
	if err != nil {
		return agent.Result{}, err
	}
	if work.Background {
		return started(&r), nil
	}
	return r.Result(s.t.o.Cut), nil
}

// started is the result that gives the id of a background child.
func started(r *Reply) agent.Result {
	res := agent.TextResult(fmt.Sprintf("Sub-agent %s started in the background. You are told when it has ended.", lastName(r.Path)))
	res.State = pendingState(r.Session)
	return res
}

// spawn is the tool spawn_subagent.
func (s *Seat) spawn(ctx context.Context, c agent.Call, a spawnArgs) (agent.Result, error) {
	work := Task{
		Key: c.Key, Parent: sessionOf(c.Key), Name: "subagent", Title: a.Task, Text: a.Task,
		Tools: a.ToolsAllowlist, Output: a.OutputPath, Tokens: true,
	}
	known, err := s.t.find(ctx, work.Parent, c.Key)
	if err != nil {
		return agent.Result{}, err
	}
	if known == nil { // a child that is there has read its files
		if work.System, err = s.prompt(ctx, a.PromptFile); err != nil {
			return agent.Result{}, err
		}
		work.Text = s.withInputs(ctx, a.Task, a.InputFiles)
	}
	r, err := s.t.Run(ctx, work)
	if err != nil {
		return agent.Result{}, err
	}
	if r.State != Done || a.OutputPath == "" {
		return r.Result(s.t.o.Cut), nil
	}
	return r.spent(agent.TextResult(fmt.Sprintf(textSpawned, a.OutputPath, r.Written, strings.Join(strings.Fields(a.Task), " ")))), nil
}

// Words of spawn_subagent, as they were in the system that had it first.
const (
	textSpawned = "subagent_done: 写入 %s (%d 字节) | 任务: %s"
	textSkipped = "(已跳过：看起来是文本占位符而非文件路径)"
	textUnread  = "(读取失败：%s)"
)

var errNoFiles = errors.New("there are no files here")

func (s *Seat) read(ctx context.Context, path string) (string, error) {
	if s.Files == nil {
		return "", errNoFiles
	}
	return s.Files.Read(ctx, path)
}

// prompt reads the system prompt. Without it the child would be another one, so a file that cannot be read is an error.
func (s *Seat) prompt(ctx context.Context, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := s.read(ctx, file)
	if err != nil {
		return "", fmt.Errorf("prompt_file %s cannot be read: %w", file, err)
	}
	return text, nil
}

// withInputs is the task, then one section for each file.
func (s *Seat) withInputs(ctx context.Context, task string, files []string) string {
	var b strings.Builder
	b.WriteString(task)
	for _, f := range files {
		b.WriteString("\n\n## " + f + "\n\n" + s.input(ctx, f))
	}
	return b.String()
}

// input is the content of an input file, or why there is none: what does not look like a path was meant as a remark.
func (s *Seat) input(ctx context.Context, file string) string {
	content, err := s.read(ctx, file)
	switch {
	case err == nil:
		return content
	case LooksLikePath(file):
		return fmt.Sprintf(textUnread, err.Error())
	}
	return textSkipped
}

// LooksLikePath tells a path from a remark that stands in its place: no space, tab or angle bracket, and a slash, a
// backslash or a dot.
func LooksLikePath(s string) bool {
	return !strings.ContainsAny(s, " \t<>") && strings.ContainsAny(s, `/\.`)
}

// sessionOf is the session whose call a key is.
func sessionOf(key string) string {
	session, _, _ := strings.Cut(key, "/")
	return session
}

// Paths tells which files a call of spawn_subagent reads and writes itself; ok is false for other tools.
func Paths(t agent.Tool, c agent.Call) (reads []string, writes string, ok bool) {
	var a spawnArgs
	if t.Name != toolSpawn || json.Unmarshal(c.Args, &a) != nil {
		return nil, "", false
	}
	reads = slices.DeleteFunc(append([]string{a.PromptFile}, a.InputFiles...), func(f string) bool { return !LooksLikePath(f) })
	return reads, a.OutputPath, true
}
