package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Nobody has to allow a change that is not seen.
func TestAskShowsTheChange(t *testing.T) {
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprint("line ", i+1)
	}
	for name, c := range map[string]struct {
		tool string
		args any
		want string
	}{
		"a file": {"write_file", map[string]any{"path": "a", "content": "one\n\ntwo\n"}, "+ one|+ |+ two"},
		"a place": {
			"edit_file",
			map[string]any{"path": "a", "old_text": "x\nkeep\nold\nend\ny", "new_text": "x\nkeep\nnew\nnewer\nend\ny"},
			"  keep|- old|+ new|+ newer|  end",
		},
		"a line that goes": {"edit_file", map[string]any{"path": "a", "old_text": "one\n", "new_text": ""}, "- one"},
		"the same twice":   {"edit_file", map[string]any{"path": "a", "old_text": "a\na", "new_text": "a\na\na"}, "  a|+ a"},
		"two places": {
			"multi_edit",
			map[string]any{"path": "a", "edits": []map[string]any{{"old_text": "1", "new_text": "2"}, {"old_text": "3", "new_text": "4"}}},
			"- 1|+ 2|…|- 3|+ 4",
		},
		"a patch":       {"apply_patch", map[string]any{"patch": "*** Begin Patch\n-a\n+b\n"}, "*** Begin Patch|-a|+b"},
		"a long file":   {"write_file", map[string]any{"path": "a", "content": strings.Join(many, "\n")}, "+ " + strings.Join(many[:20], "|+ ") + "|… 10 more lines"},
		"a long line":   {"write_file", map[string]any{"path": "a", "content": strings.Repeat("x", 900)}, "+ " + strings.Repeat("x", changeWidth-3) + "…"},
		"a command":     {"bash", map[string]any{"command": "ls"}, ""},
		"odd arguments": {"write_file", []string{"x"}, ""},
	} {
		args, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		text, how := ask(msg.For(msg.En), agent.Ask{Text: "Let it?", Call: &agent.Call{Name: c.tool, Args: args}})
		want := "? Let it?\n"
		if c.want != "" {
			want += "    " + strings.ReplaceAll(c.want, "|", "\n    ") + "\n"
		}
		if want += msg.For(msg.En).Text(msg.AskYesNo) + "\n"; text+how != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, text+how, want)
		}
	}
}
