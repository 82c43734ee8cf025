package skills_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/kit/pipeline"
	"react-agent/kit/skill"
	"react-agent/provider/offline"
)

// run is one run of idea-spark, driven here by hand as the protocol says.
type run struct {
	t      *testing.T
	dir    string
	query  string
	script string
	// reply stands for a sub-agent; "" lets the skill's own rules answer.
	reply func(role string, nth int) string
	voice *offline.Model
	asked map[string]int
	steps []string
}

func newRun(t *testing.T, query string) *run {
	t.Helper()
	python(t)
	return &run{
		t: t, dir: filepath.Join(t.TempDir(), "run"), query: query, script: fullPath(t, "idea-spark/scripts/run.py"),
		voice: voiceOf(t, "idea-spark"), asked: map[string]int{}, reply: func(string, int) string { return "" },
	}
}

func python(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
}

func fullPath(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// voiceOf is the offline model with a skill's rules.
func voiceOf(t *testing.T, name string) *offline.Model {
	t.Helper()
	var lines offline.Lines
	o := rulesOf(t, name)
	for _, a := range o.Agents {
		v := offline.Agent{System: a.System, Message: a.Message}
		for _, r := range a.Replies {
			v.Replies = append(v.Replies, offline.Reply(r))
		}
		lines.Agents = append(lines.Agents, v)
	}
	return offline.New(lines)
}

func rulesOf(t *testing.T, name string) skill.Offline {
	t.Helper()
	set, err := skill.Load(t.Context(), skill.Options{Roots: []skill.Root{{Path: fullPath(t, "."), Scope: skill.System}}})
	if err != nil {
		t.Fatal(err)
	}
	k, ok := set.Find(name)
	if !ok {
		t.Fatalf("there is no skill %s", name)
	}
	o, notes := k.Offline()
	for _, d := range notes {
		t.Errorf("%s", d.String())
	}
	return o
}

// command runs the program with arguments, or a line of a block.
func (r *run) command(line string, args ...string) (string, int) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "python3", append([]string{r.script}, args...)...)
	if line != "" {
		cmd = exec.CommandContext(r.t.Context(), "sh", "-c", line)
	}
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	if strings.Contains(errs.String(), "Traceback") {
		r.t.Fatalf("%s %s\n%s", line, args, errs.String())
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// next asks for the next step; twice, since asking must change nothing.
func (r *run) next() *pipeline.Block {
	r.t.Helper()
	out, code := r.command("", "next", "--dir", r.dir, "--query", r.query)
	b, err := pipeline.Parse([]byte(out))
	if err != nil || code != 0 || b.Outside != "" {
		r.t.Fatalf("next: exit %d, %v\n%s", code, err, out)
	}
	return b
}

// drive goes on until the end, or until a step whose name is stop is next.
func (r *run) drive(stop string) *pipeline.Block {
	r.t.Helper()
	for range 60 {
		b := r.next()
		r.steps = append(r.steps, b.Step)
		if b.Type == pipeline.Terminal || stop != "" && b.Step == stop {
			return b
		}
		r.do(b)
	}
	r.t.Fatalf("there is no end: %q", r.steps)
	return nil
}

func (r *run) do(b *pipeline.Block) {
	r.t.Helper()
	commands := b.Run
	shell := func() {
		for line := range strings.Lines(commands) {
			if out, code := r.command(line); code != 0 {
				r.t.Fatalf("%s: exit %d\n%s", line, code, out)
			}
		}
		commands = ""
	}
	if strings.Contains(b.Notes, "RUN command first") {
		shell()
	}
	if b.Type == pipeline.SubAgent {
		if !strings.HasSuffix(b.Prompt[0], ".md") || b.Do == "" || b.Then == "" {
			r.t.Fatalf("%+v", b)
		}
		reply := r.think(b)
		if out := strings.TrimSuffix(b.Output[0], " (edited in place)"); strings.HasPrefix(out, r.dir) {
			if err := os.MkdirAll(filepath.Dir(out), 0o700); err != nil {
				r.t.Fatal(err)
			}
			if err := os.WriteFile(out, []byte(reply), 0o600); err != nil {
				r.t.Fatal(err)
			}
		} else {
			commands = strings.ReplaceAll(commands, "q1|q2|q3|q4", "a|b|c")
			commands = strings.ReplaceAll(commands, ` --named-papers "Title A|Title B"`, "")
		}
	}
	shell()
}

// think is what a sub-agent does: it sees a prompt and inputs, and nothing else.
func (r *run) think(b *pipeline.Block) string {
	r.t.Helper()
	role := strings.TrimSuffix(filepath.Base(b.Prompt[0]), ".md")
	r.asked[role]++
	if own := r.reply(role, r.asked[role]); own != "" {
		return own
	}
	system, err := os.ReadFile(b.Prompt[0])
	if err != nil {
		r.t.Fatal(err)
	}
	text := "Question: " + r.query + "\n"
	for _, in := range b.Input {
		data, err := os.ReadFile(in)
		if err != nil && strings.HasPrefix(in, r.dir) {
			r.t.Fatalf("input: %v", err)
		}
		text += "\n" + in + "\n" + string(data)
	}
	reply := ""
	req := &agent.Request{System: string(system), Messages: []agent.Message{agent.TextMessage(agent.User, text)}}
	for c, err := range r.voice.Stream(r.t.Context(), req) {
		if err != nil {
			r.t.Fatal(err)
		}
		if c.Part != nil {
			reply += c.Part.Text
		}
	}
	if strings.Contains(reply, "{topic}") || strings.Contains(reply, "no language model") || strings.Contains(reply, "不是大模型") {
		r.t.Fatalf("%s has no rule for\n%s\n%s", role, text, reply)
	}
	return reply
}

func (r *run) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

func (r *run) ended(b *pipeline.Block, state, step, page string) {
	r.t.Helper()
	if !regexp.MustCompile(state).MatchString(b.State) || b.Step != step || !strings.Contains(b.Notes, page) {
		r.t.Fatalf("state %q, step %q, notes %q, after %q", b.State, b.Step, b.Notes, r.steps)
	}
}

func TestIdeaSparkComesToThreeCards(t *testing.T) {
	for _, query := range []string{"智能体方向", "memory of agents", `it's "quoted" $HOME`} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, query)
			r.ended(r.drive(""), "^DONE", "return the cards", "card_3_first_experiment.md")
			if r.asked["auditor"] != 2 || r.asked["reviser"] != 1 {
				t.Errorf("asked %v", r.asked)
			}
			if !strings.Contains(r.read("phase3/attempt_1/audit.json"), "revise") || r.read("phase3/attempt_1/idea.json") == r.read("phase3/idea.json") {
				t.Error("the first audit left no trace")
			}
			for _, page := range []string{"phase4/card_1_idea.md", "phase4/card_2_method.md", "phase4/card_3_first_experiment.md"} {
				if card := r.read(page); !regexp.MustCompile(`^\*\*.+\*\*\n\n- .+\n- .+\n`).MatchString(card) {
					t.Errorf("%s:\n%s", page, card)
				}
			}
		})
	}
}
