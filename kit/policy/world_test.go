package policy

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A world is a directory in which shell commands find nothing but stubs that write down that they were run.
type world struct{ dir, bin, log, bash string }

// stubs are the programs of a world. None of them does a thing, but those that run what they are given.
func stubs() []string {
	return strings.Fields("rm git ls cat find tee awk sed perl python3 tar parallel script busybox flock doas man vim ssh curl watch base64")
}

func newWorld(t testing.TB) world {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	w := world{dir: t.TempDir(), bin: t.TempDir(), bash: bash}
	w.log = filepath.Join(t.TempDir(), "log")
	for _, name := range stubs() {
		w.script(t, name, "")
	}
	// What runs other commands runs them here too, so that what they run is seen.
	w.script(t, "sudo", `"$@"`)
	for name := range strings.FieldsSeq("env timeout nice nohup setsid stdbuf xargs sh bash") {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := os.Symlink(program, filepath.Join(w.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"keep.txt", "list"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("keep.txt\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w world) script(t testing.TB, name, body string) {
	t.Helper()
	text := "#!" + w.bash + "\necho " + name + " >> " + w.log + "\n" + body + "\n"
	if err := os.WriteFile(filepath.Join(w.bin, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// shell runs a command with nothing on its input, and waits for it and all that holds its output.
func (w world) shell(t testing.TB, c, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.bash, "-c", c)
	cmd.Dir = w.dir
	cmd.Env = []string{"PATH=" + path, "HOME=" + w.dir, "LC_ALL=C.UTF-8", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(w.dir)}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // what it left behind is waited for, and its stubs with it
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // how it ends does not matter
}

// runs gives the stubs that a command runs.
func (w world) runs(t testing.TB, c string) map[string]bool {
	t.Helper()
	if err := os.RemoveAll(w.log); err != nil {
		t.Fatal(err)
	}
	w.shell(t, c, w.bin)
	data, err := os.ReadFile(w.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for name := range strings.FieldsSeq(string(data)) {
		ran[name] = true
	}
	return ran
}
