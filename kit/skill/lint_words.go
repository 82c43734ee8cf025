package skill

import (
	"regexp"
	"strings"
	"unicode"
)

// toolWords are the names that only a tool can mean: with an underscore, or with a capital in the middle. `bash`, `task` or
// `read` are words that any text may need.
func toolWords(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		inner := strings.Trim(name, "_")
		if strings.Contains(inner, "_") || len(inner) > 1 && strings.ContainsFunc(inner[1:], unicode.IsUpper) {
			out[name] = true
		}
	}
	return out
}

// patterns are what lint looks for. They are made once for all skills: making one costs more than using it on a line.
type patterns struct {
	tool      map[string]bool // see toolWords
	pipeline  *regexp.Regexp  // the name of a tool that drives a pipeline, also with something that stands for the skill's name
	word      *regexp.Regexp  // what a tool's name may be made of, with what people write in the place of a part of it
	vendorKey *regexp.Regexp  // the beginnings that services give their keys
	assigned  *regexp.Regexp  // a value behind a name that says secret: in quotes, or long and alone
	link      *regexp.Regexp  // a link or an image of Markdown
	code      *regexp.Regexp  // what stands between backticks on one line
}

func newPatterns(tools []string) *patterns {
	const name = `(?i:api[_-]?key|apikey|secret[_-]?key|client[_-]?secret|secret|access[_-]?token|auth[_-]?token|token|passwd|password)`
	return &patterns{
		tool:     toolWords(tools),
		pipeline: regexp.MustCompile(`^run_\S+_pipeline$`),
		word:     regexp.MustCompile(`[\p{L}\p{N}_]+(?:[-…<>{}*]+[\p{L}\p{N}_]+)*`),
		vendorKey: regexp.MustCompile(`(?:^|[^A-Za-z0-9_-])((?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|` +
			`github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|` +
			`xox[abeoprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{16,}|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)`),
		assigned: regexp.MustCompile(`(` + name + `)["']?\s*(?::=|[:=])\s*(?:["']([^"'\s]{8,})["']|([A-Za-z0-9_+/=-]{16,})(?:\s|$))`),
		link:     regexp.MustCompile(`\]\(\s*<?([^()<>\s]+(?:\([^()\s]*\)[^()<>\s]*)*)>?(?:\s+["'][^)]*)?\s*\)`),
		code:     regexp.MustCompile("`[^`]*`"),
	}
}

// mayName is the quick answer, which most lines get: none of the names is in it.
func (p *patterns) mayName(line string) bool {
	for name := range p.tool {
		if strings.Contains(line, name) {
			return true
		}
	}
	return strings.Contains(line, "_pipeline")
}

// named lists the tools of the program that a line names. A part of a path or of a longer name is none.
func (x *linter) named(line string) []string {
	if !x.find.mayName(line) {
		return nil
	}
	var out []string
	for _, at := range x.find.word.FindAllStringIndex(line, -1) {
		w := line[at[0]:at[1]]
		if (x.find.tool[w] || x.find.pipeline.MatchString(w)) && !inPath(line[:at[0]], line[at[1]:]) {
			out = append(out, w)
		}
	}
	return out
}

// inPath says whether what stands around a word makes it a part of a path, an address or a file's name.
func inPath(before, after string) bool {
	if strings.HasSuffix(before, "/") || strings.HasSuffix(before, `\`) || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "-") {
		return true
	}
	if strings.HasPrefix(after, "/") || strings.HasPrefix(after, "-") {
		return true
	}
	return len(after) > 1 && after[0] == '.' && (unicode.IsLetter(rune(after[1])) || unicode.IsDigit(rune(after[1])))
}
