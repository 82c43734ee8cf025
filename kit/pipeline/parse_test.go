package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const bars = "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"

// The blocks of testdata/blocks stand for what programs of this kind print; each has what must come of it beside it.
func TestBlocks(t *testing.T) {
	for name, want := range map[string]*Block{
		"subagent": {
			State: "Phase 1 of 5 — bottleneck", Step: "name the bottleneck", Type: SubAgent,
			Do: "You are an isolated reader; use nothing but what you are given.", Prompt: []string{"/s/prompts/bottleneck.md"},
			Input: []string{"/r/phase0/brief.md", "/r/phase0/hits.json"}, Output: []string{"/r/phase1/phase1_output.json"},
			Notes: "the state decides what follows", Then: `python3 "/s/scripts/run.py" next --dir "/r" --query "agents"`,
		},
		"bash": {
			State: "Phase 0 of 5 — retrieval", Step: "retrieve", Type: Bash,
			Run:  "python3 \"/s/scripts/run.py\" retrieve --dir \"/r\" \\\n  --queries \"a|b\"\npython3 \"/s/scripts/run.py\" partition --dir \"/r\"",
			Then: `python3 "/s/scripts/run.py" next --dir "/r" --query "agents"`,
		},
		"terminal":      {State: "TERMINAL — Phase 1 routed to do_not_generate.", Step: "end", Type: Terminal, Notes: "return /r/do_not_generate.md"},
		"older":         {State: "phase_2", Step: "bottleneck", Type: SubAgent, Prompt: []string{"prompts/b.md"}, Input: []string{"the user query"}, Output: []string{"phase2/b.json"}, Notes: "one line"},
		"unknown_label": {State: "s", Step: "t", Type: Bash, Run: "true", Other: []Field{{"BUDGET", []string{"3 calls", "at most"}}, {"X", []string{""}}}},
		"remarks": {
			State: "s", Step: "t", Type: SubAgent, Prompt: []string{"/s/a.md (Map mode)"}, Input: []string{"/r/x.md — cheaper access: the first page"},
			Output: []string{"/r/y.json (edited in place)"},
		},
		"two_in_one":  {State: "s", Step: "t", Type: SubAgent, Prompt: []string{"/s/a.md THEN /s/b.md"}, Output: []string{"/r/x.md then /r/y.md"}},
		"empty":       {State: "", Step: "t", Type: Terminal},
		"typed":       {State: "s", Step: "t", Type: Bash, Run: "true"},
		"banner":      {State: "s", Step: "t", Type: Terminal, Outside: "a headline\na last word"},
		"other_lines": {State: "s", Step: "t", Type: Bash, Run: "cat <<X\n  a\n\nb\nX", Notes: "one two three"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "blocks", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", name, got, want)
		}
	}
}

// However the block is packed, it is the same block.
func TestOverlooked(t *testing.T) {
	plain := "STATE  : a state\nSTEP   : a step\nTYPE   : bash\nRUN    : one\n         two\nNOTES  : n\n"
	whole := bars + "\n" + plain + bars + "\n"
	wanted, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	short := strings.Repeat("━", 9)
	for name, text := range map[string]string{
		"crlf":                      strings.ReplaceAll(whole, "\n", "\r\n"),
		"cr":                        strings.ReplaceAll(whole, "\n", "\r"),
		"a byte order mark":         "\ufeff" + whole,
		"colours":                   "\x1b[1m" + bars + "\x1b[0m\n" + strings.ReplaceAll(plain, "STATE", "\x1b[32mSTATE\x1b[0m") + "\x1b[2K" + bars + "\n",
		"no line end":               strings.TrimSuffix(whole, "\n"),
		"blanks at the ends":        strings.ReplaceAll(whole, "\n", "  \t\n"),
		"blank lines":               strings.ReplaceAll(whole, "\nSTEP", "\n\n   \nSTEP"),
		"shorter lines":             short + "\n" + plain + short + "\n",
		"longer lines":              bars + bars + "\n" + plain + bars + "━\n",
		"a last line that is cut":   bars + "\n" + plain + "━━",
		"cut within a character":    bars + "\n" + plain + "━━\xe2\x94",
		"a label without padding":   strings.NewReplacer("STATE  :", "STATE:", "TYPE   :", "TYPE :").Replace(whole),
		"tabs instead of blanks":    strings.ReplaceAll(whole, "         two", "\ttwo"),
		"fewer blanks":              strings.ReplaceAll(whole, "         two", "    two"),
		"type in capitals":          strings.ReplaceAll(whole, ": bash", ": BASH"),
		"type with a remark":        strings.ReplaceAll(whole, ": bash", ": bash (no model)"),
		"run in two fields":         strings.ReplaceAll(whole, "         two", "RUN    : two"),
		"a headline of bars before": bars + "\n" + whole,
		"a progress bar before":     "10%\r50%\r100%\r" + whole,
	} {
		got, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got.Outside = ""
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNoBlock(t *testing.T) {
	block := bars + "\nSTATE  : s\nSTEP   : t\nTYPE   : bash\nRUN    : one\n"
	for name, c := range map[string]struct {
		text string
		is   error
		says string
	}{
		"nothing":                 {"", ErrNoBlock, ""},
		"words":                   {"Traceback (most recent call last):\n  boom\n", ErrNoBlock, ""},
		"a headline":              {bars + "\nhello\n" + bars + "\n", ErrNoBlock, ""},
		"no end":                  {block, ErrCutBlock, ""},
		"an end of another sign":  {block + strings.Repeat("-", 72) + "\n", ErrCutBlock, ""},
		"an end that is no line":  {block + bars + " the end\n", ErrCutBlock, ""},
		"a short line in between": {bars + "\nSTATE  : s\n━━━\nTYPE   : bash\n" + bars + "\n", nil, ""},
		"no beginning":            {"STATE  : s\nTYPE   : bash\n" + bars + "\n", ErrNoBlock, ""},
		"a stray line in RUN":     {block + "rm -rf /\n" + bars + "\n", nil, `line 6 of the output: neither a label nor a further line of RUN`},
		"a stray line in INPUT":   {bars + "\nTYPE   : bash\nINPUT  : a\nWarning: slow\n" + bars + "\n", nil, "line 4"},
		"no label first":          {bars + "\nhello\nTYPE   : bash\n" + bars + "\n", nil, "line 2"},
		"a flood":                 {block + strings.Repeat("NOTES  : more\n", 90000) + bars, ErrTooLong, ""},
		"too many lines":          {block + strings.Repeat("         x\n", 6000) + bars, ErrTooLong, ""},
		"binary":                  {"\x00\x01\x02\xff\xfe" + strings.Repeat("\x80", 500), ErrNoBlock, ""},
	} {
		b, err := Parse([]byte(c.text))
		switch {
		case name == "a short line in between":
			if err != nil || b.Type != Bash || b.State != "s ━━━" {
				t.Errorf("%s: %+v %v", name, b, err)
			}
		case err == nil:
			t.Errorf("%s: %+v", name, b)
		case c.is != nil && !errors.Is(err, c.is), !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever a program prints, reading it comes to an end, and what it says it has found stands there.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/blocks/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal(err, files)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(bars + "\nTYPE:\n" + bars))
	f.Add([]byte("\xef\xbb\xbf\x1b[1m━━\xe2\x94"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Parse(data)
		if (b == nil) == (err == nil) {
			t.Fatalf("%+v %v", b, err)
		}
		if b == nil {
			return
		}
		if strings.Contains(b.State+b.Step+b.Notes, "\n") || strings.ContainsAny(string(b.Type), " \n") {
			t.Errorf("a field of one line has more: %+v", b)
		}
		for _, line := range append(append(b.Prompt, b.Input...), b.Output...) {
			if strings.TrimSpace(line) != line || line == "" {
				t.Errorf("%q", line)
			}
		}
		Defaults().outcomeOf(b)
	})
}

// outcomeOf has the settings look at any block.
func (s Settings) outcomeOf(b *Block) { _, _ = s.ends(b), s.outcome(b) }

// A block that was written by the rules is read as it was meant, with any noise around it.
func TestParseRoundTrip(t *testing.T) {
	line := rapid.StringMatching(`[a-z/"|.<>()— ]{0,30}[a-z.]`)
	rapid.Check(t, func(t *rapid.T) {
		inputs := rapid.SliceOfN(line, 0, 5).Draw(t, "inputs")
		commands := rapid.SliceOfN(line, 0, 5).Draw(t, "commands")
		state := rapid.StringMatching(`[A-Za-z—0-9]{1,40}`).Draw(t, "state")
		var s strings.Builder
		s.WriteString(rapid.StringMatching(`([a-z ]{0,20}\n){0,3}`).Draw(t, "before") + bars + "\nSTATE  : " + state + "\nTYPE   : llm_subagent\n")
		for label, lines := range map[string][]string{"INPUT  : ": inputs, "RUN    : ": commands} {
			for i, l := range lines {
				if i == 0 {
					s.WriteString(label + l + "\n")
				} else {
					s.WriteString("         " + l + "\n")
				}
			}
		}
		s.WriteString(bars + "\n")
		b, err := Parse([]byte(s.String()))
		if err != nil {
			t.Fatal(err)
		}
		if b.State != state || len(b.Input) != len(filled(inputs)) || strings.Count(b.Run, "\n") != max(0, len(commands)-1) {
			t.Fatalf("%+v of\n%s", b, s.String())
		}
	})
}
