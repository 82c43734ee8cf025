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

// pipelineWord is the name of a tool that drives a pipeline, also with something that stands for the skill's name.
func pipelineWord() *regexp.Regexp { return regexp.MustCompile(`^run_\S+_pipeline$`) }

// word is what a tool's name may be made of, with what people write in the place of a part of it.
func word() *regexp.Regexp {
	return regexp.MustCompile(`[\p{L}\p{N}_]+(?:[-…<>{}*]+[\p{L}\p{N}_]+)*`)
}

// named lists the tools of the program that a line names. A part of a path or of a longer name is none.
func (x *linter) named(line string) []string {
	if !strings.ContainsRune(line, '_') && !strings.ContainsFunc(line, unicode.IsUpper) {
		return nil
	}
	var out []string
	for _, at := range word().FindAllStringIndex(line, -1) {
		w := line[at[0]:at[1]]
		if (x.words[w] || pipelineWord().MatchString(w)) && !inPath(line[:at[0]], line[at[1]:]) {
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
