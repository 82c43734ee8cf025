package skills_test

import (
	"encoding/json"
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
	// calls and answers of one process, instead of one for each call.
	calls   *json.Encoder
	answers *json.Decoder
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
	if r.calls != nil {
		return r.call(line, args)
	}
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

// quick has the program called within one process of Python.
func (r *run) quick() *run {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "python3", fullPath(r.t, "testdata/calls.py"), r.script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	r.calls, r.answers = json.NewEncoder(in), json.NewDecoder(out)
	return r
}

func (r *run) call(line string, args []string) (string, int) {
	r.t.Helper()
	var what any = args
	if line != "" {
		what = strings.TrimSpace(line)
	}
	var answer struct {
		Out, Errs string
		Code      int
	}
	if err := r.calls.Encode(what); err != nil {
		r.t.Fatal(err)
	}
	if err := r.answers.Decode(&answer); err != nil {
		r.t.Fatalf("%v: %v", what, err)
	}
	if strings.Contains(answer.Errs, "Traceback") {
		r.t.Fatalf("%v\n%s", what, answer.Errs)
	}
	return answer.Out, answer.Code
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
			if query != "智能体方向" { // one for all is run as a driver does
				r = r.quick()
			}
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

// Other ends, each with a page that says why.
func TestIdeaSparkEndsOtherwise(t *testing.T) {
	for _, c := range []struct {
		name, query       string
		reply             func(role string, nth int) string
		state, step, page string
		in                []string // of the page
		auditor           int      // how often it was asked
	}{
		{
			name: "nothing to do", query: "井字棋 的策略", state: "^TERMINAL — Phase 1 routed to do_not_generate", step: "do_not_generate",
			page: "do_not_generate.md", in: []string{"QUERY: 井字棋 的策略", "solved completely", "hidden information"},
		},
		{
			name: "abandoned", query: "perpetual motion for phones", state: "^TERMINAL — Phase 3", step: "phase_3_failed", page: "phase_3_failed.md",
			in: []string{"the audit abandoned the idea", "conservation of energy", "Early signs of failure"}, auditor: 1,
		},
		{
			name: "revised for ever", query: "机器意识", state: "^TERMINAL — Phase 3", step: "phase_3_failed", page: "phase_3_failed.md",
			in: []string{"after 3 audits", "No observation could refute it"}, auditor: 3,
		},
		{
			name: "nothing is cited", query: "agent memory", state: "^TERMINAL — Phase 2", step: "phase_2_failed", page: "phase_2_failed.md", in: []string{"no candidate cites a note"},
			reply: func(role string, _ int) string {
				if role != "generator" {
					return ""
				}
				return `[{"title":"t","idea":"i","test":"x","cites":["N99"]},{"title":"u","idea":"i","test":"x","cites":["made up"]}]`
			},
		},
		{
			name: "the cards never come", query: "agent memory", state: "^TERMINAL — Phase 4", step: "phase_4_failed", page: "phase_4_failed.md",
			in: []string{"phase4/cards.json could not be used"}, auditor: 1,
			reply: func(role string, _ int) string {
				switch role {
				case "auditor":
					return "```json\n{\"verdict\":\"advance\",\"reasons\":[\"fine\"]}\n```"
				case "cards":
					return "Here you are!"
				}
				return ""
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, c.query).quick()
			if c.reply != nil {
				r.reply = c.reply
			}
			r.ended(r.drive(""), c.state, c.step, c.page)
			page := r.read(c.page)
			for _, want := range c.in {
				if !strings.Contains(page, want) {
					t.Errorf("%q is missing in\n%s", want, page)
				}
			}
			if r.asked["auditor"] != c.auditor {
				t.Errorf("asked %v", r.asked)
			}
			if again := r.next(); again.Type != pipeline.Terminal {
				t.Errorf("it goes on: %+v", again)
			}
		})
	}
}

// A sub-agent that answers nonsense is asked again, with the nonsense out of the way; then the run goes on.
func TestIdeaSparkForgivesBadReplies(t *testing.T) {
	t.Parallel()
	r := newRun(t, "agent memory").quick()
	bad := map[string]string{
		"tagger": `[{"id":"N99","tags":["x"]}]`, "bottleneck": `{"state":"maybe"}`, "generator": `{}`, "auditor": `{"verdict":"revise","reasons":["x"]}`,
		"reviser": `{"title":""}`, "cards": `{"idea":{"title":"x","points":["one"]}}`,
	}
	r.reply = func(role string, nth int) string {
		if nth == 1 {
			return bad[role]
		}
		return ""
	}
	r.ended(r.drive(""), "^DONE", "return the cards", "card_1_idea.md")
	for _, kept := range []string{
		"phase0/tags_rejected_1.json", "phase1/phase1_output_rejected_1.json", "phase2/candidates_rejected_1.json",
		"phase3/audit_rejected_1.json", "phase3/idea_rejected_1.json", "phase4/cards_rejected_1.json",
	} {
		r.read(kept)
	}
	if r.asked["reviser"] != 2 || r.asked["auditor"] != 3 {
		t.Errorf("asked %v", r.asked)
	}
}

// What a driver leaves that has found a question out of scope is an end, too.
func TestIdeaSparkOutOfScope(t *testing.T) {
	t.Parallel()
	r := newRun(t, "人工智能").quick()
	first := r.next()
	if reply := r.think(first); !strings.Contains(reply, `"ood":true`) || !strings.Contains(reply, `"trigger_id":1`) {
		t.Error(reply)
	}
	for query, id := range map[string]string{"something good": "2", "随便来一个": "2", "AI": "1", "physics?": "1", "AI for tutoring": "", "智能体方向": "", "ideas about soil": "", "AI方向": "", "AI？！": "1", "想法很多的土壤": ""} {
		other := *r
		other.query = query
		reply := other.think(&pipeline.Block{Prompt: first.Prompt, Input: []string{"the user query: " + query}})
		if (id != "") != strings.Contains(reply, `"trigger_id":`+id+",") {
			t.Errorf("%q: %s", query, reply)
		}
	}
	for name, text := range map[string]string{"phase1/phase1_output.json": `{"state":"do_not_generate","ood_reasons":[{"trigger_id":1}],"remedial_steps":["x"]}`, "do_not_generate.md": "# why"} {
		file := filepath.Join(r.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.ended(r.next(), "do_not_generate", "do_not_generate", "do_not_generate.md")
}

// next changes nothing, says the same twice, and the first block is exactly this.
func TestIdeaSparkNextOnlyReads(t *testing.T) {
	t.Parallel()
	r := newRun(t, "  -a \"b\" $c `d` \\e\nf 📈").quick()
	first, code := r.command("", "next", "--dir", r.dir, "--query="+r.query)
	if _, err := os.Stat(r.dir); code != 0 || err == nil {
		t.Errorf("exit %d, %v", code, err)
	}
	bar := strings.Repeat("━", 72)
	want := bar + "\nSTATE  : Phase 0 — what is known\nSTEP   : search queries and retrieval\nTYPE   : llm_subagent\n"
	if !strings.HasPrefix(first, want) || !strings.HasSuffix(first, "\n"+bar+"\n") || strings.Count(first, bar) != 2 ||
		!strings.Contains(first, `--query "a b c d e f 📈" --queries "q1|q2|q3|q4" --named-papers "Title A|Title B"`) {
		t.Error(first)
	}
	r.query = "a"
	b := r.drive("write candidates")
	if len(b.Input) != 3 || !strings.HasSuffix(b.Prompt[0], "generator.md") {
		t.Errorf("%+v", b)
	}
	before := snapshot(t, r.dir)
	one, _ := r.command("", "next", "--dir", r.dir, "--query", "a-wish-that-nobody-had")
	two, _ := r.command("", "next", "--dir", r.dir, "--query", "a-wish-that-nobody-had")
	if one != two || snapshot(t, r.dir) != before || strings.Contains(one, "a-wish-that-nobody-had") {
		t.Errorf("%s\n%s", one, two)
	}
}

func snapshot(t *testing.T, dir string) string {
	t.Helper()
	all := ""
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, readErr := os.ReadFile(path)
			all, err = all+path+"\n"+string(data), readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A run that was ended between the parts of a command goes on: every command may be run again.
func TestIdeaSparkCommandsMayBeRunAgain(t *testing.T) {
	t.Parallel()
	r := newRun(t, "agent memory").quick()
	b := r.drive("put the audit away")
	audit := r.read("phase3/audit.json")
	half := filepath.Join(r.dir, "phase3", "attempt_1")
	if err := os.MkdirAll(half, 0o700); err != nil { // the idea was copied, the audit not yet moved
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "idea.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.do(b)
	if r.read("phase3/attempt_1/audit.json") != audit || r.read("phase3/attempt_1/idea.json") != r.read("phase3/idea.json") {
		t.Error("the attempt is not whole")
	}
	r.do(b) // once more: there is nothing to put away
	next := r.next()
	if next.Step != "revise the idea" || next.Output[0] != filepath.Join(r.dir, "phase3", "idea.json")+" (edited in place)" {
		t.Errorf("%+v", next)
	}
	r.do(next)
	if again := r.next(); again.Step != "audit the idea" {
		t.Errorf("%+v", again)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "phase3", "attempt_2")); err == nil {
		t.Error("it was put away twice")
	}
}

func TestIdeaSparkBadArguments(t *testing.T) {
	t.Parallel()
	r := newRun(t, "x").quick()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{2, []string{"next"}},
		{2, []string{"next", "--dir", " "}},
		{2, []string{"next", "--dir", file}},
		{2, []string{"nonsense", "--dir", r.dir}},
		{2, []string{"retrieve", "--dir", r.dir, "--query", ""}},
		{2, []string{"reject", "--dir", r.dir, "--file", "../../etc/passwd"}},
		{2, []string{"archive", "--dir", r.dir, "--phase", "1"}},
		{1, []string{"gate", "--dir", r.dir}},
		{1, []string{"render", "--dir", r.dir}},
		{1, []string{"check", "--dir", r.dir, "--file", "phase4/cards.json"}},
		{2, []string{"check", "--dir", r.dir, "--file", "else.json"}},
		{1, []string{"restore", "--dir", r.dir}},
	} {
		if _, code := r.command("", c.args...); code != c.code {
			t.Errorf("%q: exit %d, want %d", c.args, code, c.code)
		}
	}
}
