package skill

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// write makes a tree of files below a new directory.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// one loads a skill x with these header lines and this body.
func one(t testing.TB, o Options, header, body string) (*Set, *Skill) {
	t.Helper()
	dir := write(t, map[string]string{"x/SKILL.md": "---\nname: x\ndescription: d\n" + header + "---\n" + body})
	o.Roots = append(o.Roots, Root{Path: dir, Scope: User})
	s := load(t, o)
	k, ok := s.Find("x")
	if !ok {
		t.Fatalf("not loaded: %v", s.Diagnostics())
	}
	return s, k
}

func rendered(t testing.TB, s *Set, k *Skill, args string) string {
	t.Helper()
	r := render{set: s, skill: k, session: "main", args: args}
	out, err := r.whole(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSubstitution(t *testing.T) {
	for name, c := range map[string]struct{ header, body, args, want string }{
		"all":                     {"", "Do $ARGUMENTS now", `a "b c"`, `Do a "b c" now`},
		"appended":                {"", "Do it", "a b", "Do it\n\nARGUMENTS: a b"},
		"nothing to append":       {"", "Do it", "  ", "Do it"},
		"positions from zero":     {"", "$0-$1-$2", `one 'two words' three`, "one-two words-three"},
		"brackets":                {"", "$ARGUMENTS[1]/$ARGUMENTS[0]", "a b", "b/a"},
		"unfilled stays":          {"", "$0 and $5 and $ARGUMENTS[7]", "a", "a and $5 and $ARGUMENTS[7]"},
		"nothing filled":          {"", "costs $5", "word", "costs $5\n\nARGUMENTS: word"},
		"no arguments":            {"", "Do $ARGUMENTS", "", "Do $ARGUMENTS"},
		"backslash":               {"", `\$ARGUMENTS \$0 \$HOME $0`, "a", `$ARGUMENTS $0 \$HOME a`},
		"backslash alone":         {"", `pay \$1`, "", `pay $1`},
		"names":                   {"arguments: [from, to-file]\n", "$from to $to-file, $fromage $from-x", "a b", "a to b, $fromage a-x"},
		"names of a text":         {"arguments: from to\n", "$to$from", "a b", "ba"},
		"name without value":      {"arguments: from to\n", "$from $to", "a", "a $to"},
		"not scanned again":       {"", "$ARGUMENTS", "$0 ${SKILL_DIR} $ARGUMENTS", "$0 ${SKILL_DIR} $ARGUMENTS"},
		"word goes on":            {"", "$ARGUMENTS_X $1st $0", "a b", "$ARGUMENTS_X $1st a"},
		"many digits":             {"", "$1000 $0", "a", "$1000 a"},
		"facts":                   {"", "${SESSION_ID} ${CLAUDE_SESSION_ID} ${CLAUDE_EFFORT} ${PROJECT_DIR}", "", "main main high /home/ada/p"},
		"facts of others":         {"", "${HOME} ${", "", "${HOME} ${"},
		"literal fact":            {"", `\${SESSION_ID}`, "", "${SESSION_ID}"},
		"bad bracket":             {"", "$ARGUMENTS[x]", "a", "a[x]"},
		"at the end":              {"", "cost: $", "", "cost: $"},
		"Chinese":                 {"", "查$0，译$1", "深圳 英文", "查深圳，译英文"},
		"open quote":              {"", "$0|$1", `a "b c`, "a|b c"},
		"command stays":           {"", "Now: !`date`", "", "Now: !`date`\n\n[Commands marked with ! in this text were not run.]"},
		"no command in the words": {"", "wow!`x` and `!y`", "", "wow!`x` and `!y`"},
	} {
		s, k := one(t, Options{ProjectDir: "/home/ada/p", Effort: "high"}, c.header, c.body)
		if got := rendered(t, s, k, c.args); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	s, k := one(t, Options{}, "", "${CLAUDE_SKILL_DIR}/a ${SKILL_DIR}/b")
	if got := rendered(t, s, k, ""); got != k.Dir+"/a "+k.Dir+"/b" {
		t.Errorf("%q", got)
	}
}

func TestPositionsFromOne(t *testing.T) {
	dir := write(t, map[string]string{"x/SKILL.md": "---\ndescription: d\n---\n$0 $1; $2"})
	s := load(t, Options{Roots: []Root{{Path: dir, FromOne: true}}})
	k, _ := s.Find("x")
	if got := rendered(t, s, k, "a b 'c d'"); got != "$0 a; b c d" {
		t.Errorf("%q", got)
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"":             "",
		"a b":          "a|b",
		`"a b" c`:      "a b|c",
		`a\ b`:         "a b",
		`'a\b'`:        `a\b`,
		`"a\"b" "c\d"`: `a"b|c\d`,
		`""`:           "",
		`x"y"'z'`:      "xyz",
		"a\n\tb\\":     `a|b\`,
		`"open it`:     "open it",
		"深圳 \"北京 上海\"": "深圳|北京 上海",
	} {
		if got := strings.Join(Words(in), "|"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Words(`""`); len(got) != 1 {
		t.Errorf("an empty word is lost: %q", got)
	}
}

func TestCommands(t *testing.T) {
	var seen []Command
	o := Options{Run: func(_ context.Context, c Command) (string, error) {
		seen = append(seen, c)
		if strings.Contains(c.Text, "fail") {
			return "so far\n", errors.New("exit status 1")
		}
		return "<" + c.Text + ">!`again`\n", nil
	}}
	body := "!`one` and !`two`\n\tx !`three`\n```!\nfour\nfive\n```\n```sh\n!`example`\n```\n~~~~\n!`also`\n~~~\n!`still`\n~~~~\n!`fail`\n!``\nopen !`end"
	s, k := one(t, o, "shell: bash\n", body)
	want := "<one>!`again` and <two>!`again`\n\tx <three>!`again`\n<four\nfive>!`again`\n```sh\n!`example`\n```\n" +
		"~~~~\n!`also`\n~~~\n!`still`\n~~~~\nso far\n[command failed: exit status 1]\n!``\nopen !`end"
	if got := rendered(t, s, k, ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(seen) != 5 || seen[0].Dir != k.Dir || seen[0].Skill != "x" || seen[0].Shell != "bash" {
		t.Errorf("%+v", seen)
	}
	// one that came from elsewhere runs nothing
	seen = nil
	o.Installed = func(string) bool { return true }
	s, k = one(t, o, "", "A: !`one`\n```!\ntwo\n```\n")
	if got := rendered(t, s, k, ""); got != "A: "+refused+"\n"+refused || len(seen) > 0 {
		t.Errorf("%q, %d run", got, len(seen))
	}
	// a block that is not closed is text
	s, k = one(t, Options{Run: o.Run}, "", "```!\ntwo\n")
	if got := rendered(t, s, k, ""); got != "```!\ntwo" {
		t.Errorf("%q", got)
	}
	if len(seen) > 0 {
		t.Errorf("%d run", len(seen))
	}
}

// TestCommandValues has a real shell say what became of a value, in every kind of place.
func TestCommandValues(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	places := map[string]string{ // the command has to print the value between brackets
		"double":  `printf '[%s]' "$ARGUMENTS"`,
		"single":  `printf '[%s]' '$ARGUMENTS'`,
		"joined":  `printf '%s' '['"$ARGUMENTS"']'`,
		"escaped": `printf '[%s]' "$ARGUMENTS"; : \$ARGUMENTS \" '\' "\\"`,
	}
	for name, place := range places {
		rapid.Check(t, func(rt *rapid.T) {
			val := rapid.StringOf(rapid.SampledFrom([]rune("a b'\"\\$`(){}|&;<>*?!#~\n\t-=$é深0"))).Draw(rt, "value")
			if strings.TrimSpace(val) == "" {
				return
			}
			var out []byte
			o := Options{Run: func(ctx context.Context, c Command) (string, error) {
				cmd := exec.CommandContext(ctx, sh, "-c", c.Text)
				cmd.Dir = c.Dir
				var err error
				out, err = cmd.CombinedOutput()
				return "", err
			}}
			s, k := one(t, o, "", "!`"+place+"`")
			rendered(t, s, k, val)
			if string(out) != "["+val+"]" {
				rt.Fatalf("%s: value %q came out as %q", name, val, out)
			}
			if files, _ := os.ReadDir(k.Dir); len(files) != 1 {
				rt.Fatalf("%s: %q wrote files", name, val)
			}
		})
	}
}

// TestCommandNested puts values where quotes are nested: they may be divided there, but never run.
func TestCommandNested(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	for _, val := range []string{"$(touch PWNED)", "`touch PWNED`", "'; touch PWNED; '", `"; touch PWNED; "`, "a\ntouch PWNED", "x) ; touch PWNED ; (", "EOF\ntouch PWNED"} {
		o := Options{Run: func(ctx context.Context, c Command) (string, error) {
			cmd := exec.CommandContext(ctx, sh, "-c", c.Text)
			cmd.Dir = c.Dir
			_ = cmd.Run()
			return "", nil
		}}
		body := "```!\n" + `echo "$(echo $ARGUMENTS)" "$(echo "$ARGUMENTS")" "$(echo '$ARGUMENTS')" $(echo $0)
cat <<EOF
$ARGUMENTS '$ARGUMENTS' "$ARGUMENTS"
EOF
# '
echo $ARGUMENTS
# "
echo '$ARGUMENTS' "$ARGUMENTS"` + "\n```"
		s, k := one(t, o, "", body)
		rendered(t, s, k, val)
		if _, err := os.Lstat(filepath.Join(k.Dir, "PWNED")); err == nil {
			t.Errorf("%q was run", val)
		}
	}
}

func TestPowerShell(t *testing.T) {
	var got string
	o := Options{Run: func(_ context.Context, c Command) (string, error) { got = c.Shell + ":" + c.Text; return "", nil }}
	s, k := one(t, o, "shell: powershell\n", "!`Write-Output $0`")
	rendered(t, s, k, `"it's"`)
	if want := "powershell:$skill_arg_1 = 'it''s'\nWrite-Output ${skill_arg_1}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzRender(f *testing.F) {
	f.Add("Do $ARGUMENTS and $1 \\$0 ${SKILL_DIR} !`x $0`", "a 'b c'")
	f.Add("```!\n$ARGUMENTS[0]\n```\n~~~\n", "\\")
	f.Add("$", "$ARGUMENTS")
	f.Add("\\\\$1 `!`` !`", "\"")
	set := &Set{o: Options{ProjectDir: "/p", Effort: "low"}.withDefaults()}
	set.o.Run = func(_ context.Context, c Command) (string, error) { return c.Text, nil }
	f.Fuzz(func(t *testing.T, body, args string) {
		all := ""
		for _, p := range findCommands(body) {
			all += p.text
			if p.command != "" && !strings.Contains(p.text, p.command) {
				t.Fatalf("command %q is not in %q", p.command, p.text)
			}
		}
		if all != body {
			t.Fatalf("pieces of %q are %q", body, all)
		}
		k := &Skill{Name: "x", Dir: "/d", Header: Header{Arguments: []string{"from", "to-x"}}}
		r := render{set: set, skill: k, session: "s", args: args, words: Words(args), last: -1}
		out := r.pieces(t.Context(), body)
		if !strings.Contains(body, "$") && !strings.Contains(body, "!`") && !strings.Contains(body, "```!") && out != body {
			t.Fatalf("%q became %q", body, out)
		}
		if args == "" && r.used {
			t.Fatalf("an argument was used in %q", body)
		}
	})
}
