package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
)

// Ready says why no model can be asked: no key and no server named, or no model; nil when all is there.
func (c *Config) Ready() error { return c.rest.notReady }

// IsSet reports whether somebody set the key ("shell.timeout_seconds"); a default or a vendor's value is not set.
func (c *Config) IsSet(key string) bool { return c.origins[key].Layer >= LayerUser }

// Origin is the place of a key's value.
func (c *Config) Origin(key string) Origin { return c.origins[key] }

// Unknown is the error that a key's value is none of names: with its place, and with the nearest of them.
func (c *Config) Unknown(key, value string, names []string) error {
	return notOneOf(c.origins[key], key, value, names)
}

func notOneOf(o Origin, key, value string, names []string) error {
	if near := Nearest(value, names); near != "" {
		return msg.Errorf(msg.ConfigNotOneOfNear, o, key, value, strings.Join(names, ", "), near)
	}
	return msg.Errorf(msg.ConfigNotOneOf, o, key, value, strings.Join(names, ", "))
}

// SecretEnv lists the keys of vendors that the environment, .env or files hold, also of vendors that are not used, so
// that no child sees them and no log shows them.
func (c *Config) SecretEnv() []Secret { return c.rest.secrets }

// ModeFor is the mode that counts, given the profile's own: plan, with --plan; the configured one; else the profile's, unless
// an untrusted file of the work directory chose the profile and it asks less than "ask" does; else "ask".
func (c *Config) ModeFor(profileMode string) string {
	switch {
	case c.Plan:
		return "plan"
	case c.Mode != "":
		return c.Mode
	case profileMode == "":
		return "ask"
	case (profileMode == "yolo" || profileMode == "auto") && !c.rest.profileTrusted:
		return "ask"
	}
	return profileMode
}

// ModeAfterPlan is the mode that follows plan mode where nothing else is known: what [Config.ModeFor] would be without --plan,
// and "ask" where that is plan too.
func (c *Config) ModeAfterPlan(profileMode string) string {
	own := *c
	own.Plan = false
	if mode := own.ModeFor(profileMode); mode != "plan" {
		return mode
	}
	return "ask"
}

// collectSecrets notes every key it can find, used or not.
func (l *loader) collectSecrets() {
	c := l.c
	c.rest.profileTrusted = !c.origins["profile"].inWorkDir() || l.trusted(c.origins["profile"].File)
	names := []string{prefix + "API_KEY", prefix + "SERVER_TOKEN", prefix + "TOKEN", "OPENAI_API_KEY", "CODEBUDDY_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY"}
	for _, v := range l.src.Vendors {
		names = append(names, v.KeyEnv...)
	}
	for _, p := range c.Presets {
		names = append(names, p.KeyEnv...)
	}
	slices.Sort(names)
	values := map[string]bool{}
	for _, name := range slices.Compact(names) {
		for _, vars := range []map[string]envVar{l.vars, l.dot} {
			if v, ok := vars[name]; ok {
				c.rest.secrets = append(c.rest.secrets, Secret{Name: name, Value: v.value})
				values[v.value] = true
			}
		}
	}
	l.writtenSecrets(values)
	l.addressSecrets(values)
	known := slices.Clone(c.rest.secrets)
	for name, v := range l.vars { // the same key under another name
		same := slices.ContainsFunc(known, func(s Secret) bool { return s.Name == name })
		if values[v.value] && !same {
			c.rest.secrets = append(c.rest.secrets, Secret{Name: name, Value: v.value})
		}
	}
	slices.SortFunc(c.rest.secrets, func(a, b Secret) int { return strings.Compare(a.Name, b.Name) })
}

// writtenSecrets notes those that stand in files and flags, unless their value is known already.
func (l *loader) writtenSecrets(values map[string]bool) {
	c := l.c
	note := func(name, value string) {
		if value != "" && !values[value] {
			values[value] = true
			c.rest.secrets = append(c.rest.secrets, Secret{Name: name, Value: value})
		}
	}
	for _, k := range l.keys {
		note("", k.value)
	}
	note("server.token", c.Server.Token)
	for name, a := range c.Agents {
		note("agents."+name+".token", a.Token)
	}
}

// Origins lists every setting that has a value, sorted by key, secrets masked.
func (c *Config) Origins() []Value {
	var list []Value
	c.collect(c.fields(), "", &list)
	list = append(list, Value{Key: "workdir", Value: c.WorkDir, Origin: c.origins["workdir"]})
	slices.SortFunc(list, func(a, b Value) int { return strings.Compare(a.Key, b.Key) })
	return list
}

func (c *Config) collect(fields []field, path string, list *[]Value) {
	for _, f := range fields {
		key := path + f.key
		switch to := f.to.(type) {
		case group:
			c.collect(to.fields(), key+".", list)
			continue
		case *ruleList:
			for _, r := range *to {
				*list = append(*list, Value{Key: key, Value: r.Text, Origin: r.Origin})
			}
			continue
		case named:
			for _, name := range to.names() {
				*list = append(*list, Value{Key: key + "." + name, Value: "{…}", Origin: c.origins[key+"."+name]})
			}
			continue
		}
		o, ok := c.origins[key]
		if !ok {
			continue
		}
		value := show(f.to)
		switch {
		case f.secret:
			value = Mask(value)
		case key == "api_base":
			value = Redacted(value)
		}
		*list = append(*list, Value{Key: key, Value: value, Origin: o})
	}
}

// named is a mapping from names.
type named interface{ names() []string }

func (m entries[T]) names() []string {
	list := make([]string, 0, len(*m.to))
	for name := range *m.to {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// Mask shows of a secret what tells two apart, and nothing of a short one.
func Mask(s string) string {
	if len(s) < 16 {
		return "****"
	}
	return "****" + s[len(s)-4:]
}

func show(to any) string {
	switch v := to.(type) {
	case *string:
		return *v
	case positiveInt:
		return fmt.Sprint(*v.to)
	case *float64:
		return fmt.Sprint(*v)
	case *time.Duration:
		return v.String()
	case *[]string:
		return strings.Join(*v, ", ")
	case **bool:
		if *v != nil {
			return fmt.Sprint(**v)
		}
		return ""
	}
	raw, err := json.Marshal(to)
	if err != nil {
		return msg.For(msg.En).Text(msg.ConfigHidden)
	}
	return string(raw)
}
