package skill

import (
	"fmt"
	"unicode/utf8"

	"react-agent/internal/msg"
)

// Code names a kind of finding; the words are stable.
type Code string

// The codes.
const (
	NameMissing         Code = "name_missing"
	NameInvalid         Code = "name_invalid"
	NameTooLong         Code = "name_too_long"
	NameDirMismatch     Code = "name_dir_mismatch"
	DescriptionMissing  Code = "description_missing"
	DescriptionTooLong  Code = "description_too_long"
	YAMLRepaired        Code = "yaml_repaired"
	YAMLInvalid         Code = "yaml_invalid"
	NoFrontmatter       Code = "no_frontmatter"
	UnclosedFrontmatter Code = "unclosed_frontmatter"
	NotUTF8             Code = "not_utf8"
	DuplicateShadowed   Code = "duplicate_shadowed"
	LowercaseFilename   Code = "lowercase_filename"
	FieldInvalid        Code = "field_invalid"
	NotAFile            Code = "not_a_file"
	Unreadable          Code = "unreadable"
	LinkEscapes         Code = "link_escapes"
	TooMany             Code = "too_many"
	TOMLInvalid         Code = "toml_invalid"
	Untrusted           Code = "untrusted"
)

// Severity says what a finding has done: of an error the skill, or a part of a root, was left out.
type Severity string

// The severities.
const (
	Warn  Severity = "warn"
	Error Severity = "error"
)

// Diagnostic is one thing that is not as it should be.
type Diagnostic struct {
	Code     Code
	Severity Severity
	File     string // or directory
	Line     int    // from 1; 0: the file as a whole
	// Reason and Fix have texts in both languages: show them with [msg.Catalogue.Err].
	Reason, Fix error
}

// Place is file and line, as editors take it.
func (d *Diagnostic) Place() string {
	if d.Line == 0 {
		return d.File
	}
	return fmt.Sprintf("%s:%d", d.File, d.Line)
}

// In is the whole finding in the catalogue's language, on one line.
func (d *Diagnostic) In(c msg.Catalogue) string {
	return fmt.Sprintf("%s: %s [%s] -> %s", d.Place(), c.Err(d.Reason), d.Code, c.Err(d.Fix))
}

// String is the finding in English.
func (d *Diagnostic) String() string { return d.In(msg.For(msg.En)) }

// longestReason bounds what a diagnostic says, in characters: files may have keys and values of any length.
const longestReason = 300

// bounded makes the texts of findings short enough to be read. All findings pass here before anybody sees them.
func bounded(list []Diagnostic) []Diagnostic {
	for i := range list {
		list[i].Reason, list[i].Fix = shorter(list[i].Reason), shorter(list[i].Fix)
	}
	return list
}

// shorter is an error whose texts are cut where they are too long. They are made once: the whole may be a megabyte.
func shorter(err error) error {
	if _, is := err.(*shortError); is || err == nil || utf8.RuneCountInString(err.Error()) <= longestReason { //nolint:errorlint // not what it wraps
		return err
	}
	return &shortError{whole: err, en: beginning(msg.For(msg.En).Err(err)), zh: beginning(msg.For(msg.Zh).Err(err))}
}

// beginning is as much of a text as a diagnostic may say.
func beginning(text string) string {
	n := 0
	for i := range text {
		if n++; n > longestReason {
			return text[:i] + "…"
		}
	}
	return text
}

// shortError is an error that is told in part.
type shortError struct {
	whole  error
	en, zh string
}

// Error is the beginning of the English text.
func (e *shortError) Error() string { return e.en }

// In is the beginning of the text in the catalogue's language.
func (e *shortError) In(c msg.Catalogue) string {
	if c.Lang() == msg.Zh {
		return e.zh
	}
	return e.en
}

// Unwrap gives the whole error.
func (e *shortError) Unwrap() error { return e.whole }

// Status says what became of something that was found.
type Status string

// The states: Shadowed ones would load, if another one had not their name.
const (
	Loaded   Status = "loaded"
	Skipped  Status = "skipped"
	Shadowed Status = "shadowed"
)

// Finding is a skill, or what looked like one, and what became of it.
type Finding struct {
	Name   string // as far as it is known
	Path   string // of its file, or of a directory
	Scope  Scope
	Status Status
	// Held says that it would not be used, whatever else is said of it: the project is not trusted.
	Held bool
	// Command says that it is a person's command, and no skill.
	Command bool
	// Diagnostics in the order of their lines. Those of a skipped one have an error among them.
	Diagnostics []Diagnostic
}
