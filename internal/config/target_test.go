package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// market is a world with vendors of every kind.
func market(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.src.Vendors = []Vendor{
		{
			Name: "openai", API: "chat", BaseURL: "https://api.openai.example/v1", KeyEnv: []string{"OPENAI_API_KEY"}, DefaultModel: "big-1",
			Also: map[string]Place{"responses": {BaseURL: "https://api.openai.example/v1"}},
		},
		{
			Name: "anthropic", API: "anthropic", BaseURL: "https://api.anthropic.example/v1", KeyEnv: []string{"ANTHROPIC_API_KEY"}, DefaultModel: "claude-1",
			Also: map[string]Place{"chat": {BaseURL: "https://api.anthropic.example/compat"}},
		},
		{Name: "gate", API: "chat", BaseURL: "https://gate.example/v1", KeyEnv: []string{"GATE_KEY", "GATE_OTHER"}, DefaultModel: "openai/big-1", SlashIDs: true},
		{
			Name: "cloud", API: "chat", KeyEnv: []string{"CLOUD_KEY"}, Form: "https://RESOURCE.cloud.example/v1", DefaultModel: "c",
			Also: map[string]Place{"responses": {Form: "https://RESOURCE.cloud.example/v1"}, "anthropic": {Form: "https://RESOURCE.other.example"}},
		},
		{Name: "local", API: "chat", BaseURL: "http://127.0.0.1:11434/v1", SlashIDs: true, Local: true},
		{Name: "generic", API: "chat", KeyEnv: []string{"OPENAI_API_KEY"}, Form: "https://HOST/v1", Also: map[string]Place{"anthropic": {Form: "https://HOST/v1"}}},
		{Name: "program", API: "command", KeyEnv: []string{"PROGRAM_KEY"}},
	}
	return w
}

func TestTargets(t *testing.T) {
	const user = "presets:\n" +
		"  mine: {base_url: 'http://127.0.0.1:7/v1', default_model: m}\n" +
		"  twin: {like: openai, base_url: 'https://mirror.example/v1'}\n" + // another's address gets no key of openai's
		"  same: {like: openai, base_url: 'https://api.openai.example/v2', api: responses}\n" +
		"  kept: {like: openai, base_url: 'https://mirror.example/v1', key_env: [KEPT_KEY]}\n" +
		"  anthropic: {base_url: 'https://moved.example/v1'}\n"
	for _, c := range []struct {
		env  []string
		want Want
		got  string // provider api base key model, or words of the error
	}{
		{nil, Want{Provider: "mine"}, "mine chat http://127.0.0.1:7/v1 - m"},
		{nil, Want{Provider: "mine", API: "anthropic", Model: "x"}, "mine anthropic http://127.0.0.1:7/v1 - x"},
		{nil, Want{Provider: "twin"}, "twin chat https://mirror.example/v1 - big-1"},
		{nil, Want{Provider: "twin", API: "responses"}, "twin responses https://mirror.example/v1 - big-1"},
		{nil, Want{Provider: "same"}, "same responses https://api.openai.example/v2 k-open big-1"},
		{nil, Want{Provider: "same", API: "chat"}, "same chat https://api.openai.example/v2 k-open big-1"},
		{[]string{"KEPT_KEY=k-kept"}, Want{Provider: "kept"}, "kept chat https://mirror.example/v1 k-kept big-1"},
		{nil, Want{Provider: "kept"}, "no key for kept: set KEPT_KEY"},
		{nil, Want{Provider: "anthropic"}, "no key for anthropic: set ANTHROPIC_API_KEY"},
		{[]string{"ANTHROPIC_API_KEY=k-an"}, Want{Provider: "anthropic"}, "anthropic anthropic https://moved.example/v1 k-an claude-1"},
		{[]string{"GATE_OTHER=k-2"}, Want{Provider: "gate"}, "gate chat https://gate.example/v1 k-2 openai/big-1"},
		{[]string{"GATE_OTHER=k-2", "GATE_KEY=k-1"}, Want{Provider: "gate", Model: "a/b"}, "gate chat https://gate.example/v1 k-1 a/b"},
		{nil, Want{Provider: "gate", API: "responses"}, "gate does not speak responses; it speaks chat"},
		{nil, Want{Provider: "local"}, "local chat http://127.0.0.1:11434/v1 - -"},
		{[]string{"CLOUD_KEY=k"}, Want{Provider: "cloud"}, "cloud has no fixed address: name it with --base-url or api_base; it looks like https://RESOURCE.cloud.example/v1"},
		{[]string{"CLOUD_KEY=k"}, Want{Provider: "cloud", API: "anthropic"}, "it looks like https://RESOURCE.other.example"},
		{nil, Want{Provider: "generic"}, "generic has no fixed address"},
		{[]string{"OPENAI_BASE_URL=http://127.0.0.1:9/v1"}, Want{Provider: "generic", Model: "x"}, "generic chat http://127.0.0.1:9/v1 k-open x"},
		{[]string{"OPENAI_BASE_URL=http://127.0.0.1:9/v1"}, Want{Provider: "generic"}, "no model named for generic"},
		{nil, Want{Provider: "program", Model: "x"}, "program command - - x"},
		{nil, Want{Provider: "mina"}, `there is no vendor "mina"; did you mean "mine"?`},
		{nil, Want{Provider: "qqqqqqqqqq"}, `there is no vendor "qqqqqqqqqq"`},
		// the configuration's own: openai, by its key
		{nil, Want{}, "openai chat https://api.openai.example/v1 k-open big-1"},
		{nil, Want{API: "responses", Model: "x"}, "openai responses https://api.openai.example/v1 k-open x"},
		{nil, Want{API: "gemini"}, "openai does not speak gemini; it speaks chat, responses"},
	} {
		w := market(t)
		w.user(user)
		w.env("OPENAI_API_KEY=k-open")
		w.env(c.env...)
		if slices.ContainsFunc(c.env, func(s string) bool { return strings.HasPrefix(s, "OPENAI_BASE_URL") }) {
			w.src.Flags["provider"] = "mine" // so that generic is another one
		}
		got, err := w.load().Target(c.want)
		said := fmt.Sprintf("%s %s %s %s %s", got.Provider, got.API, or(got.BaseURL, "-"), or(got.Key, "-"), or(got.Model, "-"))
		if err != nil {
			said = err.Error()
		}
		if said != c.got && (err == nil || !strings.Contains(said, c.got)) {
			t.Errorf("%v %+v:\n got %s\nwant %s", c.env, c.want, said, c.got)
		}
	}
}

// An address that was named is the vendor's for all wires that look the same there, and for no other.
func TestTargetsAtANamedAddress(t *testing.T) {
	w := market(t)
	w.env("CLOUD_KEY=k")
	w.src.Flags["provider"], w.src.Flags["base-url"] = "cloud", "https://mine.cloud.example/v1"
	c := w.load()
	for api, want := range map[string]string{
		"": "https://mine.cloud.example/v1", "responses": "https://mine.cloud.example/v1", "gemini": "https://mine.cloud.example/v1",
		"anthropic": "cloud does not speak anthropic at the address that was named: name another with --base-url or api_base; it looks like https://RESOURCE.other.example",
	} {
		got, err := c.Target(Want{API: api})
		if err != nil && err.Error() != want || err == nil && (got.BaseURL != want || got.Key != "k") {
			t.Errorf("%s: %+v, %v", api, got, err)
		}
	}
	w = market(t)
	if _, err := w.load().Target(Want{}); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("nobody can be asked: %v", err)
	}
	w.src.Flags["api"] = "offline"
	if got, err := w.load().Target(Want{}); err != nil || got.API != "offline" {
		t.Errorf("offline: %+v, %v", got, err)
	}
}

func TestChoose(t *testing.T) {
	w := market(t)
	w.user("presets: {mine: {base_url: 'http://127.0.0.1:7/v1'}, other: {like: gate}, many: {base_url: 'http://127.0.0.1:8/v1', default_model: a/b}}\n")
	w.env("OPENAI_API_KEY=k-open")
	c := w.load()
	known := func(vendor, id string) bool {
		return vendor == "openai" && id == "anthropic/special" || vendor == "gate" && id == "gate/auto"
	}
	for _, x := range []struct{ from, name, want string }{
		{"", "big-2", "openai big-2"},
		{"", "anthropic/claude-2", "anthropic claude-2"},
		{"", "anthropic/", "anthropic claude-1"},
		{"gate", "anthropic/", "anthropic claude-1"}, // never an id
		{"gate", "anthropi/", `no vendor "anthropi"; did you mean "anthropic"?`},
		{"generic", "nosuch/", "no vendor"},
		{"mine", "local//", "local "},
		{"", "openai/big-2", "openai big-2"},
		{"", "anthropic/special", "openai anthropic/special"}, // known to be its own
		{"", "mine/a/b", "mine a/b"},
		{"", "mine//x", "mine x"},
		{"", "nosuch/x", "no vendor"},
		{"", "nosuch//x", "no vendor"},
		{"gate", "anthropic/claude-2", "gate anthropic/claude-2"}, // a gateway's ids look like that
		{"gate", "anthropic//claude-2", "anthropic claude-2"},
		{"gate", "mine/x", "mine x"}, // the person's own names are known
		{"gate", "gate/x", "gate x"},
		{"gate", "gate/auto", "gate gate/auto"},
		{"openai", "gate/auto", "gate gate/auto"},
		{"gate", "nosuch/x", "gate nosuch/x"},
		{"other", "anthropic/claude-2", "other anthropic/claude-2"}, // like a gateway
		{"local", "openai/gpt-oss", "local openai/gpt-oss"},
		{"mine", "org/model", `no vendor "org"`},
		{"mine", "anthropi/x", `there is no vendor "anthropi"; did you mean "anthropic"? (/model lists them). If it is the id of a model of mine, write mine//anthropi/x`},
		{"mine", "mine//org/model", "mine org/model"},
		{"many", "org/model", "many org/model"}, // its own model has a slash
		{"mine", "anthropic/claude-2", "anthropic claude-2"},
		{"generic", "org/model", "generic org/model"},
		{"generic", "anthropic/claude-2", "anthropic claude-2"},
		{"cloud", "org/deployment", "cloud org/deployment"},
	} {
		got, err := c.Choose(x.name, x.from, known)
		said := got.Provider + " " + got.Model
		if err != nil {
			said = err.Error()
		}
		if said != x.want && (err == nil || !strings.Contains(said, x.want)) {
			t.Errorf("%s said near %q: got %q, want %q", x.name, x.from, said, x.want)
		}
	}
	w.src.Flags["base-url"], w.src.Flags["provider"] = "http://127.0.0.1:8/v1", "openai"
	if got, err := w.load().Choose("org/model", "", nil); err != nil || got.Model != "org/model" {
		t.Errorf("at a server of one's own: %+v, %v", got, err)
	}
}

// Whatever is said, nothing panics, an id without a slash is never taken apart, and the vendor is one that there is.
func TestChooseHolds(t *testing.T) {
	w := market(t)
	w.env("OPENAI_API_KEY=k-open")
	c := w.load()
	var names []string
	for _, v := range c.Vendors() {
		names = append(names, v.Name)
	}
	rapid.Check(t, func(r *rapid.T) {
		part := rapid.OneOf(rapid.SampledFrom(append(names, "")), rapid.StringMatching(`[a-z:.-]{0,6}`))
		name := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(r, "name"), "/")
		from := rapid.SampledFrom(names).Draw(r, "from")
		got, err := c.Choose(name, from, nil)
		if err != nil {
			if !strings.Contains(err.Error(), "no vendor") {
				r.Fatal(err)
			}
			return
		}
		if v, _ := find(c.Vendors(), got.Provider); !slices.Contains(names, got.Provider) || !strings.HasSuffix(name, got.Model) && (!strings.HasSuffix(name, "/") || got.Model != v.DefaultModel) {
			r.Fatalf("%q near %s: %+v", name, from, got)
		}
		if !strings.Contains(name, "/") && (got.Provider != from || got.Model != name) {
			r.Fatalf("%q near %s: %+v", name, from, got)
		}
	})
}

// VENDOR/MODEL may stand wherever a model is named; what weaker layers said of another vendor is not about this one.
func TestTheModelNamesTheVendor(t *testing.T) {
	for name, c := range map[string]struct {
		user  string
		env   []string
		flags map[string]string
		want  string // provider api base key model, or words of an error or of why nothing can be asked
	}{
		"a flag":             {"", nil, map[string]string{"model": "anthropic/claude-2"}, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-2"},
		"a setting":          {"model: anthropic/claude-2\n", nil, nil, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-2"},
		"a variable":         {"", []string{"MODEL_ID=openai//big-9"}, nil, "openai chat https://api.openai.example/v1 k-open big-9"},
		"its own vendor":     {"", nil, map[string]string{"model": "openai/big-9"}, "openai chat https://api.openai.example/v1 k-open big-9"},
		"the default":        {"", nil, map[string]string{"model": "anthropic/"}, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-1"},
		"a later flag":       {"provider: gate\napi: chat\napi_key: k-of-gate\n", nil, map[string]string{"model": "anthropic//claude-2"}, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-2"},
		"beside a provider":  {"provider: gate\nmodel: anthropic/claude-2\n", []string{"GATE_KEY=g"}, nil, "gate chat https://gate.example/v1 g anthropic/claude-2"},
		"beside an address":  {"", []string{"OPENAI_BASE_URL=http://127.0.0.1:9/v1", "MODEL_ID=anthropic/claude-2"}, nil, "generic chat http://127.0.0.1:9/v1 k-open anthropic/claude-2"},
		"behind an address":  {"", []string{"OPENAI_BASE_URL=http://127.0.0.1:9/v1"}, map[string]string{"model": "anthropic/claude-2"}, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-2"},
		"openai's address":   {"", []string{"OPENAI_BASE_URL=http://127.0.0.1:9/v1"}, map[string]string{"model": "openai/big-2"}, "openai chat http://127.0.0.1:9/v1 k-open big-2"},
		"nobody":             {"", nil, map[string]string{"model": "nosuch/x"}, `there is no vendor "nosuch"`},
		"no key of its own":  {"provider: openai\napi_key: k-of-mine\n", nil, map[string]string{"model": "gate/x"}, "no key for gate"},
		"another vendor":     {"provider: cloud\napi_base: https://mine.cloud.example/v1\napi_key: k-of-cloud\n", nil, map[string]string{"provider": "anthropic"}, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-1"},
		"by the address":     {"api_base: https://gate.example/v1\napi_key: k-of-gate\n", nil, map[string]string{"provider": "anthropic"}, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-1"},
		"the same vendor":    {"provider: cloud\napi_base: https://mine.cloud.example/v1\napi_key: k-of-cloud\n", nil, map[string]string{"provider": "cloud"}, "cloud chat https://mine.cloud.example/v1 k-of-cloud c"},
		"one's own server":   {"api_base: http://127.0.0.1:9/v1\napi_key: k-of-it\nmodel: x\n", nil, map[string]string{"provider": "anthropic"}, "anthropic anthropic http://127.0.0.1:9/v1 k-of-it x"},
		"a wire, unspoken":   {"provider: gate\n", []string{"GATE_KEY=g"}, map[string]string{"api": "gemini"}, "--api: gate does not speak gemini; it speaks chat"},
		"a wire by its keys": {"", nil, map[string]string{"api": "anthropic"}, "anthropic anthropic https://api.anthropic.example/v1 k-an claude-1"},
		"another wire":       {"provider: anthropic\n", nil, map[string]string{"api": "chat"}, "anthropic chat https://api.anthropic.example/compat k-an claude-1"},
	} {
		w := market(t)
		w.user(c.user)
		w.env("OPENAI_API_KEY=k-open", "ANTHROPIC_API_KEY=k-an")
		w.env(c.env...)
		maps.Copy(w.src.Flags, c.flags)
		got, err := Load(w.src)
		var said string
		switch {
		case err != nil:
			said = err.Error()
		case got.Ready() != nil:
			said = got.Ready().Error()
		default:
			said = fmt.Sprintf("%s %s %s %s %s", got.Provider, got.API, got.APIBase, got.APIKey, got.Model)
		}
		if said != c.want && !strings.Contains(said, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, said, c.want)
		}
	}
}

// A vendor that a project's file names with the model needs the person's trust, as one that it names alone.
func TestAProjectsVendorNeedsTrust(t *testing.T) {
	w := market(t)
	w.env("OPENAI_API_KEY=k-open", "ANTHROPIC_API_KEY=k-an")
	w.project("# ours\nmodel: anthropic/claude-2\n")
	_, err := Load(w.src)
	if ask, ok := errors.AsType[*UntrustedError](err); !ok || len(ask.Items) != 1 || ask.Items[0].Key != "model" || ask.Items[0].Line != 2 || ask.Items[0].Value == "" {
		t.Fatalf("%v", err)
	}
	w.src.SkipUntrusted = true
	if c := w.load(); c.Provider != "openai" || c.Model != "big-1" || len(c.Ignored) != 1 {
		t.Errorf("%s %s %v", c.Provider, c.Model, c.Ignored)
	}
	w.src.SkipUntrusted, w.src.Flags["trust"] = false, "true"
	if c := w.load(); c.Provider != "anthropic" || c.Model != "claude-2" {
		t.Errorf("%s %s", c.Provider, c.Model)
	}
	w.src.Flags = map[string]string{"model": "big-2"} // what is stronger replaces it
	if c := w.load(); c.Provider != "openai" || c.Model != "big-2" {
		t.Errorf("%s %s", c.Provider, c.Model)
	}
	w.project("model: openai/big-3\n") // the vendor that it is anyway
	w.src.Flags = map[string]string{}
	if c := w.load(); c.Provider != "openai" || c.Model != "big-3" {
		t.Errorf("%s %s", c.Provider, c.Model)
	}
}

// Without any key a vendor that wants none can be named with its model.
func TestAModelWithoutAnyKey(t *testing.T) {
	w := market(t)
	w.user("presets: {mine: {base_url: 'http://127.0.0.1:7/v1'}}\n")
	w.src.Flags["model"] = "mine/a/b"
	if c := w.load(); c.Ready() != nil || c.Provider != "mine" || c.Model != "a/b" || c.APIBase != "http://127.0.0.1:7/v1" {
		t.Errorf("%+v, %v", c, c.Ready())
	}
	w.src.Flags["model"] = "gate/x"
	if err := w.load().Ready(); err == nil || !strings.Contains(err.Error(), "GATE_KEY") {
		t.Errorf("%v", err)
	}
	w.src.Flags["model"] = "org/x"
	if err := w.load().Ready(); err == nil || !strings.Contains(err.Error(), "no key and no server") {
		t.Errorf("%v", err)
	}
}

func TestKeysAreNamed(t *testing.T) {
	w := market(t)
	w.env("GATE_OTHER=g", "OPENAI_API_KEY=k")
	c := w.load()
	for _, v := range c.Vendors() {
		want := map[string]string{"gate": "GATE_OTHER", "openai": "OPENAI_API_KEY", "generic": "OPENAI_API_KEY"}[v.Name]
		if got := c.KeyOf(v); got != want {
			t.Errorf("%s: %q", v.Name, got)
		}
	}
}

// An id that nobody can vouch for is named as what it may be: another vendor's name with a slip in it.
func TestTakenForIDs(t *testing.T) {
	w := market(t)
	w.user("presets: {mine: {base_url: 'http://127.0.0.1:7/v1', default_model: a/b}}\nmodels: {org/known: {vision: true}, generic/our/known: {vision: true}}\n")
	c := w.load()
	for _, x := range []struct{ vendor, model, head, near string }{
		{"generic", "anthropi/x", "anthropi", "anthropic"},
		{"generic", "qqqqqqqqqq/x", "qqqqqqqqqq", ""},
		{"generic", "anthropic/x", "", ""},
		{"generic", "x", "", ""},
		{"generic", "org/known", "", ""},
		{"generic", "our/known", "", ""},
		{"mine", "org/x", "", ""},
		{"gate", "anthropi/x", "", ""},
		{"nosuch", "a/x", "", ""},
	} {
		if head, near := c.TakenForID(x.vendor, x.model); head != x.head || near != x.near {
			t.Errorf("%s of %s: %q near %q", x.model, x.vendor, head, near)
		}
	}
	if !c.HasVendor("mine") || c.HasVendor("nosuch") {
		t.Error("vendors")
	}
}

func TestPresetsThatAreNone(t *testing.T) {
	for file, words := range map[string][]string{
		"# one\npresets:\n  \"\": {base_url: 'http://h/v1'}\n":   {"config.yaml:3", `a preset cannot be called ""`},
		"# one\npresets:\n  a/b: {base_url: 'http://h/v1'}\n":    {"config.yaml:3", `a preset cannot be called "a/b"`},
		"presets:\n  mine:\n    api: command\n    command: []\n": {"config.yaml:4", "presets.mine.command must name a program"},
		"presets:\n  mine:\n    command: [\"\", x]\n":            {"config.yaml:3", "presets.mine.command must name a program"},
	} {
		w := market(t)
		w.user(file)
		w.fails(words...)
	}
}
