package pipeline

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCleanQuery(t *testing.T) {
	for in, want := range map[string]string{
		"智能体方向":                                "智能体方向",
		`a "quoted" $(rm -rf /) ` + "`x` \\ y": "a quoted (rm -rf /) x y",
		"two\nlines\r\nand\ttabs\u2028x":       "two lines and tabs x",
		"--dir /etc":                           "dir /etc",
		"it's fine; isn't it?":                 "it's fine; isn't it?",
		bars + " x":                            "x",
		"\x1b[31mred\x1b[0m":                   "red",
		"":                                     "",
		strings.Repeat("y", maxQuery+50):       strings.Repeat("y", maxQuery),
		"nul\x00byte":                          `nul x00byte`,
	} {
		if got := CleanQuery(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What was cleaned once is clean, has no sign that is dangerous between double quotes, and is one line.
func TestCleanQueryProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got := CleanQuery(rapid.String().Draw(t, "query"))
		if strings.ContainsAny(got, "\"$`\\\n\r\x00━") || CleanQuery(got) != got || strings.HasPrefix(got, "-") {
			t.Fatalf("%q", got)
		}
	})
}

// Wherever a value is put, a shell takes it as it is.
func TestInsertProperty(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	rapid.Check(t, func(t *rapid.T) {
		value := strings.ReplaceAll(rapid.OneOf(rapid.StringMatching("[a-c '\"$`\\\\;|&\n*~!#()]{0,12}"), rapid.StringN(0, 10, 40)).Draw(t, "value"), "\x00", "")
		for _, command := range []string{`printf %s {v}`, `printf %s "{v}"`, `printf %s '{v}'`, `printf %s "it's "'"'{v}`, `printf %s \"{v}\'"{v}"`} {
			want := map[string]string{
				`printf %s "it's "'"'{v}`: `it's "` + value, `printf %s \"{v}\'"{v}"`: `"` + value + `'` + value,
			}[command]
			if want == "" {
				want = value
			}
			out, err := exec.CommandContext(context.Background(), sh, "-c", insert(command, map[string]string{"{v}": value})).Output()
			if err != nil || string(out) != want {
				t.Fatalf("%s with %q: %q %v", command, value, out, err)
			}
		}
	})
}

func TestInsert(t *testing.T) {
	words := map[string]string{"{q}": `a"b $c`, "{d}": "/r u/n", "{dd}": "long", "A|B": "{q}"}
	for in, want := range map[string]string{
		`x "{q}" '{q}' {q}`: `x "a\"b \$c" 'a"b $c' 'a"b $c'`,
		`{d}/x`:             `'/r u/n'/x`,
		`{dd}{d}`:           `long'/r u/n'`,
		`"A|B"`:             `"{q}"`,
		`\"{q}`:             `\"'a"b $c'`,
		`{unknown}`:         `{unknown}`,
		`\`:                 `\`,
	} {
		if got := insert(in, words); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestNotesCommand(t *testing.T) {
	const entry = "/s k/scripts/run.py"
	for notes, want := range map[string]string{
		"then merge: python3 \"/s k/scripts/run.py\" merge --dir \"/r\" before going on": `python3 "/s k/scripts/run.py" merge --dir "/r"`,
		"Run `python3 \"/s k/scripts/run.py\" merge --dir /r all` now":                   `python3 "/s k/scripts/run.py" merge --dir /r all`,
		`python3 '/s k/scripts/run.py' tag --n 3 --force`:                                `python3 '/s k/scripts/run.py' tag --n 3 --force`,
		`do python3.12 "/s k/scripts/run.py" tag --in /r/x.json. Then rest`:              `python3.12 "/s k/scripts/run.py" tag --in /r/x.json`,
		`do python3 "/s k/scripts/run.py" tag, then rest`:                                `python3 "/s k/scripts/run.py" tag`,
		`do python3 "/s k/scripts/run.py" tag; rm -rf /`:                                 `python3 "/s k/scripts/run.py" tag`,
		`python3 "/s k/scripts/run.py" --all then go`:                                    `python3 "/s k/scripts/run.py" --all`,
		`python3 "/s k/scripts/run.py" next --dir "/r"`:                                  "",
		`python3 "/s k/scripts/run.py" next x; python3 "/s k/scripts/run.py" merge`:      `python3 "/s k/scripts/run.py" merge`,
		`python3 "/other/run.py" merge`:                                                  "",
		`call run.py merge with python3`:                                                 "",
		`python3 "/s k/scripts/run.py`:                                                   "",
		"":                                                                               "",
	} {
		if got := notesCommand(notes, entry); got != want {
			t.Errorf("%s:\n%q, want\n%q", notes, got, want)
		}
	}
	if !runFirst("the RUN Command comes First") || runFirst("run command, firstly not") || runFirst("first things first") {
		t.Error("what runs first")
	}
}

// Another way to the same program is the same program.
func TestNotesCommandByLink(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.py")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "also")); err != nil {
		t.Skip("not here: no links")
	}
	note := `python3 "` + filepath.Join(dir, "also", "run.py") + `" merge`
	if got := notesCommand(note, file); got != note {
		t.Errorf("%q", got)
	}
}

func TestReplyAsFile(t *testing.T) {
	for _, c := range []struct{ name, reply, want string }{
		{"a.json", "{\"a\": 1}", "{\"a\": 1}\n"},
		{"a.json", "```json\n{\"a\": 1}\n```", "{\"a\": 1}\n"},
		{"a.json", "Here it is:\n```\n[1]\n```\nGood luck", "[1]\n"},
		{"a.json", "It is {\"a\": {\"b\": 2}} as wished", "{\"a\": {\"b\": 2}}\n"},
		{"a.json", "no JSON at all {", "no JSON at all {\n"},
		{"a.JSON", "```\nnot json\n```", "```\nnot json\n```\n"},
		{"a.md", "# T\n\n```go\nx\n```", "# T\n\n```go\nx\n```\n"},
		{"a.md", "```markdown\n# T\n```", "# T\n"},
		{"a.md", "```python\nx\n```", "```python\nx\n```\n"},
		{"a.py", "```python\nx = 1\n```\n", "x = 1\n"},
		{"a.txt", "````\n```\nx\n```\n````", "```\nx\n```\n"},
		{"a.txt", "```\nx\n```\nand\n```\ny\n```", "```\nx\n```\nand\n```\ny\n```\n"},
		{"a.txt", "  \n ", ""},
		{"a.txt", "```", "```\n"},
	} {
		if got := fileText(c.name, c.reply); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.reply, got, c.want)
		}
	}
}
