package shell

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Arguments reach a program as they are: no shell has seen them.
func TestArgs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not here: a Unix system")
	}
	want := []string{"$HOME", "a b", "", "*", `"'\`, "x\ny", ";exit 3", "-c"}
	r, _ := run(t, Cmd{Args: append([]string{"printf", "[%s]"}, want...), Command: "exit 5", Shell: "/no/such/shell"})
	if got := string(r.Head); r.Failed() || got != "["+strings.Join(want, "][")+"]" {
		t.Errorf("%q, %s", got, r.Status())
	}
	if r, _ := run(t, Cmd{Args: []string{"false"}}); r.Code != 1 {
		t.Error(r.Status())
	}
	if _, err := Run(t.Context(), Cmd{Args: []string{"no-such-program-here"}}); !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
	if _, err := Run(t.Context(), Cmd{Args: []string{"echo", "a\x00b"}}); err == nil || !strings.Contains(err.Error(), "NUL byte") {
		t.Error(err)
	}
}
