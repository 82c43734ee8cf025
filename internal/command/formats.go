package command

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	stdhtml "html"

	"react-agent/agent"
	"react-agent/internal/text"
)

// markdown writes a transcript. Fences are longer than any row of backticks inside.
func markdown(out io.Writer, id string, events []agent.Event) error {
	list := transcript(events)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nsession `%s`\n", title(id, list), id)
	for _, e := range list {
		switch e.kind {
		case "call":
			fmt.Fprintf(&b, "\n**%s**\n\n%s", e.head, fenced("json", e.text))
		case "result":
			fmt.Fprintf(&b, "\n%s", fenced("", e.text))
		case "failed":
			fmt.Fprintf(&b, "\n*failed*\n\n%s", fenced("", e.text))
		case "thinking":
			fmt.Fprintf(&b, "\n> %s\n", strings.ReplaceAll(strings.TrimSpace(e.text), "\n", "\n> "))
		case "note":
			fmt.Fprintf(&b, "\n*%s*\n", oneLine(e.text))
		default:
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", e.head, strings.TrimRight(e.text, "\n"))
		}
	}
	_, err := io.WriteString(out, text.Visible(b.String()))
	return err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func fenced(lang, text string) string {
	fence := "```"
	for _, run := range regexp.MustCompile("`{3,}").FindAllString(text, -1) {
		if len(run) >= len(fence) {
			fence = strings.Repeat("`", len(run)+1)
		}
	}
	return fence + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// html writes a page that needs nothing else. Everything from the conversation is escaped.
func html(out io.Writer, id string, events []agent.Event) error {
	list := transcript(events)
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
div{margin:.8rem 0;padding:.5rem .8rem;border-left:4px solid #ccc}
.user{border-color:#36c}.assistant{border-color:#393}.failed{border-color:#c33}.thinking,.note{color:#777}
.call pre,.result pre,.failed pre{font:13px/1.4 ui-monospace,monospace}
</style></head><body>
<h1>%s</h1>
<p>session <code>%s</code></p>
`, stdhtml.EscapeString(title(id, list)), stdhtml.EscapeString(title(id, list)), stdhtml.EscapeString(id))
	for _, e := range list {
		fmt.Fprintf(&b, "<div class=%q>", e.kind)
		if e.head != "" {
			fmt.Fprintf(&b, "<b>%s</b>", stdhtml.EscapeString(e.head))
		}
		fmt.Fprintf(&b, "<pre>%s</pre></div>\n", stdhtml.EscapeString(e.text))
	}
	b.WriteString("</body></html>\n")
	_, err := io.WriteString(out, text.Visible(b.String()))
	return err
}
