package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"react-agent/agent"
)

func TestPaths(t *testing.T) {
	needUnix(t)
	e := world(t)
	out, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"away": out, "round": "round", "dangling": filepath.Join(out, "new")} {
		if err := os.Symlink(to, filepath.Join(e.Root, name)); err != nil {
			t.Fatal(err)
		}
	}
	in := func(given, rel string, writes bool) Path {
		return Path{Given: given, Real: filepath.Join(e.Root, rel), Inside: true, Writes: writes}
	}
	for _, c := range []struct {
		tool, args string
		want       []Path
	}{
		{"read_file", `{"path":"a/../b"}`, []Path{in("a/../b", "b", false)}},
		{"write_file", `{"path":"new/x","content":""}`, []Path{in("new/x", "new/x", true)}},
		{"edit_file", `{"path":"x","old_text":"a","new_text":"b"}`, []Path{in("x", "x", true)}},
		{"multi_edit", `{"path":"x","edits":[]}`, []Path{in("x", "x", true)}},
		{"list_dir", `{}`, []Path{in(".", ".", false)}},
		{"grep", `{"pattern":"x"}`, []Path{in(".", ".", false)}},
		{"glob", `{"pattern":"x","path":"sub"}`, []Path{in("sub", "sub", false)}},
		{"run_script", `{"path":"s.sh"}`, []Path{in("s.sh", "s.sh", false)}},
		{"edit_file", `{"path":"away/x"}`, []Path{{Given: "away/x", Real: filepath.Join(out, "x"), Writes: true}}},
		{"write_file", `{"path":"dangling"}`, []Path{{Given: "dangling", Real: filepath.Join(out, "new"), Writes: true}}},
		{"read_file", `{"path":"round"}`, nil},
		{"read_file", `{"path":""}`, nil},
		{"read_file", `{"path":7}`, nil},
		{"bash", `{"command":"rm x"}`, nil},
		{"other", `{"path":"x"}`, nil},
	} {
		for _, confine := range []bool{false, true} {
			e.Confine = confine // what the tools refuse is told all the same
			got, ok := Paths(e, agent.Tool{Name: c.tool}, agent.Call{Args: json.RawMessage(c.args)})
			if ok != (c.want != nil) || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s %s: %+v, %v; want %+v", c.tool, c.args, got, ok, c.want)
			}
		}
	}
}
