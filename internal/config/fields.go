package config

import (
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"react-agent/internal/msg"
)

// field is one key: its name, where its value goes, and what is asked of the value.
type field struct {
	key string
	to  any // *string, *int, *float64, **bool, *time.Duration, …, group, or setter
	// flag is the command line's name when it is not the key with dashes; "-" = there is no flag.
	flag   string
	secret bool
	oneOf  []string
	check  func(string) error
	// guard says whether this value needs the person's trust when it comes from the work directory. nil = never.
	guard func(c *Config, n node) bool
	// still is asked when all layers are read whether a guarded value needs trust after all. nil = it does.
	still func(c *Config) bool
	// later says that the value is kept for a part that does not exist yet.
	later bool
}

// group is a mapping with known keys.
type group interface{ fields() []field }

// setter takes a whole node.
type setter interface {
	set(l *loader, path string, n node)
}

// always guards every value of a key.
func always(*Config, node) bool { return true }

// outside guards paths that leave the work directory, by their names or by links.
func outside(c *Config, n node) bool {
	p := n.text
	if n.kind != scalarNode || filepath.IsAbs(p) || strings.HasPrefix(p, "~") || !filepath.IsLocal(filepath.FromSlash(p)) {
		return true
	}
	root, err := filepath.EvalSymlinks(c.WorkDir)
	if err != nil {
		return true
	}
	to, err := filepath.EvalSymlinks(filepath.Join(root, p))
	if errors.Is(err, fs.ErrNotExist) {
		return false // it leads nowhere, which is found out later
	}
	rel, rerr := filepath.Rel(root, to)
	return err != nil || rerr != nil || !filepath.IsLocal(rel)
}

// anyOutside guards a list of paths of which one leaves the work directory.
func anyOutside(c *Config, n node) bool {
	return n.kind != listNode || slices.ContainsFunc(n.list, func(one node) bool { return outside(c, one) })
}

// dearer guards a limit above the person's own.
func dearer(c *Config, n node) bool {
	most, err := n.number()
	return c.MaxCost > 0 && (err != nil || most > c.MaxCost)
}

// larger guards a whole number above the person's own.
func larger(own func(c *Config) int) func(*Config, node) bool {
	return func(c *Config, n node) bool {
		most, err := n.integer()
		return own(c) > 0 && (err != nil || most > own(c))
	}
}

// limited reports whether the person has set a limit of money, which is measured by prices.
func limited(c *Config) bool { return c.MaxCost > 0 && !c.origins["max_cost"].inWorkDir() }

// open guards addresses that other machines can reach.
func open(_ *Config, n node) bool { return n.kind != scalarNode || !loopback(n.text) }

func (c *Config) fields() []field {
	return []field{
		{key: "profile", to: &c.Profile},
		{key: "provider", to: &c.Provider, guard: always},
		{key: "api", to: &c.API, guard: always, oneOf: []string{"chat", "responses", "anthropic", "gemini", "command", "offline"}},
		{key: "api_base", to: &c.APIBase, flag: "base-url", guard: always, check: checkURL},
		{key: "api_key", to: &c.APIKey, flag: "-", secret: true},
		{key: "model", to: &c.Model},
		{key: "models", to: mapOf(&c.Models, (*Model).fields), flag: "-"},
		{key: "presets", to: mapOf(&c.Presets, (*Preset).fields), flag: "-", guard: always},
		{key: "agents", to: mapOf(&c.Agents, (*Agent).fields), flag: "-", guard: always},
		{key: "fallback", to: &c.Fallback, flag: "-", guard: always},
		{key: "context_window", to: positive(&c.ContextWindow), flag: "-"},
		{key: "max_steps", to: positive(&c.MaxSteps)},
		{key: "max_cost", to: &c.MaxCost, guard: dearer},
		{key: "max_total_tokens", to: positive(&c.MaxTotalTokens), flag: "-", guard: larger(func(c *Config) int { return c.MaxTotalTokens })},
		{key: "timeout", to: &c.Timeout},
		{key: "request_timeout", to: &c.RequestTimeout, flag: "-"},
		{key: "parallel", to: positive(&c.Parallel), flag: "-"},
		{key: "mode", to: &c.Mode, guard: always, oneOf: []string{"ask", "auto", "readonly", "plan", "yolo"}},
		{key: "permissions", to: &c.Permissions, flag: "-"},
		{key: "hooks", to: &c.Hooks, flag: "-", guard: always},
		{key: "mcp_servers", to: mapOf(&c.MCPServers, (*MCPServer).fields), flag: "-", guard: always, later: true},
		{key: "skills", to: &c.Skills, flag: "-"},
		{key: "shell", to: &c.Shell, flag: "-"},
		{key: "rate_limit", to: &c.RateLimit, flag: "-"},
		{key: "memory", to: &c.Memory, flag: "-"},
		{key: "compact", to: &c.Compact, flag: "-"},
		{key: "rewind", to: &c.Rewind, flag: "-", guard: always},
		{key: "sandbox", to: &c.Sandbox, flag: "-", guard: always},
		{key: "durability", to: &c.Durability, flag: "-", oneOf: []string{"disk", "process"}},
		{key: "state_dir", to: &c.StateDir, guard: always}, // what is kept there is believed: modes of sessions, jobs, copies of files
		{key: "tool_mode", to: &c.ToolMode, flag: "-", oneOf: []string{"native", "tags"}},
		{key: "ask_user", to: &c.AskUser, flag: "-"},
		{key: "log", to: &c.Log, flag: "-"},
		{key: "listen", to: &c.Listen, guard: open, check: checkListen},
		{key: "server", to: &c.Server, flag: "-", guard: always}, // who may come in
		{key: "lang", to: &c.Lang, oneOf: []string{"zh", "en"}},
	}
}

func (m *Model) fields() []field {
	return []field{
		{key: "context_window", to: positive(&m.ContextWindow)},
		{key: "max_output", to: positive(&m.MaxOutput)},
		{key: "vision", to: &m.Vision},
		{key: "files", to: &m.Files},
		{key: "audio", to: &m.Audio},
		{key: "tools", to: &m.Tools},
		{key: "reasoning", to: &m.Reasoning},
		{key: "effort", to: &m.Effort},
		{key: "price", to: &m.Price},
		{key: "extra", to: &m.Extra, guard: always}, // it is part of every request
	}
}

func (p *Price) fields() []field {
	return []field{
		{key: "input", to: &p.Input, guard: always, still: limited},
		{key: "output", to: &p.Output, guard: always, still: limited},
		{key: "cached", to: &p.Cached, guard: always, still: limited},
		{key: "cache_write", to: &p.CacheWrite, guard: always, still: limited},
	}
}

func (p *Preset) fields() []field {
	return []field{
		{key: "like", to: &p.Like},
		{key: "api", to: &p.API, oneOf: []string{"chat", "responses", "anthropic", "gemini", "command"}},
		{key: "base_url", to: &p.BaseURL, check: checkURL},
		{key: "key_env", to: &p.KeyEnv},
		{key: "key_header", to: &p.KeyHeader},
		{key: "headers", to: &p.Headers},
		{key: "default_model", to: &p.DefaultModel},
		{key: "context_window", to: positive(&p.ContextWindow)},
		{key: "max_output", to: positive(&p.MaxOutput)},
		{key: "reasoning_field", to: &p.ReasoningField, oneOf: []string{"reasoning_content", "reasoning", "reasoning_details"}},
		{key: "reasoning_always", to: &p.ReasoningAlways},
		{key: "think_in_content", to: &p.ThinkInContent},
		{key: "empty_content", to: &p.EmptyContent},
		{key: "max_tokens_field", to: &p.MaxTokensField},
		{key: "no_stream_usage", to: &p.NoStreamUsage},
		{key: "ids", to: &p.IDs, oneOf: []string{"any", "mistral", "anthropic", "openai"}},
		{key: "command", to: &p.Command},
		{key: "extra", to: &p.Extra},
	}
}

func (a *Agent) fields() []field {
	return []field{
		{key: "about", to: &a.About},
		{key: "url", to: &a.URL, check: checkURL},
		{key: "token", to: &a.Token, secret: true},
		{key: "prompt", to: &a.Prompt},
		{key: "tools", to: &a.Tools},
		{key: "model", to: &a.Model},
		{key: "steps", to: positive(&a.Steps)},
	}
}

func (p *Permissions) fields() []field {
	return []field{
		{key: "allow", to: (*ruleList)(&p.Allow), guard: always},
		{key: "ask", to: (*ruleList)(&p.Ask)},
		{key: "deny", to: (*ruleList)(&p.Deny)},
	}
}

func (r *Rewind) fields() []field {
	return []field{
		{key: "enabled", to: &r.Enabled},
		{key: "max_mb", to: positive(&r.MaxMB)},
		{key: "ignored", to: &r.Ignored},
	}
}

func (m *Memory) fields() []field {
	return []field{
		{key: "enabled", to: &m.Enabled},
		{key: "tools", to: &m.Tools},
		{key: "tokens", to: positive(&m.Tokens)},
		{key: "embeddings", to: &m.Embeddings, guard: always}, // what is remembered goes there
	}
}

func (p *Compact) fields() []field {
	return []field{
		{key: "enabled", to: &p.Enabled},
		{key: "at", to: positive(&p.At)},
		{key: "share", to: part{&p.Share}},
		{key: "keep", to: positive(&p.Keep)},
		{key: "micro", to: &p.Micro},
		{key: "results", to: positive(&p.Results)},
		{key: "cleared", to: &p.Cleared, check: checkCleared, guard: always}, // the model reads it
		{key: "keep_reads", to: &p.KeepReads},
	}
}

func (s *MCPServer) fields() []field {
	return []field{
		{key: "type", to: &s.Type, oneOf: []string{"stdio", "http", "sse"}},
		{key: "command", to: &s.Command},
		{key: "args", to: &s.Args},
		{key: "env", to: &s.Env},
		{key: "cwd", to: &s.Cwd},
		{key: "url", to: &s.URL, check: checkURL},
		{key: "headers", to: &s.Headers},
		{key: "timeout", to: &s.Timeout},
		{key: "disabled", to: &s.Disabled},
		{key: "disabled_tools", to: &s.DisabledTools},
	}
}

func (s *Server) fields() []field {
	return []field{
		{key: "token", to: &s.Token, secret: true, check: checkToken},
		{key: "hosts", to: &s.Hosts},
		{key: "origins", to: &s.Origins},
		{key: "limits", to: &s.Limits},
	}
}

func (l *ServerLimits) fields() []field {
	return []field{
		{key: "sessions", to: positive(&l.Sessions)},
		{key: "streams", to: positive(&l.Streams)},
		{key: "requests", to: positive(&l.Requests)},
		{key: "each", to: positive(&l.Each)},
	}
}

func (s *Skills) fields() []field {
	return []field{
		{key: "paths", to: &s.Paths, guard: anyOutside},
		{key: "strict", to: &s.Strict},
		{key: "router", to: &s.Router, oneOf: []string{"vectors", "model", "off"}},
	}
}

func (s *Shell) fields() []field { return []field{{key: "timeout_seconds", to: &s.Timeout}} }

func (r *RateLimit) fields() []field {
	return []field{
		{key: "requests_per_minute", to: positive(&r.RequestsPerMinute), guard: larger(func(c *Config) int { return c.RateLimit.RequestsPerMinute })},
		{key: "tokens_per_minute", to: positive(&r.TokensPerMinute), guard: larger(func(c *Config) int { return c.RateLimit.TokensPerMinute })},
	}
}

func (g *Log) fields() []field {
	return []field{
		{key: "level", to: &g.Level, oneOf: []string{"debug", "info", "warn", "error"}},
		{key: "format", to: &g.Format, oneOf: []string{"text", "json"}},
		{key: "file", to: &g.File, guard: always}, // a link in the work directory may lead anywhere
	}
}

// positiveInt is a number of 1 or more.
type positiveInt struct{ to *int }

func positive(to *int) positiveInt { return positiveInt{to} }

// part is a number above 0 and no larger than 1.
type part struct{ to *float64 }

// oldKey tells where a setting of the source systems went. "" = it is none.
func oldKey(key string) string {
	switch key {
	case "system_prompt":
		return "AGENTS.md, profile"
	case "skills_dir":
		return "skills: {paths: [...]}"
	case "work_dir", "workdir":
		return "--cwd, WORKDIR"
	case "shell_timeout_seconds":
		return "shell: {timeout_seconds: N}"
	case "request_timeout_seconds":
		return "request_timeout: 120s"
	case "dead_loop_window":
		return "profile: classic"
	case "pricing_file":
		return "models: {NAME: {price: {input: N, output: N}}}"
	case "providers":
		return "presets"
	}
	return ""
}

// checkToken wants a token that nobody guesses, of characters that any header and address can hold.
func checkToken(s string) error {
	const least = 16
	plain := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"\\,;&#+%`, r) }) < 0
	if len(s) < least || !plain {
		return msg.Errorf(msg.ConfigWantToken, least)
	}
	return nil
}

// checkCleared checks what stands for a cleared result: short, so that it is never worth clearing itself.
func checkCleared(s string) error {
	const most = 100
	if strings.Count(s, "%") != strings.Count(s, "%s") || utf8.RuneCountInString(s) > most {
		return msg.Errorf(msg.ConfigWantCleared, most)
	}
	return nil
}

func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errNotURL
	}
	return nil
}
