package command

import (
	"runtime"
	"strings"

	"react-agent/agent"
)

// values are what the placeholders of a command stand for.
type values struct{ system, prompt, model string }

// longest is how many bytes one argument may have. Linux takes 128 KiB; on Windows the whole command line has 32 KiB, and
// 8 KiB where the program is a script for cmd.exe, as npm installs them.
func longest() int {
	if runtime.GOOS == "windows" {
		return 6 << 10
	}
	return 96 << 10
}

// expand fills a command in. What does not fit into an argument, or has no place in the command, is input for the program.
func expand(template []string, v values, most int) (args []string, input string) {
	if v.system != "" && (len(v.system) > most || !has(template, "{system}")) {
		v.system, v.prompt = "", joined(v.system, v.prompt)
	}
	if len(v.prompt) > most || !has(template, "{prompt}") {
		v.prompt, input = "", v.prompt
	}
	if strings.HasPrefix(v.prompt, "-") {
		v.prompt = "\n" + v.prompt // it is no option
	}
	for _, a := range template {
		whole := a
		for _, p := range []struct{ mark, value string }{{"{system}", v.system}, {"{prompt}", v.prompt}, {"{model}", v.model}} {
			if !strings.Contains(a, p.mark) {
				continue
			}
			if p.value == "" {
				whole = ""
				break
			}
			whole = strings.Replace(a, p.mark, noNUL(p.value), 1)
			break // a placeholder in what stands for one is just text
		}
		if whole == "" && a != "" {
			if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "-") {
				args = args[:n-1]
			}
			continue
		}
		args = append(args, whole)
	}
	return args, input
}

func has(template []string, mark string) bool {
	for _, a := range template {
		if strings.Contains(a, mark) {
			return true
		}
	}
	return false
}

// noNUL takes out what no argument can hold.
func noNUL(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

func joined(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if strings.TrimSpace(p) == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(p)
	}
	return b.String()
}

// prompt is the history as text. One message stands for itself, as provider/texttag makes it; several are told apart.
func prompt(messages []agent.Message) string {
	if len(messages) == 1 {
		return messages[0].Text()
	}
	var lines []string
	for i := range messages {
		m := &messages[i]
		text := m.Text()
		if r := m.Result(); r != nil {
			text = r.Text()
		}
		switch {
		case strings.TrimSpace(text) == "":
		case m.Role == agent.Assistant:
			lines = append(lines, "Assistant: "+text)
		default:
			lines = append(lines, "User: "+text)
		}
	}
	return strings.Join(lines, "\n")
}
