package policy

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
)

func TestPermitFile(t *testing.T) {
	rule := func(s string) Rule {
		r, err := ParseRule(s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	root := t.TempDir()
	if to, err := filepath.EvalSymlinks(root); err == nil {
		root = to
	}
	if err := os.WriteFile(filepath.Join(root, ".env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".env", filepath.Join(root, "link")); err != nil {
		t.Skip("not here: no links")
	}
	rules := Rules{Deny: []Rule{rule("read_file(**/.env)"), rule("write_file(out/**)")}, Ask: []Rule{rule("read_file(*.key)")}}
	for _, c := range []struct {
		file         string
		write, allow bool
		mode         Mode
		asked        int
		says         string
	}{
		{"a.txt", false, false, Ask, 0, ""},
		{".env", false, true, Yolo, 0, "read_file(**/.env)"},
		{"link", false, true, Ask, 0, "read_file(**/.env)"},
		{"x.key", false, true, Ask, 1, ""},
		{"x.key", false, false, Ask, 1, "was not allowed"},
		{"x.key", false, false, Yolo, 0, ""},
		{"a.txt", true, false, Ask, 0, ""},
		{"out/a.txt", true, true, Yolo, 0, "write_file(out/**)"},
	} {
		p, asked := NewPolicy(Options{Root: root, Mode: c.mode, Rules: rules}), 0
		err := p.PermitFile(t.Context(), InnerFile{Call: "c", Path: filepath.Join(root, c.file), Write: c.write}, func(context.Context, agent.Ask) (agent.Answer, error) {
			asked++
			return agent.Answer{Allow: c.allow}, nil
		})
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) || asked != c.asked {
			t.Errorf("%+v: %v, asked %d times", c, err, asked)
		}
	}
}
