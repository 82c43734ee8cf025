package cost

import (
	"slices"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	table := NewTable(nil)
	for _, c := range []struct{ vendor, id, want string }{
		// as it is, by the vendor's own entry
		{"openai", "gpt-5.4", "openai gpt-5.4"},
		{"openrouter", "qwen/qwen3.8-27b", "openrouter qwen/qwen3.8-27b"},
		{"groq", "qwen/qwen3.8-27b", "groq qwen/qwen3.8-27b"},
		{"gemini", "gemini-2.5-pro", "google gemini-2.5-pro"},
		{"vertex", "gemini-2.5-pro", "google-vertex gemini-2.5-pro"},
		{"mistral", "mistral-large-latest", "mistral mistral-large-latest"},
		{"mistral", "codestral-2508", "mistral codestral-2508"},
		{"openrouter", "google/gemma-4-31b-it:free", "openrouter google/gemma-4-31b-it:free"},
		// of several others the dearest
		{"generic", "qwen/qwen3.8-27b", "groq qwen/qwen3.8-27b"},
		{"", "moonshotai/kimi-k3", "openrouter moonshotai/kimi-k3"},
		// without a date, a version, -latest
		{"openai", "gpt-5.4-2026-03-05", "openai gpt-5.4"},
		{"openai", "gpt-4o-2024-11-20", "openai gpt-4o"},
		{"anthropic", "claude-opus-5-20260401", "anthropic claude-opus-5"},
		{"anthropic", "claude-sonnet-5-5-latest", "anthropic claude-sonnet-5-5"},
		{"gemini", "gemini-2.5-pro-001", "google gemini-2.5-pro"},
		{"gemini", "gemini-2.5-flash-09-2025", "google gemini-2.5-flash"},
		{"gemini", "gemini-2.5-flash-09-17", "google gemini-2.5-flash"},
		{"moonshot", "kimi-k3-0905", "moonshot kimi-k3"},
		{"mistral", "devstral-2512", "mistral devstral-2512"},
		{"azure", "gpt-4.1-mini-2025-04-14", "openai gpt-4.1-mini"},
		// behind a gateway's slash
		{"openrouter", "anthropic/claude-opus-5", "anthropic claude-opus-5"},
		{"litellm", "openai/gpt-5.4-2026-03-05", "openai gpt-5.4"},
		{"gemini", "models/gemini-2.5-flash", "google gemini-2.5-flash"},
		{"litellm", "vertex_ai/claude-opus-5@20260401", "anthropic claude-opus-5"},
		{"openrouter", "anthropic/claude-opus-5.5", "anthropic claude-opus-5-5"},
		{"openrouter", "anthropic/claude-sonnet-5.5", "openrouter anthropic/claude-sonnet-5.5"},
		// regions of Bedrock
		{"bedrock", "us.anthropic.claude-opus-5", "amazon-bedrock us.anthropic.claude-opus-5"},
		{"bedrock", "eu.anthropic.claude-opus-5", "amazon-bedrock us.anthropic.claude-opus-5"},
		{"bedrock", "anthropic.claude-opus-5", "amazon-bedrock us.anthropic.claude-opus-5"},
		{"bedrock", "global.anthropic.claude-haiku-4-5-20251001-v1:0", "amazon-bedrock us.anthropic.claude-haiku-4-5-20251001-v1:0"},
		{"bedrock", "apac.amazon.nova-pro-v1:0", "amazon-bedrock us.amazon.nova-pro-v1:0"},
		{"bedrock", "jp.anthropic.claude-opus-4-7-20260101-v1:0", "anthropic claude-opus-4-7"},
		{"litellm", "bedrock/eu.anthropic.claude-sonnet-5", "amazon-bedrock us.anthropic.claude-sonnet-5"},
		// other capitals
		{"minimax", "minimax-m3", "minimax MiniMax-M3"},
		{"zhipu", "GLM-5.3", "zai glm-5.3"},
		// nothing
		{"openai", "gpt-99", ""},
		{"openai", "", ""},
		{"openai", "gpt-5.4\",\"provider", ""},
		{"dashscope", "qwen3.7-max", ""},
		{"openrouter", "some/model:free", ""},
		{"openrouter", "google/gemma-4-31b-it:nitro", ""},
		// nobody takes money for a token there
		{"ollama", "gpt-oss-120b", ""},
		{"vllm", "openai/gpt-oss-120b", ""},
		{"copilot", "claude-sonnet-5", ""},
	} {
		m, ok := table.Lookup(c.vendor, c.id)
		if got := strings.TrimSpace(m.Vendor + " " + m.ID); got != c.want || ok != (c.want != "") {
			t.Errorf("%s, %s: %q (%t), want %q", c.vendor, c.id, got, ok, c.want)
		}
	}
}

func TestFormsEnd(t *testing.T) {
	got := slices.Collect(forms("bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0"))
	want := []string{
		"bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0", "bedrock/eu.anthropic.claude-haiku-4-5-20251001", "bedrock/eu.anthropic.claude-haiku-4-5",
		"eu.anthropic.claude-haiku-4-5-20251001-v1:0", "eu.anthropic.claude-haiku-4-5-20251001", "eu.anthropic.claude-haiku-4-5",
		"us.anthropic.claude-haiku-4-5-20251001-v1:0", "us.anthropic.claude-haiku-4-5-20251001", "us.anthropic.claude-haiku-4-5",
		"claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001", "claude-haiku-4-5",
	}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("forms:\n%s", strings.Join(got, "\n"))
	}
	for range forms("a/b-latest") {
		break // breaking out early is allowed
	}
}

func TestOwnPrices(t *testing.T) {
	n := func(usd float64) *float64 { return &usd }
	table := NewTable(map[string]Own{
		"gpt-5.4":                 {Input: n(1)},                // the rest is the table's
		"house-model":             {Input: n(3), Output: n(4)},  // nobody else knows it
		"half-model":              {Input: n(3)},                // half a price is none
		"openrouter/gpt-5.5":      {Input: n(7), Output: n(8)},  // of this vendor alone
		"claude-opus-5":           {Cached: n(0)},               // free, not "none"
		"qwen3:32b":               {Input: n(0), Output: n(.1)}, // on one's own machine
		"anthropic/claude-opus-9": {Input: n(5), Output: n(6), Cached: n(1), CacheWrite: n(2)},
	})
	u := shape{input: 1e6, cached: 2e5, written: 1e5, output: 1e6}
	for _, c := range []struct {
		vendor, id string
		want       string
		own        bool
	}{
		{"openai", "gpt-5.4", "15.85", true}, // 0.8 at 1, 0.2 at 0.25, output at 15; no tier
		{"openai", "gpt-5.4-2026-03-05", "15.85", true},
		{"generic", "house-model", "7", true},
		{"generic", "house-model-20260101", "7", true},
		{"generic", "half-model", "an unknown sum", false},
		{"openrouter", "gpt-5.5", "13.7", true},
		{"openai", "gpt-5.5", "53.2", false}, // its tier: 0.8 at 10, 0.2 at 1, output at 45
		{"anthropic", "claude-opus-5", "29.125", true},
		{"ollama", "qwen3:32b", "0.1", true},
		{"ollama", "gpt-5.4", "an unknown sum", false}, // only the input is named, and there is no other price there
		{"anthropic", "claude-opus-9", "9.9", true},
	} {
		m, _ := table.Lookup(c.vendor, c.id)
		if got := show(m.Cost(u.usage())); got != c.want || m.Own != c.own {
			t.Errorf("%s %s: %s (own %t), want %s", c.vendor, c.id, got, m.Own, c.want)
		}
	}
	list, err := table.All()
	if err != nil || !slices.ContainsFunc(list, func(m Model) bool { return m.ID == "gpt-5.4" && m.Own && m.Price.Input == 1 }) {
		t.Errorf("the list does not have the person's price (%v)", err)
	}
	if !slices.IsSortedFunc(list, func(a, b Model) int { return strings.Compare(a.Vendor, b.Vendor) }) {
		t.Error("the list is not sorted")
	}
}

// The facts of the built-in table that everything else relies on.
func TestBuiltIn(t *testing.T) {
	table := NewTable(nil)
	if len(table.AsOf()) != len("2026-11-20") {
		t.Errorf("as of %q", table.AsOf())
	}
	list, err := table.All()
	if err != nil || len(list) < 150 {
		t.Fatalf("%d models, %v", len(list), err)
	}
	seen, tiers := map[string]bool{}, 0
	for _, m := range list {
		key := m.Vendor + " " + m.ID
		if seen[key] || m.Context <= 0 || m.MaxOutput <= 0 || !m.Tools {
			t.Errorf("%s: twice, or without limits or tools", key)
		}
		seen[key] = true
		if p := m.Price; p != nil && (p.Input < 0 || p.Output < p.Input || p.Cached != nil && *p.Cached > p.Input) {
			t.Errorf("%s: odd prices %+v", key, *p)
		}
		tiers += len(m.Tiers)
		if got, ok := table.Lookup(m.Vendor, m.ID); !ok || got.ID != m.ID || got.Vendor != m.Vendor {
			t.Errorf("%s is found as %s %s", key, got.Vendor, got.ID)
		}
	}
	if tiers < 20 {
		t.Errorf("%d tiers", tiers)
	}
	for _, id := range []string{"openrouter/auto"} {
		if m, ok := table.Lookup("openrouter", id); !ok || m.Price != nil {
			t.Errorf("%s passes requests on, but has the price %+v", id, m.Price)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`[`, "prices: "},
		{`{"models":[{"id":"a","provider":"b","input":1,"output":2},{"id":"a"}]}`, "prices: model 2: id and provider are required"},
		{`{"models":[{"id":7,"provider":"b"}]}`, "prices: model 1: "},
	} {
		if _, err := Parse([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.data, err)
		}
	}
	broken := &Table{raw: func() ([]byte, error) { return []byte("{}"), nil }}
	if _, err := broken.All(); err == nil {
		t.Error("a table without models is no fault")
	}
	if _, ok := broken.Lookup("openai", "gpt-5.4"); ok {
		t.Error("a broken table knows something")
	}
}

// A vendor that the person has named may stand for another one, and a server of one's own takes no money whatever its name.
func TestKnown(t *testing.T) {
	table := NewTable(map[string]Own{"house/gpt-5.5": {Input: new(1.0)}})
	table.Known = func(vendor string) (string, bool) {
		return map[string]string{"house": "azure", "box": "ollama", "copy": "mistral"}[vendor], vendor == "garage"
	}
	for _, c := range []struct{ vendor, id, want string }{
		{"house", "gpt-5.4", "openai 2.5"}, {"house", "gpt-5.5", "openai 1"}, {"box", "gpt-oss-120b", ""}, {"garage", "gpt-oss-120b", ""}, {"copy", "mistral-large-4", "mistral 0.7"},
	} {
		m, ok := table.Lookup(c.vendor, c.id)
		got := ""
		if ok {
			got = m.Vendor + " " + show(&m.Price.Input)
		}
		if got != c.want || table.Unbilled(c.vendor) != (c.want == "") {
			t.Errorf("%s %s: %q, want %q", c.vendor, c.id, got, c.want)
		}
	}
	if list, err := table.Of("house"); err != nil || len(list) < 20 {
		t.Errorf("%d models, %v", len(list), err)
	}
	if list, err := table.Of("box"); err != nil || len(list) != 0 {
		t.Errorf("%d models, %v", len(list), err)
	}
}

func FuzzLookup(f *testing.F) {
	for _, s := range []string{"", "gpt-5.4", "a/b/c", "eu.anthropic.", "-latest", "-v1:0", "@20260101", "x-20260101-v2:0", "..", "\"", "é\xff"} {
		f.Add("openai", s)
	}
	table := NewTable(nil)
	f.Fuzz(func(t *testing.T, vendor, id string) {
		n := 0
		for form := range forms(id) {
			if n++; n > 4*len(id)+8 || form == "" {
				t.Fatalf("form %d of %q: %q", n, id, form)
			}
		}
		if m, ok := table.Lookup(vendor, id); ok && m.ID == "" {
			t.Fatalf("%q finds nothing: %+v", id, m)
		}
	})
}
