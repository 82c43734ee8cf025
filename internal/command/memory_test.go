package command

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/internal/msg"
	"react-agent/kit/memory"
)

// What is larger than a file may be is an error, and nothing of it is read in.
func TestAMemoryFileThatIsTooLarge(t *testing.T) {
	h := &Host{Msg: msg.For(msg.En), Memory: memory.New(memory.Options{Project: filepath.Join(t.TempDir(), "memory.db"), NoSync: true})}
	t.Cleanup(func() { _ = h.Memory.Close() })
	line := append([]byte(`{"text":"the port is 8080"}`), bytes.Repeat([]byte(" "), 1<<19)...)
	line[len(line)-1] = '\n'
	parts := make([]io.Reader, maxMemoryFile/len(line)+1)
	for i := range parts {
		parts[i] = bytes.NewReader(line)
	}
	err := importMemories(t.Context(), h, Input{Args: []string{"-"}, In: io.MultiReader(parts...), Out: io.Discard})
	if _, ok := AsUsage(err); !ok || !strings.Contains(err.Error(), "larger than 256 MiB") {
		t.Errorf("%v", err)
	}
	if _, n, err := h.Memory.List(t.Context(), memory.Filter{}); n != 0 || err != nil {
		t.Errorf("%d were read in, %v", n, err)
	}
	var out strings.Builder
	in := Input{Args: []string{"-"}, In: strings.NewReader("\n{\"text\":\"the port is 8080\"}\n\n{\"text\":\"x\",\"kind\":\"secret\"}\n"), Out: &out}
	if err := importMemories(t.Context(), h, in); err == nil || !strings.Contains(err.Error(), "line 4") || !strings.Contains(err.Error(), "1 memory was read in") {
		t.Errorf("%v", err)
	}
	in.In = strings.NewReader("{\"text\":\"the port is 8080.\"}\n{\"text\":\"it rains in November\"}")
	if err := importMemories(t.Context(), h, in); err != nil || !strings.Contains(out.String(), "1 new memory, 1 merged") {
		t.Errorf("%v %q", err, out.String())
	}
}

func TestSpokenMemory(t *testing.T) {
	for said, want := range map[string]memory.Draft{
		"tabs":                             {Text: "tabs"},
		"preference: tabs: always":         {Text: "tabs: always", Kind: memory.Preference},
		"user: fact: it is 5433":           {Text: "it is 5433", Kind: memory.Fact, Scope: memory.User},
		"project:command:  make  x":        {Text: "make  x", Kind: memory.Command, Scope: memory.Project},
		"fact: fact: twice":                {Text: "fact: twice", Kind: memory.Fact},
		"note: this is no kind":            {Text: "note: this is no kind"},
		"https://host/user: is an address": {Text: "https://host/user: is an address"},
	} {
		got := spoken(said)
		if got.Text != want.Text || got.Kind != want.Kind || got.Scope != want.Scope {
			t.Errorf("%q is %+v", said, got)
		}
	}
}
