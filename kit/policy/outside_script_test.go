package policy

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"react-agent/agent"
)

// A script outside is one question, which the policy asks; where nothing is asked, the tool asks nothing either. A rule that
// names no place does not reach outside.
func TestScriptsOutside(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	script := filepath.Join(resolved(out), "s.sh")
	paths := func(_ agent.Tool, c agent.Call) ([]Path, bool) {
		var a struct {
			Path string `json:"path"`
		}
		if err := json.Unmarshal(c.Args, &a); err != nil {
			return nil, false
		}
		inside := !filepath.IsAbs(a.Path)
		if inside {
			return []Path{{Given: a.Path, Real: filepath.Join(dir, a.Path), Inside: true}}, true
		}
		return []Path{{Given: a.Path, Real: a.Path}}, true
	}
	for _, c := range []struct {
		mode    Mode
		rule    string
		path    string
		verdict agent.Verdict
		outside bool
	}{
		{Yolo, "", script, agent.Pass, true},
		{Yolo, "", "s.sh", agent.Pass, false},
		{Ask, "", script, agent.AskFirst, true},
		{Ask, "run_script", script, agent.AskFirst, true},
		{Ask, "run_script", "s.sh", agent.Pass, false},
		{Ask, "run_script(*)", script, agent.Pass, true},
		{ReadOnly, "", script, agent.Deny, false},
	} {
		o := Options{Mode: c.mode, Root: dir, Paths: paths}
		if c.rule != "" {
			o.Rules.Allow = rule(t, c.rule)
		}
		p := NewPolicy(o)
		if d := call(t, p, agent.Executes, "run_script", args{"path": c.path}); d.Verdict != c.verdict || p.Outside(script) != c.outside {
			t.Errorf("%s %q %s: %+v, outside %v", c.mode, c.rule, c.path, d, p.Outside(script))
		}
	}
}
