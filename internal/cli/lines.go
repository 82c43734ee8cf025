package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

const lineWidth = 100 // characters of a line about a call or a result

// shownCall is the call as the model wrote it, which is what front ends show.
func shownCall(c *agent.Call, f *follower) agent.Call {
	if c == nil {
		return agent.Call{}
	}
	if f != nil {
		if own, ok := f.calls[c.Key]; ok {
			return own
		}
	}
	return *c
}

// callLine is a call in one line: a single argument stands bare, several as JSON.
func callLine(c agent.Call) string {
	args := string(c.Args)
	var fields map[string]any
	if json.Unmarshal(c.Args, &fields) == nil {
		switch first := mainArg(fields); {
		case len(fields) == 0:
			args = ""
		case first != "":
			args = first
		}
	}
	return cut(strings.TrimSpace(c.Name+" "+oneLine(args)), lineWidth)
}

// mainArg is the argument that tells most.
func mainArg(fields map[string]any) string {
	for _, name := range []string{"command", "file_path", "path", "name", "prompt", "query", "question", "text", "id"} {
		if s, ok := fields[name].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// resultLine is a result in one line.
func resultLine(c msg.Catalogue, r agent.Result, f *follower) string {
	mark := "✓ "
	if r.Error {
		mark = "✗ "
	}
	text := strings.TrimSpace(textOf(agent.Message{Parts: r.Parts}))
	if r.Error {
		text = whyFirst(told(c, f.unasked(r.Key, text)))
	}
	if said := skillLine(c, r.Detail, text); said != "" {
		text = said
	}
	if said := ownLine(r.Detail); said != "" {
		return mark + oneLine(said)
	}
	first, rest, more := strings.Cut(text, "\n")
	width := lineWidth - 10
	if f != nil && r.Error && !f.begun[r.Key] {
		width *= 2 // why something was refused has to be readable
	}
	line := cut(oneLine(first), width)
	if more {
		line += " … +" + strconv.Itoa(strings.Count(strings.TrimRight(rest, "\n"), "\n")+1)
	}
	if f == nil || !r.Error {
		return mark + line
	}
	switch call, ok := f.calls[r.Key]; {
	case ok && !f.begun[r.Key]: // refused before it began, so no line has said what it was
		line = cut(callLine(call), lineWidth/2) + ": " + line
	case ok && len(f.calls) > 1:
		line = call.Name + ": " + line
	}
	return mark + line
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// latest are the last lines of what a command has printed, each on its own.
func latest(text string) []string {
	const most = 8
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line = line[strings.LastIndexByte(line, '\r')+1:]; strings.TrimSpace(line) != "" {
			lines = append(lines, cut(line, lineWidth))
		}
	}
	if len(lines) > most {
		lines = append([]string{"…"}, lines[len(lines)-most:]...)
	}
	return lines
}

// cut shortens to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// visible makes control characters harmless: a model or a program must not be able to drive the person's terminal.
func visible(s string) string { return text.Visible(s) }

// linesUsed says how many line ends the cursor passes while s is printed from the start of a line on a terminal of cols
// columns.
func linesUsed(s string, cols int) int {
	if cols <= 0 {
		return strings.Count(s, "\n")
	}
	lines, col := 0, 0
	for _, r := range s {
		switch r {
		case '\n':
			lines, col = lines+1, 0
			continue
		case '\t':
			col = min(col/8*8+8, cols-1)
			continue
		}
		w := text.Width(r)
		if col+w > cols {
			lines, col = lines+1, 0
		}
		col += w
	}
	return lines
}

// skillLine says how a skill was taken in, when a result's detail tells that; text is the result.
func skillLine(c msg.Catalogue, detail json.RawMessage, text string) string {
	var d struct{ Skill string }
	if len(detail) == 0 || json.Unmarshal(detail, &d) != nil {
		return ""
	}
	switch d.Skill {
	case "loaded":
		return c.Text(msg.SkillLoaded)
	case "done":
		if first, _, _ := strings.Cut(text, "\n"); first != "" {
			return c.Text(msg.SkillDoneWith, first)
		}
		return c.Text(msg.SkillDone)
	}
	return ""
}

// ownLine is how a tool wants its result shown in one line, when the detail has one.
func ownLine(detail json.RawMessage) string {
	var d struct{ Line string }
	if len(detail) == 0 || json.Unmarshal(detail, &d) != nil {
		return ""
	}
	return d.Line
}
