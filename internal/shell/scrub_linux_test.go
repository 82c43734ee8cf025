package shell

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A child of the scrubbed process, with the rights of every command, reads what the system shows of it.
func TestScrubEnviron(t *testing.T) {
	if os.Getenv("SCRUB_ME") == "now" {
		scrubbed(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestScrubEnviron$", "-test.v")
	cmd.Env = append(os.Environ(), "SCRUB_ME=now", "SCRUB_KEY=sk-very-secret-value", "SCRUB_EMPTY=", "SCRUB_KEY_2=stays here", "ODD")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestScrubEnviron")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func scrubbed(t *testing.T) {
	environ := func() string {
		r, err := Run(t.Context(), Cmd{Command: `tr '\0' '\n' < /proc/$PPID/environ`, Hide: []string{"SCRUB_KEY"}})
		if err != nil || r.Failed() {
			t.Fatalf("%v %+v", err, r)
		}
		return string(r.Head)
	}
	if before := environ(); !strings.Contains(before, "SCRUB_KEY=sk-very-secret-value\n") {
		t.Fatalf("the test sees nothing:\n%s", before)
	}
	before := os.Environ()
	for range 2 { // a second time changes nothing
		if err := ScrubEnviron([]string{"SCRUB_KEY", "SCRUB_EMPTY", "SCRUB_NOT_THERE"}); err != nil {
			t.Fatal(err)
		}
	}
	after := environ()
	if strings.Contains(after, "very-secret") || !strings.Contains(after, "SCRUB_KEY=********************\n") || !strings.Contains(after, "SCRUB_KEY_2=stays here\n") {
		t.Errorf("%s", after)
	}
	if os.Getenv("SCRUB_KEY") != "sk-very-secret-value" || strings.Join(before, "\n") != strings.Join(os.Environ(), "\n") {
		t.Error("the process has lost its own variables")
	}
}
