package team

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"react-agent/internal/msg"
	"react-agent/internal/toolname"
	"react-agent/internal/yaml"
)

// agentFile is a file of an agent, taken apart.
type agentFile struct {
	path  string
	known func(string) bool
	typ   Type
	notes []Finding
	fault *Finding // why it is left out
	first int      // line of the header's first line
}

// parseAgent reads an agent: a header between lines of dashes, then its system prompt.
func parseAgent(path, data string, known func(string) bool) agentFile {
	a := agentFile{path: path, known: known}
	a.typ.File = path
	a.typ.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	header, body, ok := a.split(data)
	if !ok {
		return a
	}
	root, err := yaml.Parse("", []byte(header))
	if err != nil {
		line := 0
		if e, ok := errors.AsType[*yaml.Error](err); ok {
			line, err = e.Line, errors.New(e.Text)
		}
		a.fail(line, msg.Errorf(msg.AgentYAML, err), msg.Errorf(msg.AgentFixYAML))
		return a
	}
	if root.Kind != yaml.Map {
		a.fail(1, msg.Errorf(msg.AgentNoFields), msg.Errorf(msg.AgentFixHeader))
		return a
	}
	a.typ.All = true // unless the header names some
	for i := range root.Pairs {
		if a.fault == nil {
			a.field(root.Pairs[i].Key.Text, &root.Pairs[i].Value, root.Pairs[i].Key.Line)
		}
	}
	a.typ.System = strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	a.complete()
	return a
}

// split finds header and body.
func (a *agentFile) split(data string) (header, body string, ok bool) {
	data = strings.TrimPrefix(data, "\ufeff")
	if !utf8.ValidString(data) || strings.ContainsRune(data, 0) {
		a.fail(0, msg.Errorf(msg.AgentNoText), nil)
		return "", "", false
	}
	line, rest, _ := strings.Cut(data, "\n")
	a.first = 2
	for strings.TrimSpace(line) == "" && rest != "" {
		line, rest, _ = strings.Cut(rest, "\n")
		a.first++
	}
	if strings.TrimRight(line, " \t\r") != "---" {
		a.fail(0, msg.Errorf(msg.AgentNoHeader), msg.Errorf(msg.AgentFixHeader))
		return "", "", false
	}
	var b strings.Builder
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\n")
		if strings.TrimRight(line, " \t\r") == "---" {
			return b.String(), rest, true
		}
		b.WriteString(strings.TrimSuffix(line, "\r") + "\n")
	}
	a.fail(0, msg.Errorf(msg.AgentUnclosed), msg.Errorf(msg.AgentFixHeader))
	return "", "", false
}

// place turns a line of the header into one of the file.
func (a *agentFile) place(line int) int {
	if line <= 0 {
		return 0
	}
	return line + a.first - 1
}

func (a *agentFile) fail(line int, reason, fix error) {
	a.fault = &Finding{File: a.path, Line: a.place(line), Name: a.typ.Name, Skipped: true, Reason: reason, Fix: fix}
	if line == 0 && a.first > 0 {
		a.fault.Line = 1
	}
}

func (a *agentFile) note(line int, reason error) {
	a.notes = append(a.notes, Finding{File: a.path, Line: a.place(line), Name: a.typ.Name, Reason: reason})
}

// field takes one field of the header in. Names are compared without hyphens, underscores and case. Fields that nobody
// knows are passed over: other programs have more of them.
func (a *agentFile) field(key string, v *yaml.Node, line int) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key)) {
	case "name":
		if v.Text != "" {
			a.typ.Name = v.Text
		}
	case "description":
		a.typ.Description = strings.Join(strings.Fields(v.Text), " ")
	case "tools", "allowedtools":
		a.tools(v, line)
	case "disallowedtools":
		noted := len(a.notes)
		a.typ.Without = append(a.typ.Without, a.names(v, line)...)
		if len(a.notes) > noted { // what is not understood cannot be kept away
			a.fault, a.notes = &a.notes[noted], a.notes[:noted:noted]
			a.fault.Skipped, a.fault.Fix = true, msg.Errorf(msg.AgentFixWithout)
		}
	case "model":
		a.typ.Model = v.Text
		if v.Text == "inherit" {
			a.typ.Model = ""
		}
	case "effort":
		a.typ.Effort = v.Text
	case "skills", "mcpservers", "memory", "hooks", "permission":
		a.note(line, msg.Errorf(msg.AgentUnused, key))
	default:
		a.limit(key, v, line)
	}
}

// limit takes one of the fields in that say how an agent runs.
func (a *agentFile) limit(key string, v *yaml.Node, line int) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key)) {
	case "maxturns", "steps", "maxsteps":
		n, err := strconv.Atoi(v.Text)
		if err != nil || n < 1 {
			a.note(line, msg.Errorf(msg.AgentField, key, v.Text))
			return
		}
		a.typ.Steps = n
	case "background":
		a.flag(&a.typ.Background, key, v, line)
	case "permissionmode":
		if a.typ.ReadOnly = v.Text == "plan"; !a.typ.ReadOnly && v.Text != "default" {
			a.note(line, msg.Errorf(msg.AgentMode, v.Text))
		}
	case "mode":
		if v.Text == "primary" {
			a.fail(line, msg.Errorf(msg.AgentPrimary), nil)
		}
	case "disable":
		off := false
		if a.flag(&off, key, v, line); off {
			a.fail(line, msg.Errorf(msg.AgentDisabled), nil)
		}
	}
}

func (a *agentFile) flag(to *bool, key string, v *yaml.Node, line int) {
	switch strings.ToLower(v.Text) {
	case "true", "yes", "on", "1":
		*to = true
	case "false", "no", "off", "0", "":
		*to = false
	default:
		a.note(line, msg.Errorf(msg.AgentField, key, v.Text))
	}
}

// tools reads the names of the tools that an agent gets: a text with commas, a list, or a map that switches some off.
func (a *agentFile) tools(v *yaml.Node, line int) {
	if v.Kind == yaml.Map {
		for i := range v.Pairs {
			p := &v.Pairs[i]
			on := true
			if a.flag(&on, p.Key.Text, &p.Value, p.Key.Line); !on {
				a.typ.Without = append(a.typ.Without, a.checked([]string{p.Key.Text}, p.Key.Line)...)
			}
		}
		return
	}
	names := a.names(v, line)
	a.typ.All = v.Kind == yaml.Null && len(names) == 0
	for _, n := range names {
		if n == "*" {
			a.typ.All = true
			continue
		}
		a.typ.Tools = append(a.typ.Tools, n)
	}
}

func (a *agentFile) names(v *yaml.Node, line int) []string {
	if v.Kind == yaml.List {
		var out []string
		for i := range v.Items {
			out = append(out, a.checked([]string{v.Items[i].Text}, v.Items[i].Line)...)
		}
		return out
	}
	return a.checked(strings.FieldsFunc(v.Text, func(r rune) bool { return r == ',' }), line)
}

// checked keeps the names that may stand for a tool. A rule such as Bash(git *) would have to be less than the tool, and
// nothing here could see to that.
func (a *agentFile) checked(list []string, line int) []string {
	var out []string
	for _, n := range list {
		n = strings.TrimSpace(n)
		switch {
		case n == "":
		case strings.Contains(n, "("):
			a.note(line, msg.Errorf(msg.AgentRule, n))
		case n != "*" && a.known != nil && !a.known(n) && !a.known(toolname.Nearest(n)):
			a.note(line, msg.Errorf(msg.AgentTool, n))
		default:
			out = append(out, n)
		}
	}
	return out
}

// complete looks whether the agent can be used.
func (a *agentFile) complete() {
	if a.fault != nil {
		return
	}
	switch {
	case !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`).MatchString(a.typ.Name):
		a.fail(1, msg.Errorf(msg.AgentName, a.typ.Name), msg.Errorf(msg.AgentFixName))
	case a.typ.Description == "":
		a.fail(1, msg.Errorf(msg.AgentNoDescription), msg.Errorf(msg.AgentFixDescription))
	case a.typ.System == "":
		a.fail(1, msg.Errorf(msg.AgentEmpty), msg.Errorf(msg.AgentFixEmpty))
	}
}
