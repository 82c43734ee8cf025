package shellhook

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Config is which commands run when: groups by event.
type Config struct {
	Events map[string][]Group
}

// Group is commands that share a matcher.
type Group struct {
	Matcher  string
	Commands []Command

	match func(names ...string) bool
}

// Command is one handler. Where says where it was configured, for messages.
type Command struct {
	Command string
	Timeout time.Duration // 0 is Options.Timeout
	Where   string
}

// events are those that can be served, and whether matchers mean something there.
func events() map[string]bool {
	return map[string]bool{
		preToolUse: true, postToolUse: true, postToolUseFailure: true, permissionRequest: true, sessionStart: true, sessionEnd: true,
		preCompact: true, postCompact: true, notification: true, userPromptSubmit: false, stop: false,
	}
}

const (
	preToolUse         = "PreToolUse"
	postToolUse        = "PostToolUse"
	postToolUseFailure = "PostToolUseFailure"
	userPromptSubmit   = "UserPromptSubmit"
	sessionStart       = "SessionStart"
	sessionEnd         = "SessionEnd"
	stop               = "Stop"
	preCompact         = "PreCompact"
	postCompact        = "PostCompact"
	permissionRequest  = "PermissionRequest"
	notification       = "Notification"
)

// Parse reads the value of the configuration key hooks, as decoded YAML or JSON. Every fault is an error of its own that
// names the path of the value; what is right is in the Config nevertheless.
func Parse(v any) (Config, []error) {
	p := parser{}
	return p.config("hooks", v), p.faults
}

// ParseJSON reads the hooks of a settings file. Errors begin with the file's name.
func ParseJSON(file string, data []byte) (Config, []error) {
	var settings struct {
		Hooks any `json:"hooks"`
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return Config{}, []error{fmt.Errorf("%s: %w", file, err)} // of the JSON reader, there is only English
	}
	p := parser{}
	return p.config(file+": hooks", settings.Hooks), p.faults
}

// Merge gives the commands of c and then those of more.
func (c Config) Merge(more Config) Config {
	out := Config{Events: map[string][]Group{}}
	for _, part := range []Config{c, more} {
		for event, groups := range part.Events {
			out.Events[event] = append(out.Events[event], groups...)
		}
	}
	return out
}

type parser struct{ faults []error }

// fault notes an error that can be said in both languages; the path is the first argument of each text.
func (p *parser) fault(key msg.Key, args ...any) {
	p.faults = append(p.faults, msg.Errorf(key, args...))
}

func (p *parser) config(path string, v any) Config {
	c := Config{Events: map[string][]Group{}}
	if v == nil {
		return c
	}
	m, ok := object(v)
	if !ok {
		p.fault(msg.HookWantEvents, path, kindOf(v))
		return c
	}
	known := events()
	for _, event := range slices.Sorted(maps.Keys(m)) {
		at := path + "." + event
		if _, ok := known[event]; !ok {
			p.fault(msg.HookNoEvent, at, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			continue
		}
		list, ok := m[event].([]any)
		if !ok {
			p.fault(msg.HookWantGroups, at, kindOf(m[event]))
			continue
		}
		for i, g := range list {
			if group, ok := p.group(fmt.Sprintf("%s[%d]", at, i), g); ok {
				c.Events[event] = append(c.Events[event], group)
			}
		}
	}
	return c
}

func (p *parser) group(path string, v any) (Group, bool) {
	m, ok := object(v)
	if !ok {
		p.fault(msg.HookWantGroup, path, kindOf(v))
		return Group{}, false
	}
	p.unknown(path, m, "matcher", "hooks")
	var g Group
	if g.Matcher, ok = m["matcher"].(string); !ok && m["matcher"] != nil {
		p.fault(msg.HookWantText, path+".matcher", kindOf(m["matcher"]))
		return Group{}, false
	}
	var err error
	if g.match, err = matcher(g.Matcher); err != nil {
		p.fault(msg.HookMatcher, path+".matcher", g.Matcher, err)
		return Group{}, false
	}
	list, ok := m["hooks"].([]any)
	if !ok {
		p.fault(msg.HookWantCommands, path+".hooks", kindOf(m["hooks"]))
		return Group{}, false
	}
	for i, h := range list {
		if c, ok := p.command(fmt.Sprintf("%s.hooks[%d]", path, i), h); ok {
			g.Commands = append(g.Commands, c)
		}
	}
	return g, len(g.Commands) > 0
}

func (p *parser) command(path string, v any) (Command, bool) {
	m, ok := object(v)
	if !ok {
		p.fault(msg.HookWantCommand, path, kindOf(v))
		return Command{}, false
	}
	if m["type"] != nil && m["type"] != "command" {
		p.fault(msg.HookType, path+".type", quote(m["type"]))
		return Command{}, false
	}
	for _, key := range []string{"if", "args", "shell"} { // without them another command would run, or more often
		if m[key] != nil {
			p.fault(msg.HookCondition, path+"."+key)
			return Command{}, false
		}
	}
	if m["async"] == true {
		p.fault(msg.HookAsync, path+".async")
	}
	p.unknown(path, m, "type", "command", "timeout", "async", "statusMessage")
	c := Command{Where: path}
	if c.Command, ok = m["command"].(string); !ok {
		p.fault(msg.HookWantText, path+".command", kindOf(m["command"]))
		return Command{}, false
	}
	if strings.TrimSpace(c.Command) == "" {
		p.fault(msg.HookEmpty, path+".command")
		return Command{}, false
	}
	if t := m["timeout"]; t != nil {
		s, ok := seconds(t)
		if !ok {
			p.fault(msg.HookSeconds, path+".timeout", quote(t))
		}
		c.Timeout = s
	}
	return c, true
}

func (p *parser) unknown(path string, m map[string]any, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, key) {
			p.fault(msg.HookUnknown, path+"."+key, strings.Join(known, ", "))
		}
	}
}

// maxTimeout bounds what may be configured: a day.
const maxTimeout = 24 * time.Hour

func seconds(v any) (time.Duration, bool) {
	var s float64
	switch v := v.(type) {
	case int:
		s = float64(v)
	case int64:
		s = float64(v)
	case uint64:
		s = float64(v)
	case float64:
		s = v
	}
	if !(s > 0) {
		return 0, false
	}
	return time.Duration(min(s, maxTimeout.Seconds()) * float64(time.Second)), true
}

func object(v any) (map[string]any, bool) {
	switch v := v.(type) {
	case map[string]any:
		return v, true
	case map[any]any:
		out := make(map[string]any, len(v))
		for k, value := range v {
			out[fmt.Sprint(k)] = value
		}
		return out, true
	}
	return nil, false
}

// kindOf is what a value is, in words that can be translated.
func kindOf(v any) error {
	switch v.(type) {
	case nil:
		return msg.Errorf(msg.HookIsNothing)
	case string:
		return msg.Errorf(msg.HookIsText)
	case bool:
		return msg.Errorf(msg.HookIsBool)
	case []any:
		return msg.Errorf(msg.HookIsList)
	}
	if _, ok := object(v); ok {
		return msg.Errorf(msg.HookIsMap)
	}
	return msg.Errorf(msg.HookIsNumber)
}

// quote is a value as an error shows it.
func quote(v any) string { return text.Head(fmt.Sprint(v), 60) }

// matcher makes the test of a matcher: whether one of the names matches.
func matcher(m string) (func(names ...string) bool, error) {
	if m == "" || m == "*" {
		return func(...string) bool { return true }, nil
	}
	if strings.IndexFunc(m, func(r rune) bool { return r != '|' && r != '_' && !wordRune(r) }) < 0 {
		list := strings.Split(m, "|")
		return func(names ...string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) })
		}, nil
	}
	re, err := regexp.Compile(m)
	if err != nil {
		return nil, err
	}
	return func(names ...string) bool { return slices.ContainsFunc(names, re.MatchString) }, nil
}

func wordRune(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
