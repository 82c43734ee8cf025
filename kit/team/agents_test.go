package team

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// write puts files below a new directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func known(name string) bool {
	return slices.Contains([]string{"bash", "read_file", "write_file", "grep", "web_fetch", "task"}, name)
}

func TestAgentFile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Type
		notes      []string // "line reason"
		fault      string   // "line reason", the agent is left out
	}{
		{
			name: "all of it", text: "---\nname: rev-1\ndescription: >\n  Reviews\n  things\ntools: Read, Grep, mcp__x\nmodel: vendor/m\neffort: high\nmaxTurns: 7\nbackground: yes\npermissionMode: plan\ncolor: red\n---\n\nBe strict.\n\nReally.\n",
			want: Type{
				Name: "rev-1", Description: "Reviews things", System: "Be strict.\n\nReally.", Tools: []string{"Read", "Grep"}, Model: "vendor/m", Effort: "high",
				Steps: 7, Background: true, ReadOnly: true,
			},
			notes: []string{"6 there is no tool mcp__x, it is left out"},
		},
		{
			name: "as little as possible", text: "---\ndescription: x\n---\ny", want: Type{Name: "file", Description: "x", System: "y", All: true},
		},
		{
			name: "windows and a mark", text: "\ufeff\r\n---\r\nname: a\r\ndescription: x\r\n---\r\nline\r\nline\r\n", want: Type{Name: "a", Description: "x", System: "line\nline", All: true},
		},
		{
			name: "lists, a rule, what is unknown", text: "---\ndescription: x\ntools:\n  - Bash\n  - Bash(git *)\n  - Teleport\ndisallowedTools: [Write, \"\"]\n---\ny",
			want:  Type{Name: "file", Description: "x", System: "y", Tools: []string{"Bash"}, Without: []string{"Write"}},
			notes: []string{"5 Bash(git *) is no name of a tool", "6 there is no tool Teleport"},
		},
		{
			name: "opencode", text: "---\ndescription: x\nmode: subagent\ntools:\n  write: false\n  bash: true\n  nothing: maybe\npermission:\n  edit: ask\n---\ny",
			want:  Type{Name: "file", Description: "x", System: "y", All: true, Without: []string{"write"}},
			notes: []string{"7 the value \"maybe\" of nothing", "8 permission is not used here"},
		},
		{name: "every tool", text: "---\ndescription: x\ntools: \"*\"\n---\ny", want: Type{Name: "file", Description: "x", System: "y", All: true}},
		{name: "no tool", text: "---\ndescription: x\ntools: []\n---\ny", want: Type{Name: "file", Description: "x", System: "y"}},
		{
			name: "values that are none", text: "---\ndescription: x\nmaxTurns: many\nbackground: perhaps\npermissionMode: bypassPermissions\nmodel: inherit\nskills: a, b\nmcpServers: x\nmemory: user\n---\ny",
			want: Type{Name: "file", Description: "x", System: "y", All: true},
			notes: []string{
				"3 the value \"many\" of maxTurns", "4 the value \"perhaps\" of background", "5 permissionMode: bypassPermissions has no effect",
				"7 skills is not used", "8 mcpServers is not used", "9 memory is not used",
			},
		},
		{name: "no header", text: "just text", fault: "1 there is no header"},
		{name: "not closed", text: "---\nname: a\n", fault: "1 the header is not closed"},
		{name: "no YAML", text: "---\nname: a\ndescription: \"x\n---\ny", fault: "3 the header cannot be read"},
		{name: "no fields", text: "---\n- a\n---\ny", fault: "2 the header is not a list of keys"},
		{name: "no description", text: "---\nname: a\n---\ny", fault: "2 no description"},
		{name: "no text", text: "---\nname: a\ndescription: x\n---\n\n", fault: "2 nothing stands behind the header"},
		{name: "a name that is none", text: "---\nname: ../a\ndescription: x\n---\ny", fault: "2 the name \"../a\" must be"},
		{name: "primary", text: "---\ndescription: x\nmode: primary\n---\ny", fault: "3 it is a primary agent"},
		{name: "off", text: "---\ndescription: x\ndisable: true\n---\ny", fault: "3 it is switched off"},
		{name: "no text at all", text: "---\x00", fault: "0 the file is not UTF-8 text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{"file.md": c.text})
			got := LoadAgents([]Place{{Dir: dir}}, known)
			say := func(f Finding) string { return strings.TrimPrefix(placeOf(f)+" "+msg.For("en").Err(f.Reason), " ") }
			if c.fault != "" {
				if len(got.Types) != 0 || len(got.Findings) != 1 || !got.Findings[0].Skipped || !strings.HasPrefix(say(got.Findings[0]), c.fault) {
					t.Fatalf("%+v", got)
				}
				return
			}
			if len(got.Types) != 1 {
				t.Fatalf("%+v", got)
			}
			c.want.File = filepath.Join(dir, "file.md")
			if x := got.Types[0]; !sameType(x, c.want) {
				t.Errorf("%+v\nwant %+v", x, c.want)
			}
			var notes []string
			for _, f := range got.Findings {
				if f.Reason != nil {
					notes = append(notes, say(f))
				}
			}
			if len(notes) != len(c.notes) {
				t.Fatalf("%q", notes)
			}
			for i := range notes {
				if !strings.HasPrefix(notes[i], c.notes[i]) {
					t.Errorf("%q, want %q", notes[i], c.notes[i])
				}
			}
		})
	}
}

func placeOf(f Finding) string { return strings.TrimSpace(string(rune('0' + f.Line))) }

func sameType(a, b Type) bool {
	return a.Name == b.Name && a.Description == b.Description && a.System == b.System && slices.Equal(a.Tools, b.Tools) && a.All == b.All &&
		slices.Equal(a.Without, b.Without) && a.ReadOnly == b.ReadOnly && a.Model == b.Model && a.Effort == b.Effort && a.Steps == b.Steps &&
		a.Background == b.Background && a.File == b.File
}

// Of equal names the first one counts; links do not lead out of a project; what is no ordinary file is named and nothing
// waits for it.
func TestLoadAgents(t *testing.T) {
	ok := func(name string) string { return "---\nname: " + name + "\ndescription: x\n---\ny" }
	top := write(t, map[string]string{
		"p/.claude/agents/a.md": ok("a"), "p/.claude/agents/README.md": "about", "p/.claude/agents/notes.txt": "x", "p/.claude/agents/dir.md/x": "x",
		"p/.claude/agents/long.md": ok("long") + strings.Repeat("x", maxAgentFile), "p/.agents/agents/A2.md": ok("A"), "p/.agents/agents/b.md": ok("b"), "out/c.md": ok("c"),
	})
	project := filepath.Join(top, "p")
	if err := os.Symlink(filepath.Join(top, "out", "c.md"), filepath.Join(project, ".claude", "agents", "c.md")); err != nil {
		t.Skip("not here: no links: ", err)
	}
	got := LoadAgents(ProjectPlaces(project, project), nil)
	var names, skipped []string
	for _, x := range got.Types {
		names = append(names, x.Name)
	}
	for _, f := range got.Findings {
		if f.Skipped {
			skipped = append(skipped, filepath.Base(f.File)+": "+msg.For("en").Err(f.Reason))
		}
	}
	slices.Sort(skipped)
	if !slices.Equal(names, []string{"A", "b"}) {
		t.Errorf("%q", names)
	}
	for i, want := range []string{"a.md: an agent of the same name was found first: ", "c.md: a link leads out of the project, to ", "dir.md: this is not an ordinary file", "long.md: the file is longer than 256 KiB"} {
		if i >= len(skipped) || !strings.HasPrefix(skipped[i], want) {
			t.Fatalf("%q", skipped)
		}
	}
	own := LoadAgents(UserPlaces(project, filepath.Join(top, "none")), nil) // the person's own links may lead anywhere
	if len(own.Types) != 3 {
		t.Errorf("%+v", own.Types)
	}
	if got := LoadAgents([]Place{{Dir: filepath.Join(project, ".claude", "agents", "a.md")}}, nil); len(got.Findings) != 1 || !got.Findings[0].Skipped {
		t.Errorf("a file in the place of a directory: %+v", got)
	}
}

// What a type gets of its parent's tools.
func TestGranted(t *testing.T) {
	seat := &Seat{}
	for _, x := range []struct {
		name string
		e    agent.Effect
	}{{"bash", agent.Executes}, {"read_file", agent.Reads}, {"grep", agent.Reads}, {"write_file", agent.Writes}, {"task", agent.Reads}, {"spawn_subagent", agent.Writes}} {
		seat.Tools = append(seat.Tools, agent.Tool{Name: x.name, Effect: x.e})
	}
	seat.Tools[0].Alias = "run_shell_command"
	for _, c := range []struct {
		x    Type
		want string
	}{
		{usual()[0], "bash read_file"},
		{usual()[1], "bash read_file write_file"},
		{Type{All: true}, "bash read_file grep write_file"},
		{Type{All: true, Tools: []string{"Task"}}, "bash read_file grep write_file task"},
		{Type{All: true, Without: []string{"Bash", "write"}}, "read_file grep"},
		{Type{All: true, Without: []string{"Edit", "Task"}}, "bash read_file grep"},
		{Type{All: true, ReadOnly: true}, "read_file grep"},
		{Type{Tools: []string{"run_shell_command", "Read", "Teleport"}}, "bash read_file"},
		{Type{}, ""},
	} {
		if got := strings.Join(seat.granted(&c.x), " "); got != c.want {
			t.Errorf("%+v gets %q, want %q", c.x, got, c.want)
		}
	}
}

// A type from a file may stand in for a usual one.
func TestTypeInTheOthersPlace(t *testing.T) {
	seat := &Seat{Types: []Type{{Name: "explore", System: "Mine."}, {Name: "z"}}}
	var names []string
	for _, x := range seat.types() {
		names = append(names, x.Name)
	}
	if !slices.Equal(names, []string{"explore", "general-purpose", "z"}) {
		t.Errorf("%q", names)
	}
	if x, err := seat.kind("Explore"); err != nil || x.System != "Mine." {
		t.Errorf("%+v %v", x, err)
	}
}

// No file of an agent makes the reader stumble; what it takes is usable.
func FuzzAgentFile(f *testing.F) {
	f.Add("---\nname: a\ndescription: x\ntools: Read, Bash(git *)\n---\ny")
	f.Add("---\ntools:\n  write: false\nmaxTurns: 3\n---\n")
	f.Add("\ufeff---\r\n- a\r\n---")
	f.Add("---\ndescription: &a [*a]\n---\ny")
	f.Add("---\na:\r\r\r\r\r\r\tb: x\r\r: [\n---\n")
	f.Add("---\na: b\u2028\u2028\u2028\u0085\u0085\u0085: [\n---\nx")
	f.Add("---\nname: a\rdescription: x\r\r\r\r\r\rtools: {\rmaxTurns: 1e999\n---\ny")
	f.Add("---\rname: a\rdescription: x\r\r\r\r\r\rmaxTurns: 1e999\r---\ry")
	f.Fuzz(func(t *testing.T, text string) {
		a := parseAgent("dir/file.md", text, known)
		lines := strings.Count(text, "\n") + 1
		for _, n := range append(a.notes, derefs(a.fault)...) {
			if n.Reason == nil || n.Line < 0 || n.Line > lines+1 {
				t.Fatalf("%+v of %d lines", n, lines)
			}
		}
		if a.fault == nil && (a.typ.Name == "" || a.typ.Description == "" || a.typ.System == "" || !utf8.ValidString(a.typ.System)) {
			t.Fatalf("%+v", a.typ)
		}
	})
}

func derefs(f *Finding) []Finding {
	if f == nil {
		return nil
	}
	return []Finding{*f}
}

// What other agents call a type is one of ours, if none from a file is called so.
func TestTypesOfOthers(t *testing.T) {
	seat := &Seat{Types: []Type{{Name: "general"}}}
	for name, want := range map[string]string{"build": General, "plan": Explore, "Plan": Explore, "explore": Explore, "general": "general", "wizard": ""} {
		if x, err := seat.kind(name); x.Name != want || (err != nil) != (want == "") {
			t.Errorf("%s is %q, %v", name, x.Name, err)
		}
	}
	if x, err := (&Seat{}).kind("general"); x.Name != General || err != nil {
		t.Errorf("%q %v", x.Name, err)
	}
	task := Task{Type: "wizard", AnyType: true}
	if note := seat.settleType(&task); task.Type != General || !strings.Contains(note, `"wizard"`) {
		t.Errorf("%+v %q", task, note)
	}
	for _, task := range []Task{{Type: "wizard"}, {Type: "build", AnyType: true}, {AnyType: true}} {
		if was := task.Type; seat.settleType(&task) != "" || task.Type != was {
			t.Errorf("%+v", task)
		}
	}
}
