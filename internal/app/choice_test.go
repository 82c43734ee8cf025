package app

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"react-agent/internal/config"
	"react-agent/kit/profile"
	"react-agent/provider/wire"
)

func TestChoicesAreKeptAsState(t *testing.T) {
	for _, c := range []choice{{}, {Model: "m"}, {Provider: "p", API: "chat", Model: "a/b"}} {
		state, err := c.state()
		if err != nil {
			t.Fatal(err)
		}
		got, ok := choiceIn(state)
		if got != c || ok != (c != choice{}) {
			t.Errorf("%s: %+v, %t", state[modelKey], got, ok)
		}
	}
	for _, raw := range []string{"", "null", "7", `"m"`, `{"model":7}`, "{}"} {
		if c, ok := choiceIn(map[string]json.RawMessage{modelKey: json.RawMessage(raw)}); ok || c != (choice{}) {
			t.Errorf("%s: %+v, %t", raw, c, ok)
		}
	}
	if _, ok := choiceIn(nil); ok {
		t.Error("a choice out of nothing")
	}
}

func TestVendorsOfThePersonsOwn(t *testing.T) {
	yes, empty := true, "null"
	p := &product{c: &config.Config{Presets: map[string]config.Preset{
		"mine":  {BaseURL: "http://127.0.0.1:7/v1", IDs: "mistral", KeyHeader: "X-Key", MaxTokensField: "n", NoStreamUsage: &yes, EmptyContent: &empty, ContextWindow: 9},
		"other": {Like: "deepseek", API: "anthropic"},
		"there": {Like: "deepseek", BaseURL: "https://there.example/v1", DefaultModel: "d"},
		"xai":   {DefaultModel: "grok-0"},
	}}}
	mine := p.preset("mine")
	if mine.Name != "mine" || mine.API != "chat" || mine.IDs != wire.IDMistral || mine.KeyHeader != "X-Key" || mine.MaxTokensField != "n" ||
		!mine.NoStreamUsage || mine.EmptyContent != "null" || mine.Context != 9 {
		t.Errorf("%+v", mine)
	}
	for _, api := range []string{"chat", "responses", "anthropic", "gemini"} { // a server speaks what it is asked in
		if q, err := mine.For(api); err != nil || q.BaseURL != "http://127.0.0.1:7/v1" {
			t.Errorf("%s: %+v, %v", api, q, err)
		}
	}
	known, _ := wire.Lookup("deepseek")
	other := p.preset("other")
	if other.API != "anthropic" || other.BaseURL != known.Also["anthropic"].BaseURL || other.ReasoningField != known.ReasoningField {
		t.Errorf("%+v", other)
	}
	if q, err := other.For("chat"); err != nil || q.BaseURL != known.BaseURL {
		t.Errorf("%+v, %v", q, err)
	}
	there := p.preset("there")
	if q, err := there.For("anthropic"); err != nil || q.BaseURL != "https://there.example/v1" || there.DefaultModel != "d" {
		t.Errorf("a vendor at another address asks the first one's: %+v, %v", q, err)
	}
	if x := p.preset("xai"); x.DefaultModel != "grok-0" || x.BaseURL == "" {
		t.Errorf("%+v", x)
	}
	if x := p.preset("nobody"); x.Name != "" {
		t.Errorf("%+v", x)
	}
}

// The two tables of vendors, the wires' and the settings', say the same: the settings choose the address, the wires speak.
func TestTablesAgree(t *testing.T) {
	for _, v := range vendors(nil) {
		preset, ok := wire.Lookup(v.Name)
		if !ok || v.API != preset.API || v.BaseURL != preset.BaseURL || v.DefaultModel != preset.DefaultModel || len(v.Also) != len(preset.Also) {
			t.Errorf("%s: %+v, %+v", v.Name, v, preset)
		}
		for api, place := range v.Also {
			q, err := preset.For(api)
			if err != nil || q.BaseURL != place.BaseURL || q.Form != place.Form {
				t.Errorf("%s %s: %+v, %+v, %v", v.Name, api, place, q, err)
			}
		}
	}
}

// The manual names every vendor with its wires, its keys and its usual model, in both languages.
func TestTheManualKnowsTheVendors(t *testing.T) {
	for _, file := range []string{"../../docs/models.md", "../../docs/models.zh.md"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]string{}
		for line := range strings.Lines(string(raw)) {
			cells := strings.Split(line, "|")
			if len(cells) < 6 {
				continue
			}
			for _, name := range strings.FieldsFunc(cells[1], func(r rune) bool { return strings.ContainsRune(" `,/、", r) }) {
				rows[name] = line
			}
		}
		for _, v := range wire.Presets() {
			row := rows[v.Name]
			if !strings.Contains(row, "| "+strings.Join(v.Wires(), ", ")+" |") {
				t.Errorf("%s: %s speaks %v: %q", file, v.Name, v.Wires(), row)
			}
			if v.DefaultModel != "" && v.API != "command" && !strings.Contains(row, "| "+v.DefaultModel+" |") {
				t.Errorf("%s: %s has the model %s: %q", file, v.Name, v.DefaultModel, row)
			}
			for _, key := range v.KeyEnv {
				if v.API != "command" && v.Name != "gemini-openai" && !strings.Contains(row, "`"+key+"`") {
					t.Errorf("%s: %s has the key %s: %q", file, v.Name, key, row)
				}
			}
			if v.SlashIDs != strings.Contains(row, "` / |") {
				t.Errorf("%s: ids of %s have slashes: %t: %q", file, v.Name, v.SlashIDs, row)
			}
		}
	}
}

// A face may prefer a wire where nobody names one: it is taken from vendors that speak it.
func TestAFacePrefersAWire(t *testing.T) {
	for _, c := range []struct {
		face, vendor, flag, want string
	}{
		{"responses", "openai", "", "responses"},
		{"responses", "openai", "chat", "chat"},
		{"responses", "deepseek", "", "chat"},
		{"responses", "generic", "", "responses"},
		{"command", "openai", "", "chat"},
		{"", "openai", "", "chat"},
	} {
		src := config.Source{
			Flags: map[string]string{"provider": c.vendor, "model": "m"}, Environ: []string{"OPENAI_API_KEY=k", "DEEPSEEK_API_KEY=k"},
			WorkDir: t.TempDir(), Vendors: vendors(nil), NoFiles: true,
		}
		if c.flag != "" {
			src.Flags["api"] = c.flag
		}
		if c.vendor == "generic" {
			src.Flags["base-url"] = "http://127.0.0.1:1/v1"
		}
		settings, err := config.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		p := &product{c: settings, face: profile.Profile{API: c.face}}
		if got, err := p.target(config.Want{}); err != nil || got.API != c.want || got.Key != "k" {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
}
