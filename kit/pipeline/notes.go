package pipeline

import (
	"path/filepath"
	"regexp"
	"strings"
)

// runFirst reports whether a note wants the command of a step run before its sub-agent.
func runFirst(notes string) bool {
	notes = strings.ToLower(notes)
	return strings.Contains(notes, "run command") && regexp.MustCompile(`\bfirst\b`).MatchString(notes)
}

// notesCommand finds the command that a note tells to run: an interpreter with the skill's own program, and its arguments
// as far as they are no words of the note again. Empty: there is none.
func notesCommand(notes, entry string) string {
	begin := regexp.MustCompile(`(?:[\w./-]*/)?python[0-9.]*(?:\.exe)?[ \t]+`)
	for _, at := range begin.FindAllStringIndex(notes, -1) {
		rest := notes[at[1]:]
		marked := at[0] > 0 && notes[at[0]-1] == '`'
		if marked {
			rest, _, _ = strings.Cut(rest, "`")
		}
		program := shellWord(rest)
		if next := shellWord(strings.TrimLeft(rest[len(program):], " \t")); next == "next" || !samePath(unquote(program), entry) {
			continue // what comes next is asked anyway
		}
		if marked {
			return strings.TrimSpace(notes[at[0]:at[1]] + rest)
		}
		return notes[at[0]:at[1]] + program + arguments(rest[len(program):])
	}
	return ""
}

// arguments are the words at the beginning of s that belong to a command: one without a hyphen, then options with their
// values and what is quoted.
func arguments(s string) string {
	end, last := 0, ""
	for first := true; ; first = false {
		gap := len(s[end:]) - len(strings.TrimLeft(s[end:], " \t"))
		word := shellWord(s[end+gap:])
		if word == "" || gap == 0 {
			return s[:end]
		}
		quotedWord := word[0] == '"' || word[0] == '\''
		option := word[0] == '-' && len(word) > 1
		value := strings.HasPrefix(last, "-") && (strings.ContainsAny(word, `/._=0123456789`) || endsThere(s[end+gap+len(word):]))
		plain := regexp.MustCompile(`^[A-Za-z][\w-]*$`).MatchString(strings.TrimRight(word, ".,;"))
		if !quotedWord && !option && !value && (!first || !plain) {
			return s[:end]
		}
		end += gap + len(word)
		if trimmed := strings.TrimRight(word, ".,;)"); !quotedWord && trimmed != word { // a sentence ends here
			return s[:end-len(word)+len(trimmed)]
		}
		last = word
	}
}

// endsThere says that a command ends here or goes on with an option.
func endsThere(s string) bool {
	s = strings.TrimLeft(s, " \t")
	return s == "" || s[0] == '-'
}

// shellWord is the word at the beginning of s with its quotes.
func shellWord(s string) string {
	if s == "" {
		return ""
	}
	if q := s[0]; q == '"' || q == '\'' {
		if end := strings.IndexByte(s[1:], q); end >= 0 {
			return s[:end+2]
		}
		return ""
	}
	if end := strings.IndexAny(s, " \t\n`;&|<>(\"'"); end >= 0 {
		return s[:end]
	}
	return s
}

func unquote(word string) string {
	if len(word) > 1 && (word[0] == '"' || word[0] == '\'') {
		return word[1 : len(word)-1]
	}
	return word
}

// samePath reports whether two paths lead to the same file.
func samePath(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ra, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	rb, err := filepath.EvalSymlinks(b)
	return err == nil && ra == rb
}
