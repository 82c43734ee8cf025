package team

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func TestLooksLikePath(t *testing.T) {
	for s, want := range map[string]bool{
		"a/b.md": true, "notes.md": true, `dir\file`: true, "./x": true, "/abs": true, ".": true, "v1.2": true,
		"": false, "notes": false, "the notes.md": false, "a\tb.md": false, "<phase2/out.md>": false, "x>y/z": false, "主题": false, "主题.md": true,
	} {
		if got := LooksLikePath(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// The rule as it is written down, against the function.
func TestLooksLikePathByItsRule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab.中/\\ \t<>"))).Draw(rt, "s")
		want := false
		switch {
		case strings.ContainsRune(s, ' '), strings.ContainsRune(s, '\t'), strings.ContainsRune(s, '<'), strings.ContainsRune(s, '>'):
		case strings.ContainsRune(s, '/'), strings.ContainsRune(s, '\\'), strings.ContainsRune(s, '.'):
			want = true
		}
		if got := LooksLikePath(s); got != want {
			rt.Fatalf("%q: %v", s, got)
		}
	})
}

// spawn_subagent by its parameters.
func TestSpawn(t *testing.T) {
	type args map[string]any
	for _, c := range []struct {
		name   string
		args   args
		reply  string
		result string // what comes back
		user   string // the child's message
		system string
		tools  int
		file   string // what is in out.md, or out.json
	}{
		{name: "alone", args: args{"task": "do it"}, reply: "well", result: "well", user: "do it"},
		{
			name: "to a file", args: args{"task": "do\n it", "output_path": "out.md"}, reply: "好\n",
			result: "subagent_done: 写入 out.md (4 字节) | 任务: do it", user: "do\n it", file: "好\n",
		},
		{name: "json", args: args{"task": "do it", "output_path": "out.json"}, reply: "```json\n{}\n```", result: "subagent_done: 写入 out.json (3 字节) | 任务: do it", user: "do it", file: "{}\n"},
		{name: "prompt", args: args{"task": "do it", "prompt_file": "p.md"}, reply: "well", result: "well", user: "do it", system: "Be strict."},
		{
			name: "inputs", args: args{"task": "do it", "input_files": []string{"a.md", "the plan", "gone/b.md"}}, reply: "well", result: "well",
			user: "do it\n\n## a.md\n\nAAA\n\n## the plan\n\n(已跳过：看起来是文本占位符而非文件路径)\n\n## gone/b.md\n\n(读取失败：open gone/b.md: no such file)",
		},
		{name: "tools", args: args{"task": "do it", "tools_allowlist": []string{"Bash", "read_file", "bash"}}, reply: "well", result: "well", user: "do it", tools: 2},
		{name: "no such tool", args: args{"task": "do it", "tools_allowlist": []string{"bash", "teleport"}}, result: "unknown tools: teleport; the tools that can be given are: bash, edit_file, read_file, write_file, task, spawn_subagent"},
		{name: "no such prompt", args: args{"task": "do it", "prompt_file": "nobody.md"}, result: "prompt_file nobody.md cannot be read: open nobody.md: no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(r *rig) { r.files.files = map[string]string{"p.md": "Be strict.", "a.md": "AAA"} })
			raw, _ := json.Marshal(c.args)
			r.says("go", agenttest.CallTool("spawn_subagent", string(raw)), agenttest.Say("done"))
			r.says("do", agenttest.Say(c.reply))
			if end := r.run("s", "go"); end.Stop != agent.RunEnd {
				t.Errorf("%s", end.Stop)
			}
			if got := r.results("s"); len(got) != 1 || got[0] != c.result {
				t.Errorf("result %q, want %q", got, c.result)
			}
			if c.user == "" {
				return
			}
			req := r.requests(c.user)
			if len(req) != 1 {
				t.Fatalf("nobody was told %q: %s", c.user, r.log("s.1"))
			}
			if req[0].System != c.system || len(req[0].Tools) != c.tools {
				t.Errorf("system %q, %d tools", req[0].System, len(req[0].Tools))
			}
			if got := r.files.files["out.md"] + r.files.files["out.json"]; got != c.file {
				t.Errorf("written %q", got)
			}
		})
	}
}

// A reply that cannot be written is a failure that says so, and the words are not lost.
func TestSpawnCannotWrite(t *testing.T) {
	r := newRig(t, func(r *rig) { r.files.fail = errors.New("disk full") })
	r.says("go", agenttest.CallTool("spawn_subagent", `{"task":"do it","output_path":"out.md"}`), agenttest.Say("done"))
	r.says("do", agenttest.Say("well"))
	r.run("s", "go")
	if got := r.results("s"); len(got) != 1 || !strings.Contains(got[0], "could not be written to out.md: disk full\nIts last words:\nwell") {
		t.Errorf("%q", got)
	}
}

// Its words are shown line by line while it speaks; its calls, one line each.
func TestSpawnShowsItsWords(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("word ", 200)
	r.says("go", agenttest.CallTool("spawn_subagent", `{"task":"do it","tools_allowlist":["bash"]}`), agenttest.Say("done"))
	r.says("do", agenttest.Reply{Text: "I look.\n", Calls: []agent.Call{{Name: "bash", Args: json.RawMessage(`{"do":"x"}`)}}}, agenttest.Say("one\n\ntwo\n"+long))
	r.run("s", "go")
	r.mu.Lock()
	defer r.mu.Unlock()
	got := strings.Join(r.lines, "\n")
	for _, want := range []string{"[main/subagent-1] I look.", `[main/subagent-1] · bash {"do":"x"}`, "[main/subagent-1] one\n", "[main/subagent-1] two\n", "[main/subagent-1] word word"} {
		if !strings.Contains(got+"\n", want) {
			t.Errorf("%q is not shown: %s", want, got)
		}
	}
	if strings.Count(got, "word") != 200 {
		t.Errorf("%d of 200 words are shown", strings.Count(got, "word"))
	}
}

func TestUnfence(t *testing.T) {
	for _, c := range []struct{ file, reply, want string }{
		{"a.md", "```json\n{}\n```", "```json\n{}\n```"},
		{"a.json", "```json\n{\"a\": 1}\n```", "{\"a\": 1}\n"},
		{"a.JSON", "```\n[1]\n```\n", "[1]\n"},
		{"a.json", "Here it is:\n```json\n{\"a\": 1}\n```\nDone.", "{\"a\": 1}\n"},
		{"a.json", "Here it is:\n```\nno json\n```\nDone.", "Here it is:\n```\nno json\n```\nDone."},
		{"a.json", "```json\n{\"a\": \n```", "{\"a\": \n"},
		{"a.json", "{\"a\": \"```\"}", "{\"a\": \"```\"}"},
		{"a.json", "```json\n{}\n", "```json\n{}\n"},
		{"a.json", "```json\n{}\n```\n```json\n[]\n```", "```json\n{}\n```\n```json\n[]\n```"},
		{"a.json", "", ""},
	} {
		if got := unfence(c.file, c.reply); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.file, c.reply, got, c.want)
		}
	}
}

func TestPaths(t *testing.T) {
	call := agent.Call{Args: json.RawMessage(`{"task":"x","prompt_file":"p.md","input_files":["a.md","the plan"],"output_path":"out/b.md"}`)}
	reads, writes, ok := Paths(agent.Tool{Name: "spawn_subagent"}, call)
	if !ok || strings.Join(reads, " ") != "p.md a.md" || writes != "out/b.md" {
		t.Errorf("%q %q %v", reads, writes, ok)
	}
	if _, _, ok := Paths(agent.Tool{Name: "bash"}, call); ok {
		t.Error("bash is not ours")
	}
}
