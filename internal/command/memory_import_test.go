package command

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/internal/msg"
	"react-agent/kit/memory"
)

// What is wrong with a line is said in words: the file, the line, the field, what it should be, and that nothing was stored.
func TestLinesThatAreNoMemories(t *testing.T) {
	h := &Host{Msg: msg.For(msg.En), Memory: memory.New(memory.Options{Project: filepath.Join(t.TempDir(), "memory.db"), NoSync: true})}
	t.Cleanup(func() { _ = h.Memory.Close() })
	for line, want := range map[string]string{
		"nonsense":                        "each line is a JSON object",
		"null":                            "each line is a JSON object",
		`["text"]`:                        "each line is a JSON object",
		`{"text":"a"`:                     "each line is a JSON object",
		`{"text":12}`:                     `"text" is a string, not 12`,
		`{"text":"a","kind":true}`:        `"kind" is a string, not true`,
		`{"text":"a","scope":{}}`:         `"scope" is a string, not {}`,
		`{"text":"a","tags":"b"}`:         `"tags" is an array of strings, not "b"`,
		`{"text":"a","created":"monday"}`: `"created" is a time such as "2026-01-31T08:00:00Z", not "monday"`,
		`{"text":"a","used":3}`:           `"used" is a time`,
		`{"text":"a","uses":"3"}`:         `"uses" is a whole number, not "3"`,
		`{"text":"` + strings.Repeat("a", maxMemoryLine) + `"}`: "it is longer than 1 MiB",
	} {
		err := importMemories(t.Context(), h, Input{Args: []string{"-"}, In: strings.NewReader(`{"text":"good"}` + "\n" + line), Out: io.Discard})
		if err == nil {
			t.Errorf("%s: no error", line[:min(len(line), 40)])
			continue
		}
		zh := msg.For(msg.Zh).Err(err)
		if _, ok := AsUsage(err); !ok || !strings.HasPrefix(err.Error(), "-, line 2: "+want) || !strings.HasSuffix(err.Error(), "; nothing was read in") ||
			!strings.HasPrefix(zh, "- 第 2 行") || !strings.HasSuffix(zh, "；什么都没有导入") {
			t.Errorf("%v / %s", err, zh)
		}
		if _, n, err := h.Memory.List(t.Context(), memory.Filter{}); n != 0 || err != nil {
			t.Errorf("%d were read in, %v", n, err)
		}
	}
}

// An export of a store, read into an empty one, gives the same export again, and has nothing new for its own store.
func TestAnExportComesBackAsItWas(t *testing.T) {
	store := func() *Host {
		dir := t.TempDir()
		h := &Host{Msg: msg.For(msg.En), Memory: memory.New(memory.Options{Project: filepath.Join(dir, "p.db"), User: filepath.Join(dir, "u.db"), NoSync: true})}
		t.Cleanup(func() { _ = h.Memory.Close() })
		return h
	}
	run := func(h *Host, fn string, in string) string {
		t.Helper()
		var out strings.Builder
		do := exportMemories
		if fn == "import" {
			do = importMemories
		}
		if err := do(t.Context(), h, Input{Args: []string{"-"}, In: strings.NewReader(in), Out: &out}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	a, b := store(), store()
	lines := `{"text":"the port is 8080","kind":"fact","created":"2024-03-01T08:00:00Z","used":"2024-04-01T08:00:00Z","uses":7}
{"text":"answers are short","kind":"preference","tags":["style"],"created":"2023-03-01T08:00:00.25Z"}
`
	if out := run(a, "import", lines); out != "2 new memories, 0 merged with what was remembered, 0 remembered already\n" {
		t.Error(out)
	}
	whole := run(a, "export", "")
	if !strings.Contains(whole, `"created":"2024-03-01T08:00:00Z","used":"2024-04-01T08:00:00Z","uses":7`) {
		t.Error(whole)
	}
	if out := run(a, "import", whole); out != "nothing new: 2 memories were remembered already\n" {
		t.Error(out)
	}
	run(b, "import", whole)
	for _, h := range []*Host{a, b} {
		if again := run(h, "export", ""); again != whole {
			t.Errorf("was\n%s is\n%s", whole, again)
		}
	}
}
