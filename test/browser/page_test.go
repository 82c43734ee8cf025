package browser

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPage goes through whole sessions in a real browser: ask, approve, deny, choose, steer, queue, stop, reload and restart
// in mid-stream, attach, go back, commands, keyboard alone, languages, colours, a phone's width, and nothing from elsewhere.
// With SHOTS=folder its pictures stay there, to be looked at.
func TestPage(t *testing.T) {
	chromium, modules := browser(t)
	script, err := os.ReadFile("testdata/model.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, string(script))
	folder := os.Getenv("SHOTS")
	if folder == "" {
		folder = t.TempDir()
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/page.mjs", r.url, r.control().URL, chromium, folder, modules)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || strings.Count(string(out), "\nok ") < 15 {
		t.Errorf("the browser: %v", err)
	}
}
