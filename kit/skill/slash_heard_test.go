package skill

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
)

// TestEntered: what the hook brings in can be told apart, with the name and what followed.
func TestEntered(t *testing.T) {
	files := map[string]string{
		"text/SKILL.md":  file("text"),
		"ref/SKILL.md":   "---\nname: ref\ndescription: d\nslash_mode: reference\n---\nRef.",
		"dig/SKILL.md":   "---\nname: dig\ndescription: d\ncontext: fork\n---\nDig.",
		"fails/SKILL.md": "---\nname: fails\ndescription: d\ncontext: fork\n---\nFail.",
	}
	commands := write(t, map[string]string{"git/commit.md": "Commit."})
	s := load(t, Options{
		Roots: []Root{{Path: write(t, files)}, {Path: commands, Commands: markdown}}, View: "get_skill",
		Fork: func(_ context.Context, f Fork) (agent.Result, error) {
			if f.Skill.Name == "fails" {
				return agent.Result{}, errors.New("no luck")
			}
			return agent.TextResult("\na coin\nof gold"), nil
		},
	})
	x := agent.NewSession("s")
	for name, want := range map[string]string{
		"text": "text text ", "git:commit": "text git:commit ", "ref": "name ref *", "dig": "answer dig a coin\nof gold",
		"fails": "fault fails no luck", "gone": "not gone *",
	} {
		n := s.enter(t.Context(), x, name, "some words", agent.Call{Key: "s/1.0"})
		how, got, rest := Entered(&n.Messages[0])
		if have := string(how) + " " + got + " " + rest; have != want && (!strings.HasSuffix(want, "*") || !strings.HasPrefix(have, strings.TrimSuffix(want, "*"))) {
			t.Errorf("%s: %q, want %q", name, have, want)
		}
	}
	note := &agent.Note{}
	k, _ := s.Find("text")
	if err := s.bring(t.Context(), x, k, "said", note); err != nil {
		t.Fatal(err)
	}
	if how, name, _ := Entered(&note.Messages[0]); how != EnteredRouted || name != "text" {
		t.Errorf("routed: %q %q", how, name)
	}
	other := agent.TextMessage(agent.User, "Body of text.")
	other.From = Name
	if how, _, _ := Entered(&other); how != "" {
		t.Errorf("another text of the hook is %q", how)
	}
	said := agent.TextMessage(agent.User, `The person has called the command "x". This is what it asks of you:`)
	if how, _, _ := Entered(&said); how != "" {
		t.Errorf("the person's own words are %q", how)
	}
}

// TestEnteredAnyName: a name comes out as it went in, whatever characters it has.
func TestEnteredAnyName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, tail := rapid.String().Draw(t, "name"), rapid.String().Draw(t, "tail")
		m := noteOf(reference("get_skill", strings.ToValidUTF8(name, "?"), tail)).Messages[0]
		if how, got, _ := Entered(&m); how != EnteredName || got != strings.ToValidUTF8(name, "?") {
			t.Fatalf("%q came out as %q %q", name, how, got)
		}
	})
}
