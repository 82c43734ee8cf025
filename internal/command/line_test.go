package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/skill"
)

// host has the skills that are written down, and nothing else.
func host(t *testing.T, files map[string]string) *Host {
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
	set, err := skill.Load(t.Context(), skill.Options{Roots: append(skill.Places(dir, "", "", ""), skill.CommandPlaces(dir, "", "", "")...)})
	if err != nil {
		t.Fatal(err)
	}
	return &Host{Msg: msg.For(msg.En), Skills: func(context.Context, string) (*skill.Set, error) { return set, nil }}
}

func about(name, more string) string {
	return "---\nname: " + name + "\ndescription: About " + name + ".\n" + more + "---\nText.\n"
}

func TestRead(t *testing.T) {
	h := host(t, map[string]string{
		"skills/now/SKILL.md": about("now", ""), "skills/idea-spark/SKILL.md": about("idea-spark", ""), "skills/help/SKILL.md": about("help", ""),
		"skills/ghost/SKILL.md": about("ghost", "user-invocable: false\n"), "skills/v1.2/SKILL.md": about("v1.2", ""), ".claude/commands/git/commit.md": "Commit.",
	})
	for line, want := range map[string]string{
		"hello":             "say hello",
		"/ now":             "wrong there is a blank behind the slash in / now: write /now",
		"/\thelp me":        "wrong there is a blank behind the slash in / help: write /help",
		"/ or else":         "say / or else",
		"":                  "say ",
		"  /help":           "run /help",
		"/Help":             "run /help",
		"/help me":          "run /help me",
		"/mode auto ":       "run /mode auto",
		"/now":              "call /now",
		"/now a\nb":         "call /now a\nb",
		" /NOW  x":          "call  /NOW  x",
		"/idea_spark 智能体":   "call /idea_spark 智能体",
		"/skill:help x":     "call /skill:help x",
		"/commit":           "call /commit",
		"/git:commit x":     "call /git:commit x",
		"/v1.2":             "call /v1.2",
		"/usr/bin/x is odd": "say /usr/bin/x is odd",
		"/etc/":             "say /etc/",
		"/.bashrc":          "say /.bashrc",
		"/a.txt":            "say /a.txt",
		"/* c */\nint x;":   "say /* c */\nint x;",
		"/-":                "say /-",
		"//now":             "say /now",
		"//help me":         "say /help me",
		"  //x":             "say /x",
		"// a comment":      "say // a comment",
		"//":                "say //",
		"///x":              "say //x",
		"see /now":          "say see /now",
		"\u3000/now":        "call \u3000/now",
		"/now\xff":          "wrong there is no command /now\uFFFD, nor a skill of that name; did you mean /now? To send the text as it stands, write //now\uFFFD",
		"/":                 "wrong there is no command /, nor a skill of that name; /help lists them. To send the text as it stands, write //",
		"/nwo x":            "wrong there is no command /nwo, nor a skill of that name; did you mean /now? To send the text as it stands, write //nwo",
		"/hlep":             "wrong there is no command /hlep, nor a skill of that name; did you mean /help? To send the text as it stands, write //hlep",
		"/idea":             "wrong there is no command /idea, nor a skill of that name; did you mean /idea-spark? To send the text as it stands, write //idea",
		"/skill:nwo":        "wrong there is no command /skill:nwo, nor a skill of that name; did you mean /now? To send the text as it stands, write //skill:nwo",
		"/xyzzyx\nmore":     "wrong there is no command /xyzzyx, nor a skill of that name; /help lists them. To send the text as it stands, write //xyzzyx",
		"/ghost":            "wrong the skill ghost is for the model alone: say what you want done",
		"/skill:ghost":      "wrong the skill ghost is for the model alone: say what you want done",
		"/?":                "wrong there is no command /?, nor a skill of that name; /help lists them. To send the text as it stands, write //?",
	} {
		l, err := Read(t.Context(), h, "s", line)
		got := "say " + l.Message.Text()
		switch {
		case err != nil:
			if _, ok := AsUsage(err); !ok {
				t.Errorf("%q: %v is not the person's mistake", line, err)
			}
			got = "wrong " + err.Error()
		case l.Command != "":
			got = "run " + strings.Replace(l.Command, "/Help", "/help", 1)
		case l.Calls:
			got = "call " + l.Message.Text()
		}
		if marked := err == nil && l.Command == "" && l.Message.Parts[0].Opaque != nil; got != want || marked != l.Calls {
			t.Errorf("%q: %s, marked %v; want %s", line, got, marked, want)
		}
	}
	bare := &Host{Msg: h.Msg}
	if _, err := Read(t.Context(), bare, "s", "/now"); err == nil {
		t.Error("without skills there is no /now")
	}
	fault := errors.New("the disk is gone")
	bare.Skills = func(context.Context, string) (*skill.Set, error) { return nil, fault }
	if _, err := Read(t.Context(), bare, "s", "/now"); !errors.Is(err, fault) {
		t.Errorf("%v", err)
	}
}

func TestReadMessageKeepsAttachments(t *testing.T) {
	h := host(t, map[string]string{"skills/now/SKILL.md": about("now", "")})
	blob := agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png"}}
	m := agent.TextMessage(agent.User, "/now")
	m.Parts = append(m.Parts, blob)
	l, err := ReadMessage(t.Context(), h, "s", m)
	if err != nil || !l.Calls || len(l.Message.Parts) != 2 || l.Message.Parts[0].Opaque == nil || l.Message.Parts[1].Blob == nil {
		t.Errorf("%+v %v", l, err)
	}
	if m.Parts[0].Opaque != nil {
		t.Error("the given message was changed")
	}
	m = agent.Message{Role: agent.User, Parts: []agent.Part{blob, agent.TextPart("/nope")}}
	if l, err = ReadMessage(t.Context(), h, "s", m); err != nil || len(l.Message.Parts) != 2 {
		t.Errorf("a picture comes first: %+v %v", l, err)
	}
	if _, err = ReadMessage(t.Context(), h, "s", agent.TextMessage(agent.User, "/nope")); err == nil {
		t.Error("an unknown command")
	}
	if l, err = ReadMessage(t.Context(), h, "s", agent.TextMessage(agent.User, "/help")); err != nil || l.Command != "/help" {
		t.Errorf("%+v %v", l, err)
	}
}

// TestCommandsOverTheEngine: what an engine is told to do is read like a line, but never as plain text.
func TestCommandsOverTheEngine(t *testing.T) {
	h := host(t, map[string]string{"skills/now/SKILL.md": about("now", "")})
	answer := Commands(func() *Host { return h })
	for line, want := range map[string]string{"/help": "/skills", "help": "/skills", "/skills": "/now", "/now x": "", "now x": ""} {
		r, err := answer(t.Context(), "s", line)
		if err != nil || !strings.Contains(r.Text, want) || (r.Message != nil) != (want == "") {
			t.Errorf("%s: %+v %v", line, r, err)
		}
	}
	for _, line := range []string{"/nope", "/usr/bin/x", "", "//now", "what?"} {
		if r, err := answer(t.Context(), "s", line); err == nil {
			t.Errorf("%q: %+v", line, r)
		}
	}
}

func TestSkillsAreListed(t *testing.T) {
	files := map[string]string{
		"skills/now/SKILL.md": about("now", "argument-hint: \"[zone]\"\n"), "skills/help/SKILL.md": about("help", ""), "skills/ghost/SKILL.md": about("ghost", "user-invocable: false\n"),
		"skills/mine/SKILL.md": about("mine", "disable-model-invocation: true\n"), "skills/none/SKILL.md": about("none", "disable-model-invocation: true\nuser-invocable: false\n"),
		"skills/bad/SKILL.md": "no header", ".claude/commands/git/commit.md": "Commit all.", "skills/long/SKILL.md": about("long", "when_to_use: "+strings.Repeat("word ", 60)+"\n"),
	}
	h := host(t, files)
	list := func(lang msg.Lang) string {
		h.Msg = msg.For(lang)
		var out strings.Builder
		if _, err := Slash(t.Context(), h, "s", "/skills", &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	const want = `skills (6):
  ghost                About ghost. (only the model may use it)
  /skill:help          About help. (the built-in /help has the same name)
  /long                About long. `
	got := list(msg.En)
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	for _, line := range []string{
		"  /mine                About mine. (only you may use it)\n", "  none                 About none. (nobody may use it)\n", "  /now [zone]          About now.\n",
		"your own commands (1):\n  /git:commit          Commit all.\n", "1 more cannot be loaded; react-agent doctor says why\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in\n%s", line, got)
		}
	}
	for line := range strings.SplitSeq(got, "\n") {
		if len(line) > 130 {
			t.Errorf("too long to read: %s", line)
		}
	}
	if got := list(msg.Zh); !strings.Contains(got, "skill（6 个）：") || !strings.Contains(got, "（与内置命令 /help 同名）") || !strings.Contains(got, "自定义命令（1 个）：") {
		t.Errorf("%s", got)
	}
	if got := list(msg.En); got != list(msg.En) {
		t.Error("not the same twice")
	}
	h = host(t, nil)
	if got := list(msg.En); !strings.HasPrefix(got, "there are no skills. One in skills/NAME/SKILL.md") {
		t.Errorf("%s", got)
	}
	h = &Host{}
	if got := list(msg.Zh); !strings.HasPrefix(got, "没有 skill。") {
		t.Errorf("%s", got)
	}
}

func TestHeadOf(t *testing.T) {
	for in, want := range map[string]string{"abc": "abc", "abcd": "abcd", "abcde": "abcd…", "天气": "天气", "天气好": "天气…", "a天气": "a天…", "ab c d": "ab c…", "": ""} {
		if got := headOf(in, 4); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestHelpListsSkills(t *testing.T) {
	files := map[string]string{}
	for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"} {
		files["skills/"+n+"/SKILL.md"] = about(n, "")
	}
	h := host(t, files)
	var out strings.Builder
	if _, err := Slash(t.Context(), h, "s", "/help", &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "  /l                   About l.\n  ... and 1 more: /skills lists them all\n") || strings.Contains(got, "/m  ") {
		t.Errorf("%s", got)
	}
	out.Reset()
	if _, err := Slash(t.Context(), host(t, nil), "s", "/help", &out); err != nil || strings.Contains(out.String(), "your own commands:") {
		t.Errorf("%v %s", err, out.String())
	}
}

func TestTheSeventhSkillOfALineIsSaidToBeTooMany(t *testing.T) {
	files := map[string]string{}
	line := ""
	for name := range strings.FieldsSeq("one two three four five six") {
		files["skills/"+name+"/SKILL.md"] = about(name, "")
		line += "/" + name + " "
	}
	files["skills/seven/SKILL.md"] = about("seven", "")
	h := host(t, files)
	for text, want := range map[string]string{
		line + "/seven t": "a line calls at most 6 skills; /seven is one too many",
		line + "/six t":   "", line + "/eight t": "", line + "seven": "",
	} {
		l, err := Read(t.Context(), h, "", text)
		if got, ok := AsUsage(err); want == "" && (err != nil || !l.Calls) || want != "" && (!ok || got.Error() != want) {
			t.Errorf("%s: %+v, %v", text, l, err)
		}
	}
}
