package pipeline

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// maxGist bounds what a person reads of one command, in characters.
const maxGist = 48

// gist is what commands are in a few words: the program without its interpreter and path, what it is told to do, and how
// many commands follow.
func gist(command, interpreter string) string {
	var lines []string
	for line := range strings.Lines(command) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	said := text.Head(gistOf(lines[0], interpreter), maxGist)
	if n := len(lines) - 1; n > 0 {
		said += " +" + strconv.Itoa(n)
	}
	return said
}

func gistOf(line, interpreter string) string {
	words := shellWords(line)
	known := regexp.MustCompile(`^(python[0-9.]*|py|node|deno|bash|sh|zsh|ruby|perl|pwsh|env)(\.exe)?$`)
	isInterpreter := func(w string) bool { return w == interpreter || known.MatchString(path.Base(w)) }
	skipped := func(w string) bool {
		return isInterpreter(w) || strings.HasPrefix(w, "-") || regexp.MustCompile(`^[A-Za-z_]\w*=`).MatchString(w)
	}
	before := "" // the word before
	at := slices.IndexFunc(words, func(w string) bool {
		ok := !skipped(w) && before != "-X" && before != "-W" // options of Python that have a value
		if !ok {
			before = w
		}
		return ok
	})
	if at < 0 || before == "-c" || before == "-e" { // the program stands in the command itself
		return line
	}
	said := path.Base(strings.ReplaceAll(words[at], `\`, "/"))
	if at+1 < len(words) && regexp.MustCompile(`^[A-Za-z][\w-]*$`).MatchString(words[at+1]) {
		said += " " + words[at+1]
	}
	return said
}

// shellWords are the words at the beginning of a line up to what is no word, without their quotes.
func shellWords(line string) []string {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t")
		w := shellWord(line)
		if w == "" {
			return words
		}
		words = append(words, unquote(w))
		line = line[len(w):]
	}
}

// describe says for a person what a block is about to do.
func (r *run) describe(b *Block) string {
	switch b.Type {
	case SubAgent:
		var names []string
		for _, p := range b.Prompt {
			names = append(names, r.short(r.paths.variants(r.fill(p))[0]))
		}
		said := r.msg().Text(msg.PipelineSubAgent)
		if len(names) > 0 {
			said += " " + strings.Join(names, ", ")
		}
		return short(said)
	case Bash:
		return short(gist(r.fill(orText(strings.TrimSpace(b.Run), b.Notes)), r.set.Interpreter))
	case Terminal:
	}
	return string(b.Type)
}

// short is a part of a line; what the line itself puts behind it is not said twice.
func short(s string) string { return strings.TrimSuffix(text.Head(s, maxHead), "…") }
