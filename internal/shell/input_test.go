package shell

import (
	"os"
	"path/filepath"
	"testing"
)

func TestACommandReadsItsInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte("what it reads"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	res, err := Run(t.Context(), Cmd{Args: []string{"cat"}, Dir: t.TempDir(), Input: f})
	if err != nil || string(res.Head) != "what it reads" {
		t.Errorf("%q %v", res.Head, err)
	}
	if !Running(os.Getpid()) || Running(0) {
		t.Error("this process runs")
	}
}
