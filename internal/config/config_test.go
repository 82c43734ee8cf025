package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/internal/msg"
)

// place is a work directory and a user's home, both empty.
type world struct {
	t          *testing.T
	work, home string
	src        Source
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, work: t.TempDir(), home: t.TempDir()}
	w.src = Source{
		Flags: map[string]string{}, Environ: []string{"HOME=" + w.home}, WorkDir: w.work,
		Vendors: []Vendor{
			{Name: "openai", API: "chat", BaseURL: "https://api.openai.example/v1", KeyEnv: []string{"OPENAI_API_KEY"}, DefaultModel: "big-1"},
			{Name: "deepseek", API: "chat", BaseURL: "https://api.deepseek.example", KeyEnv: []string{"DEEPSEEK_API_KEY"}, DefaultModel: "deep-1", ModelPrefixes: []string{"deep"}},
			{Name: "local", API: "chat", BaseURL: "http://127.0.0.1:11434/v1"},
			{Name: "generic", API: "chat", KeyEnv: []string{"OPENAI_API_KEY"}},
		},
	}
	return w
}

func (w *world) env(pairs ...string) { w.src.Environ = append(w.src.Environ, pairs...) }

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) project(text string) { w.write(filepath.Join(w.work, "config.yaml"), text) }
func (w *world) dotenv(text string)  { w.write(filepath.Join(w.work, ".env"), text) }
func (w *world) user(text string) {
	w.write(filepath.Join(w.home, ".config", "react-agent", "config.yaml"), text)
}

func (w *world) load() *Config {
	w.t.Helper()
	c, err := Load(w.src)
	if err != nil {
		w.t.Fatalf("Load: %v", err)
	}
	return c
}

// fails wants an error that says all of words.
func (w *world) fails(words ...string) error {
	w.t.Helper()
	_, err := Load(w.src)
	if err == nil {
		w.t.Fatalf("loaded, want an error about %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			w.t.Errorf("%q does not say %q", err, word)
		}
	}
	return err
}

func TestLayersInTheirOrder(t *testing.T) {
	w := newWorld(t)
	steps := []struct {
		put    func()
		want   int
		origin string
	}{
		{func() {}, 0, "default"},
		{func() { w.user("\nmax_steps: 1\n") }, 1, "config.yaml:2"},
		{func() { w.project("max_steps: 2\n") }, 2, filepath.Join(w.work, "config.yaml") + ":1"},
		{func() { w.dotenv("A=b\nREACT_AGENT_MAX_STEPS=3\n") }, 3, ".env:2 (REACT_AGENT_MAX_STEPS)"},
		{func() { w.env("REACT_AGENT_MAX_STEPS=4") }, 4, "environment variable REACT_AGENT_MAX_STEPS"},
		{func() { w.src.Flags["max-steps"] = "5" }, 5, "--max-steps"},
	}
	for _, s := range steps {
		s.put()
		c := w.load()
		if c.MaxSteps != s.want || !strings.Contains(c.Origin("max_steps").String(), s.origin) || c.IsSet("max_steps") != (s.want > 0) {
			t.Errorf("%d from %s, want %d from %s", c.MaxSteps, c.Origin("max_steps"), s.want, s.origin)
		}
	}
}

func TestEveryKeyHasAVariable(t *testing.T) {
	for key, c := range map[string]struct {
		value string
		got   func(*Config) any
		want  any
	}{
		"PROFILE":                        {"classic", func(c *Config) any { return c.Profile }, "classic"},
		"MODEL":                          {"m", func(c *Config) any { return c.Model }, "m"},
		"MODE":                           {"yolo", func(c *Config) any { return c.Mode }, "yolo"},
		"TIMEOUT":                        {"2m", func(c *Config) any { return c.Timeout }, 2 * time.Minute},
		"REQUEST_TIMEOUT":                {"90", func(c *Config) any { return c.RequestTimeout }, 90 * time.Second},
		"SHELL_TIMEOUT_SECONDS":          {"1.5", func(c *Config) any { return c.Shell.Timeout }, 1500 * time.Millisecond},
		"MAX_COST":                       {"$0.5", func(c *Config) any { return c.MaxCost }, 0.5},
		"PARALLEL":                       {"3", func(c *Config) any { return c.Parallel }, 3},
		"CONTEXT_WINDOW":                 {"128_000", func(c *Config) any { return c.ContextWindow }, 128000},
		"FALLBACK":                       {"a, b", func(c *Config) any { return strings.Join(c.Fallback, "|") }, "a|b"},
		"PERMISSIONS_DENY":               {"bash(rm *)\nbash(dd *)", func(c *Config) any { return len(c.Permissions.Deny) }, 2},
		"MODELS":                         {`{m: {effort: high}}`, func(c *Config) any { return c.Models["m"].Effort }, "high"},
		"RATE_LIMIT_REQUESTS_PER_MINUTE": {"9", func(c *Config) any { return c.RateLimit.RequestsPerMinute }, 9},
		"DURABILITY":                     {"process", func(c *Config) any { return c.Durability }, "process"},
		"LOG_LEVEL":                      {"debug", func(c *Config) any { return c.Log.Level }, "debug"},
		"LISTEN":                         {"9000", func(c *Config) any { return c.Listen }, "127.0.0.1:9000"},
		"LANG":                           {"zh", func(c *Config) any { return c.Language }, msg.Zh},
		"SKILLS_STRICT":                  {"on", func(c *Config) any { return *c.Skills.Strict }, true},
	} {
		w := newWorld(t)
		w.env("REACT_AGENT_" + key + "=" + c.value)
		if got := c.got(w.load()); got != c.want {
			t.Errorf("%s=%s gives %v, want %v", key, c.value, got, c.want)
		}
	}
}

func TestNamesOfTheSourceSystems(t *testing.T) {
	w := newWorld(t)
	sub := filepath.Join(w.work, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	w.env("OPENAI_API_KEY=k-environment", "OPENAI_BASE_URL=https://gate.example/v1", "MODEL=old", "MODEL_ID=new", "PORT=81", "PROFILE=classic", "WORKDIR=sub")
	c := w.load()
	if c.APIKey != "k-environment" || c.APIBase != "https://gate.example/v1" || c.Model != "new" || c.Listen != "127.0.0.1:81" || c.Profile != "classic" || c.WorkDir != sub || c.API != "chat" {
		t.Errorf("%+v", c)
	}
	if err := c.Ready(); err != nil {
		t.Error(err)
	}
}

func TestUnknownKeysNameTheNearest(t *testing.T) {
	w := newWorld(t)
	w.project("model: m\nmax_stps: 3\nshell:\n  timeout_secs: 3\nmodels:\n  x: {efort: 1}\nzzzzzz: 1\n")
	err := w.fails(":2", `"max_stps"`, `"max_steps"`, ":4", `"shell.timeout_secs"`, `"shell.timeout_seconds"`, ":6", `"models.x.effort"`, ":7", `"zzzzzz"`)
	var all ProblemsError
	if !errors.As(err, &all) || len(all) != 4 || len(all.Unwrap()) != 4 {
		t.Errorf("%d problems, want all four at once: %v", len(all), err)
	}
	if zh := all.In(msg.For(msg.Zh)); !strings.Contains(zh, "max_steps") || zh == err.Error() {
		t.Error(zh)
	}
}

func TestWrongValuesNameKeyValueAndPlace(t *testing.T) {
	for text, words := range map[string][]string{
		"max_steps: many":                       {":1", "max_steps", `"many"`, "whole number"},
		"max_steps: 0":                          {"max_steps", "1 or more"},
		"max_steps: [1]":                        {"max_steps"},
		"timeout: soon":                         {"timeout", `"soon"`, "duration"},
		"timeout: -1s":                          {"duration"},
		"max_cost: free":                        {"max_cost", "number above 0"},
		"max_total_tokens: 0":                   {"max_total_tokens", "1 or more"},
		"models: {a: {price: {input: -1}}}":     {"models.a.price.input", "0 or more"},
		"models: {a: {price: {output: cheap}}}": {"models.a.price.output", "number"},
		"mode: yolk":                            {"mode", `"yolk"`, `"yolo"`},
		"shell: 3":                              {"shell", "mapping"},
		"models: [a]":                           {"models", "mapping"},
		"models: {a: 3}":                        {"models.a", "mapping"},
		"api_base: nowhere":                     {"api_base", "https://host/v1"},
		"listen: here":                          {"listen", "port"},
		"durability: memory":                    {"durability", "disk, process"},
		"skills: {strict: maybe}":               {"skills.strict", "true or false"},
		"fallback: {a: b}":                      {"fallback", "list"},
		"provider: deepsek":                     {"provider", `"deepseek"`},
		"presets: {x: {like: opn}}":             {"presets.x.like"},
		"api_key: [1]":                          {"api_key", "must be a text"},
		"work_dir: .":                           {"work_dir", "use instead"},
	} {
		w := newWorld(t)
		w.src.Flags["trust"] = "true"
		w.project(text + "\n")
		w.fails(words...)
	}
	w := newWorld(t)
	w.env("REACT_AGENT_MAX_STEPS=lots")
	w.fails("REACT_AGENT_MAX_STEPS", `"lots"`)
	w = newWorld(t)
	w.src.Flags["max-steps"] = "-2"
	w.fails("--max-steps", `"-2"`)
	w.src.Flags = map[string]string{"mode": "ask", "yolo": "true"}
	w.fails("--mode", "--yolo")
	w.src.Flags = map[string]string{"cwd": "absent"}
	w.fails("--cwd", "absent")
	w.src.Flags = map[string]string{"config": "absent.yaml"}
	w.fails("--config", "absent.yaml")
}

func TestOddYAML(t *testing.T) {
	for text, word := range map[string]string{
		"model: a\nmodel: b\n":           "is there twice",
		"- a\n":                          "mapping",
		"just words\n":                   "mapping",
		"model: [\n":                     "not valid YAML",
		"shell:\n\ttimeout_seconds: 1\n": "tab",
		"model: a\n---\nmodel: b\n":      "second",
		"a: &x 1\nmodel: *x\n":           "anchors",
		"model: \xff\n":                  "UTF-8",
		"\xff\xfem\x00o\x00":             "UTF-16",
		"model: a # " + strings.Repeat("x", 2<<20) + "\n": "KiB",
	} {
		w := newWorld(t)
		w.project(text)
		w.fails(word, "config.yaml")
	}
	for _, text := range []string{"", "\n# nothing\n", "\ufeffmodel: m\r\n", "model: m", "{model: m}", "model: 'm'\nmode:\n"} {
		w := newWorld(t)
		w.project(text)
		if c := w.load(); strings.Contains(text, "m") && c.Model != "m" {
			t.Errorf("%q: model %q", text, c.Model)
		}
	}
}

// A repository may bring any file; the parser's memory grows with the nesting, so it is bounded.
func TestNestingIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"brackets":            "hooks: " + strings.Repeat("[", 60<<10),
		"brackets over lines": "hooks: " + strings.Repeat("[\n", 30<<10),
		"mappings":            "hooks: " + strings.Repeat("{a: ", 15<<10),
		"lists in lists":      "hooks:\n" + strings.Repeat("- ", 30<<10) + "x\n",
		"complex keys":        strings.Repeat("? ", 30<<10) + "\n",
		"behind a quoted one": `hooks: ["[", ` + strings.Repeat(`["a #", `, 6<<10),
	} {
		w := newWorld(t)
		w.project(text)
		w.fails("nested too deeply", "config.yaml:")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	w := newWorld(t)
	w.project("# " + strings.Repeat("[ - ", 50) + "\nmodel: m\npermissions:\n  deny:\n  - |\n" + strings.Repeat("    [[ -f a ]] && { b; }\n", 50))
	if c := w.load(); c.Model != "m" {
		t.Error("a harmless file is not read")
	}
}

func TestAnothersFileIsLeftAlone(t *testing.T) {
	for _, file := range []string{"database: x\nserver: y\n", "server: {port: 80}\n", "server: {host: localhost, port: 80}\n", "server: {hots: [a.example]}\ndatabase: x\n", "server: {}\n", "server: {listen: ':80'}\n"} {
		w := newWorld(t)
		w.project(file)
		c := w.load()
		if len(c.Ignored) != 1 || !strings.Contains(c.Ignored[0].Origin.String(), "config.yaml") {
			t.Errorf("%q: %+v", file, c.Ignored)
		}
	}
	w := newWorld(t)
	w.project("server: {hosts: [a.example], port: 80}\n")
	w.fails("server.port")
	for file, near := range map[string]string{
		"server: {hots: [a.example]}\n": "server.hosts", "server:\n  tokens: x\n  limit: {each: 1}\n": "server.limits",
	} {
		w := newWorld(t)
		w.project(file)
		w.fails("config.yaml:", near)
	}
}

func TestDotEnvForms(t *testing.T) {
	w := newWorld(t)
	w.dotenv("\ufeff# comment\r\nexport DEEPSEEK_API_KEY='k-$not expanded'\r\nMODEL_ID = \"a\\\"b\" # c\r\nOTHER\r\nREACT_AGENT_MODE=\r\nREACT_AGENT_LOG_FORMAT=json # why\r\nX=\"two\nlines\"\r\nREACT_AGENT_PARALLEL=2\r\n")
	c := w.load()
	if c.APIKey != "k-$not expanded" || c.Model != `a"b` || c.Log.Format != "json" || c.Parallel != 2 || c.Provider != "deepseek" {
		t.Errorf("key %q, model %q, format %q, parallel %d, provider %q", c.APIKey, c.Model, c.Log.Format, c.Parallel, c.Provider)
	}
	if o := c.Origin("parallel"); o.Line != 9 {
		t.Errorf("parallel stands in line %d, want 9", o.Line)
	}
	if len(c.Ignored) != 1 || c.Ignored[0].Origin.Line != 4 {
		t.Errorf("%+v", c.Ignored)
	}
	w.dotenv("MODEL_ID=\"open\n")
	w.fails(".env:1", "MODEL_ID")
	w.dotenv("HTTPS_PROXY=http://elsewhere\nREACT_AGENT_MAX_STEP=2\n")
	if c := w.load(); len(c.Ignored) != 2 {
		t.Errorf("%+v", c.Ignored)
	}
}

func TestWhatARepositoryMayNotDecide(t *testing.T) {
	for _, text := range []string{
		"api_base: https://evil.example/v1", "provider: deepseek", "mode: yolo", "permissions: {allow: ['bash(*)']}",
		"presets: {x: {base_url: 'https://evil.example', headers: {a: b}}}", "hooks: {}", "mcp_servers: {x: {command: sh}}",
		"state_dir: /elsewhere", "state_dir: here", "log: {file: ../../x}", "log: {file: x.log}", "listen: 0.0.0.0:80",
	} {
		w := newWorld(t)
		w.env("OPENAI_API_KEY=secret-of-the-person")
		w.project("# a comment\n" + text + "\n")
		err := w.fails("config.yaml:2", "--trust")
		var u *UntrustedError
		if !errors.As(err, &u) || len(u.Items) != 1 || len(u.Files()) != 1 {
			t.Errorf("%s: %v", text, err)
			continue
		}
		w.src.SkipUntrusted = true
		if c := w.load(); len(c.Ignored) == 0 || c.APIBase == "https://evil.example/v1" || c.Mode == "yolo" || len(c.Permissions.Allow) > 0 {
			t.Errorf("%s had an effect: %+v", text, c)
		}
		w.src.SkipUntrusted = false
		w.src.Trusted = func(path, sum string) bool { return path == u.Items[0].File && sum == u.Items[0].SHA256 }
		w.load()
		w.project("# changed\n" + text + "\n")
		w.fails("config.yaml:2")
		w.src.Flags["trust"] = "true"
		w.load()
	}
	w := newWorld(t)
	w.project("max_steps: 3\nmodel: m\nprofile: classic\npermissions: {deny: [x]}\nlisten: 8081\n")
	c := w.load()
	if c.ModeFor("yolo") != "ask" || c.ModeFor("") != "ask" || c.ModeFor("readonly") != "readonly" || c.ModeAfterPlan("yolo") != "ask" {
		t.Error("a repository chose a profile that asks less")
	}
	w.src.Flags["trust"] = "true"
	if c := w.load(); c.ModeFor("yolo") != "yolo" {
		t.Error("the profile's own mode does not count although the file is trusted")
	}
	w = newWorld(t)
	w.src.Flags["profile"] = "classic"
	if c := w.load(); c.ModeFor("yolo") != "yolo" {
		t.Error("the person chose the profile")
	}
	w = newWorld(t)
	w.dotenv("WORKDIR=/\n")
	w.fails(".env:1", "workdir")
	if err := os.Mkdir(filepath.Join(w.work, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out": w.home, "stays": "in"} {
		if err := os.Symlink(to, filepath.Join(w.work, name)); err != nil {
			t.Fatal(err)
		}
	}
	w.dotenv("REACT_AGENT_REWIND_ENABLED=false\n")
	w.fails(".env:1", "rewind.enabled")
	groups := newWorld(t)
	groups.project("rewind:\n  enabled: false\nserver:\n  hosts: [evil.example]\n  limits: {each: 9}\n")
	groups.fails("config.yaml:2", "rewind.enabled", "config.yaml:4", "server.hosts", "server.limits.each")
	w.dotenv("REACT_AGENT_MAX_COST=1000\n")
	w.load() // there was no limit
	w.user("max_cost: 2\n")
	w.fails(".env:1", "max_cost")
	w.dotenv("REACT_AGENT_MAX_COST=1\n")
	if c := w.load(); c.MaxCost != 1 {
		t.Error(c.MaxCost)
	}
	w.dotenv("")
	w.project("models:\n  m:\n    price: {input: 0, output: 0}\n") // by which the person's limit is measured
	w.fails("config.yaml:3", "models.m.price.input")
	w.user("")
	if c := w.load(); c.Models["m"].Price.Input == nil {
		t.Error("without a limit a price harms nobody")
	}
	for _, set := range []func(){
		func() { w.src.Flags = map[string]string{"max-cost": "1"} },
		func() { w.src.Environ = append(w.src.Environ, "REACT_AGENT_MAX_COST=1") },
	} { // limits that are read behind the project's file
		flags, environ := w.src.Flags, slices.Clone(w.src.Environ)
		set()
		w.fails("config.yaml:3", "models.m.price.input")
		w.src.Flags, w.src.Environ = flags, environ
	}
	w.project("max_cost: 1\nmodels: {m: {price: {input: 0, output: 0}}}\n")
	w.load() // the limit is the project's own
	w.user("max_total_tokens: 1000\nrate_limit: {requests_per_minute: 10, tokens_per_minute: 100}\n")
	for text, key := range map[string]string{
		"max_total_tokens: 1001":                  "max_total_tokens",
		"rate_limit: {requests_per_minute: 11}":   "rate_limit.requests_per_minute",
		"rate_limit: {tokens_per_minute: 100000}": "rate_limit.tokens_per_minute",
	} {
		w.project(text + "\n")
		w.fails("config.yaml:1", key)
	}
	w.project("max_total_tokens: 999\nrate_limit: {requests_per_minute: 9}\n")
	if c := w.load(); c.MaxTotalTokens != 999 || c.RateLimit.RequestsPerMinute != 9 || c.RateLimit.TokensPerMinute != 100 {
		t.Error(c.MaxTotalTokens, c.RateLimit)
	}
	w.project("")
	w.user("")
	w.dotenv("WORKDIR=out\n")
	w.fails(".env:1", "workdir")
	w.dotenv("WORKDIR=stays\n")
	w.load()
}

func TestTrustedContentIsRecorded(t *testing.T) {
	f := TrustFile{Path: filepath.Join(t.TempDir(), "user", "trust")}
	if f.Trusted("/p/config.yaml", "aa") {
		t.Error("trusted from the start")
	}
	for range 2 {
		if err := f.Add("/p/config.yaml", "aa"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(f.Path, append(must(os.ReadFile(f.Path)), "torn"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Add("/q", "bb"); err != nil {
		t.Fatal(err)
	}
	if !f.Trusted("/p/config.yaml", "aa") || !f.Trusted("/q", "bb") || f.Trusted("/p/config.yaml", "bb") || f.Trusted("/p/config.yaml", "") {
		t.Errorf("%s", must(os.ReadFile(f.Path)))
	}
	if n := strings.Count(string(must(os.ReadFile(f.Path))), "aa"); n != 1 {
		t.Errorf("recorded %d times", n)
	}
	if err := f.Add("/a\nb", "cc"); err == nil {
		t.Error("a name with a line break was recorded")
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestKeysGoOnlyWhereTheyBelong(t *testing.T) {
	w := newWorld(t)
	w.user("api_base: https://mine.example/v1\napi_key: key-of-the-file\n")
	w.env("OPENAI_API_KEY=key-of-the-environment")
	c := w.load()
	if c.APIKey != "key-of-the-file" || len(c.Ignored) != 1 {
		t.Errorf("the key of the environment went to the address of the file: %s, %+v", c.APIKey, c.Ignored)
	}
	w.src.Flags["base-url"] = "https://other.example/v1"
	if c := w.load(); c.APIKey != "key-of-the-environment" {
		t.Errorf("got %s", c.APIKey)
	}
}

func TestWhoIsAsked(t *testing.T) {
	w := newWorld(t)
	if err := w.load().Ready(); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") || !strings.Contains(err.Error(), "demo") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	w.env("DEEPSEEK_API_KEY=k-deep")
	c := w.load()
	if c.Provider != "deepseek" || c.Model != "deep-1" || c.APIBase != "https://api.deepseek.example" || c.Ready() != nil {
		t.Errorf("%+v", c)
	}
	if o := c.Origin("model").String(); !strings.Contains(o, "deepseek") {
		t.Errorf("the chosen model is said to come from %s", o)
	}
	w.env("OPENAI_API_KEY=k-open")
	if c := w.load(); c.Provider != "openai" {
		t.Errorf("%s", c.Provider)
	}
	w.src.Flags["model"] = "deep-2"
	if c := w.load(); c.Provider != "deepseek" || c.Model != "deep-2" {
		t.Errorf("%s %s", c.Provider, c.Model)
	}
	w = newWorld(t)
	w.src.Flags["provider"] = "deepseek"
	if err := w.load().Ready(); err == nil || !strings.Contains(err.Error(), "DEEPSEEK_API_KEY") {
		t.Errorf("%v", err)
	}
	w.src.Flags["provider"] = "local"
	if err := w.load().Ready(); err == nil || !strings.Contains(err.Error(), "--model") {
		t.Errorf("%v", err)
	}
	w.src.Flags["model"] = "m"
	if err := w.load().Ready(); err != nil {
		t.Error(err)
	}
	w.src.Flags = map[string]string{"provider": "generic", "model": "m"}
	if err := w.load().Ready(); err == nil || !strings.Contains(err.Error(), "--base-url") {
		t.Errorf("%v", err)
	}
	w.src.Flags = map[string]string{"api": "offline"}
	if c := w.load(); c.Ready() != nil || c.Provider != "offline" {
		t.Errorf("%+v", c)
	}
	w = newWorld(t)
	w.user("provider: mine\npresets: {mine: {like: deepseek, base_url: 'http://127.0.0.1:1/v1', default_model: tiny, key_env: [MY_KEY]}}\n")
	w.env("MY_KEY=k-mine")
	if c := w.load(); c.APIBase != "http://127.0.0.1:1/v1" || c.Model != "tiny" || c.APIKey != "k-mine" {
		t.Errorf("%+v", c)
	}
}

func TestSecretsAreKnownAndMasked(t *testing.T) {
	w := newWorld(t)
	w.env("OPENAI_API_KEY=sk-0123456789abcdef", "DEEPSEEK_API_KEY=short", "COPY=sk-0123456789abcdef")
	w.user("api_key: in-the-file-abcdef\napi_base: https://me:pw@x.example/v1\n")
	c := w.load()
	names := map[string]string{}
	for _, s := range c.SecretEnv() {
		names[s.Name] = s.Value
	}
	want := map[string]string{"OPENAI_API_KEY": "sk-0123456789abcdef", "DEEPSEEK_API_KEY": "short", "COPY": "sk-0123456789abcdef", "": "in-the-file-abcdef", "api_base": "bWU6cHc="}
	if !maps.Equal(names, want) {
		t.Errorf("%v", names)
	}
	for _, v := range c.Origins() {
		if strings.Contains(v.Value, "in-the-file") || strings.Contains(v.Value, "pw@") {
			t.Errorf("%s shows %s", v.Key, v.Value)
		}
	}
	if !slices.ContainsFunc(c.Origins(), func(v Value) bool { return v.Key == "api_key" && v.Value == "****cdef" }) {
		t.Errorf("%+v", c.Origins())
	}
	if Mask("short") != "****" {
		t.Error(Mask("short"))
	}
}

func TestStateDirectories(t *testing.T) {
	w := newWorld(t)
	name := func(c *Config) string {
		dir, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	plain := name(w.load())
	if filepath.Dir(plain) != filepath.Join(w.home, ".local", "state", "react-agent") || !strings.HasPrefix(filepath.Base(plain), filepath.Base(w.work)+"-") {
		t.Error(plain)
	}
	sub := filepath.Join(w.work, "a", "b")
	w.write(filepath.Join(sub, "x"), "")
	w.write(filepath.Join(w.work, ".git", "HEAD"), "")
	w.src.Flags["cwd"] = sub
	if got := name(w.load()); got != plain {
		t.Errorf("inside a repository: %s, want %s", got, plain)
	}
	w.env("XDG_STATE_HOME=/xdg")
	if got := name(w.load()); filepath.Dir(got) != "/xdg/react-agent" {
		t.Error(got)
	}
	if user, err := w.load().UserState(); err != nil || user != "/xdg/react-agent/user" {
		t.Error(user, err)
	}
	w.src.Flags["state-dir"] = "mine"
	if got := name(w.load()); got != filepath.Join(w.work, "mine") {
		t.Error(got)
	}
	w.src.Environ = nil
	if _, err := FindDirs(nil); err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("%v", err)
	}
}

func TestANamedFileReplacesTheProjects(t *testing.T) {
	w := newWorld(t)
	w.project("model: project\n")
	w.write(filepath.Join(w.home, "own.yaml"), "model: own\nmode: auto\nlog: {file: l.log}\n")
	w.src.Flags["config"] = "~/own.yaml"
	c := w.load()
	if c.Model != "own" || c.Mode != "auto" || c.Log.File != filepath.Join(w.home, "l.log") {
		t.Errorf("%+v", c)
	}
	w.src.Flags = map[string]string{}
	w.env("REACT_AGENT_CONFIG=" + filepath.Join(w.home, "own.yaml"))
	if c := w.load(); c.Model != "own" {
		t.Errorf("%+v", c)
	}
	w.src.NoFiles = true
	if c := w.load(); c.Model != "" {
		t.Error("a file was read")
	}
}

func TestLanguageIsKnownBeforeAnyFile(t *testing.T) {
	for want, s := range map[msg.Lang]Source{
		msg.Zh: {Environ: []string{"LANG=zh_CN.UTF-8"}},
		msg.En: {Flags: map[string]string{"lang": "en"}, Environ: []string{"LANG=zh_CN.UTF-8"}},
	} {
		if got := Language(s); got != want {
			t.Errorf("%+v: %s", s, got)
		}
	}
	if got := Language(Source{Environ: []string{"REACT_AGENT_LANG=zh"}}); got != msg.Zh {
		t.Error(got)
	}
	environ, dir, err := Environment()
	if err != nil || len(environ) == 0 || !filepath.IsAbs(dir) {
		t.Error(environ, dir, err)
	}
}

// TestTheExamplesAreCompleteAndRight: a person starts from these files.
func TestTheExamplesAreCompleteAndRight(t *testing.T) {
	example := string(must(os.ReadFile("../../config_example.yaml")))
	w := newWorld(t)
	w.src.Flags["trust"] = "true"
	w.project(example)
	w.load()
	var open []string // every commented key, taken in
	for line := range strings.Lines(example) {
		if rest, ok := strings.CutPrefix(line, "#- "); ok {
			line = rest
		}
		open = append(open, line)
	}
	w.project(strings.Join(open, ""))
	c := w.load()
	for _, f := range c.fields() {
		if g, ok := f.to.(group); ok {
			for _, sub := range g.fields() {
				if !strings.Contains(example, sub.key+":") {
					t.Errorf("config_example.yaml lacks %s.%s", f.key, sub.key)
				}
			}
		}
		if !strings.Contains(example, f.key+":") {
			t.Errorf("config_example.yaml lacks %s", f.key)
		}
	}
	for group, fields := range map[string][]field{"models": new(Model).fields(), "presets": new(Preset).fields(), "agents": new(Agent).fields()} {
		_, part, _ := strings.Cut(example, "#- "+group+":")
		part, _, _ = strings.Cut(part, "\n\n")
		for _, f := range fields {
			if !strings.Contains(part, f.key+":") {
				t.Errorf("config_example.yaml lacks %s.NAME.%s", group, f.key)
			}
		}
	}
	env := string(must(os.ReadFile("../../.env.example")))
	if _, bad := parseDotEnv(env); len(bad) > 0 {
		t.Errorf("%+v", bad)
	}
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "MODEL_ID", "PORT", "WORKDIR", "PROFILE", "DEEPSEEK_API_KEY", "REACT_AGENT_"} {
		if !strings.Contains(env, name) {
			t.Errorf(".env.example lacks %s", name)
		}
	}
}

func BenchmarkLoadWithoutFiles(b *testing.B) {
	src := Source{Environ: append(os.Environ(), "HOME=/nonexistent"), WorkDir: b.TempDir()}
	for b.Loop() {
		if _, err := Load(src); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzConfigFiles(f *testing.F) {
	f.Add("model: m\nshell: {timeout_seconds: 3}\n", "A=b\nexport X='y'\n")
	f.Add("a: &x [1]\nb: *x\n", "X=\"open\n")
	f.Add("? {a: b}\n: c\n", "=\n\x00")
	f.Fuzz(func(t *testing.T, yaml, dotenv string) {
		_, _ = parseYAML([]byte(yaml), Origin{File: "f.yaml"}) // must neither panic nor hang
		list, _ := parseDotEnv(dotenv)
		for _, s := range list {
			if !isName(s.name) || s.line < 1 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// --plan comes before the mode that the rest says, and takes nothing away from it.
func TestPlanFirst(t *testing.T) {
	w := newWorld(t)
	w.src.Flags = map[string]string{"plan": "true"}
	if c := w.load(); c.ModeFor("") != "plan" || c.ModeAfterPlan("") != "ask" || c.ModeAfterPlan("yolo") != "yolo" {
		t.Errorf("%q, then %q", c.ModeFor(""), c.ModeAfterPlan(""))
	}
	for _, flags := range []map[string]string{{"plan": "true", "mode": "auto"}, {"plan": "true", "yolo": "true"}} {
		w.src.Flags = flags
		if c := w.load(); c.ModeFor("") != "plan" || c.ModeAfterPlan("") == "plan" || c.ModeAfterPlan("") == "ask" {
			t.Errorf("%v: %q, then %q", flags, c.ModeFor(""), c.ModeAfterPlan(""))
		}
	}
	w.src.Flags = map[string]string{"mode": "plan"}
	if c := w.load(); c.ModeFor("") != "plan" || c.ModeAfterPlan("yolo") != "ask" {
		t.Errorf("%q, then %q", c.ModeFor(""), c.ModeAfterPlan(""))
	}
}
