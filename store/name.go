package store

import (
	"fmt"
	"strings"
)

const (
	maxID   = 48  // bytes of an id without its child numbers
	maxName = 200 // bytes of a whole name, so that every file system takes it
)

// nameError says to a person what is wrong with a name. It is [ErrName].
type nameError string

func (e nameError) Error() string { return string(e) }

func (nameError) Is(target error) bool { return target == ErrName }

// CleanID checks the id of a session, job or document and gives its one spelling: ids are compared without case, so it
// is lower case. An id is 1 to 48 of the characters A-Z a-z 0-9 _ - (the first is no -), and no device name of Windows;
// a child is its parent's id, a dot and a number, any depth. Everything that comes from outside passes here, so that
// no id can leave its folder.
func CleanID(id string) (string, error) {
	head, rest, child := strings.Cut(id, ".")
	if err := checkHead(head); err != nil {
		return "", fmt.Errorf("id %q: %w", clip(id), err)
	}
	for child {
		var n string
		n, rest, child = strings.Cut(rest, ".")
		if n == "" || len(n) > 9 || strings.Trim(n, "0123456789") != "" {
			return "", fmt.Errorf("id %q: %w", clip(id), nameError("after a dot stands the number of a child"))
		}
	}
	if len(id) > maxName {
		return "", fmt.Errorf("id %q: %w", clip(id), nameError(fmt.Sprintf("at most %d bytes", maxName)))
	}
	return strings.ToLower(id), nil
}

func checkHead(head string) error {
	if head == "" || len(head) > maxID {
		return nameError(fmt.Sprintf("use 1 to %d letters, digits, _ or -", maxID))
	}
	for i := range len(head) {
		c := head[i]
		if !idByte(c) || i == 0 && c == '-' {
			return nameError("use letters, digits, _ and - only, not - first")
		}
	}
	if reserved(strings.ToLower(head)) {
		return nameError("it is the name of a device on some systems")
	}
	return nil
}

func idByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

func reserved(id string) bool {
	switch id {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(id) == 4 && (id[:3] == "com" || id[:3] == "lpt") && id[3] >= '0' && id[3] <= '9'
}

// CleanName checks the name of a log or document, kind/id, and gives its one spelling. A kind is 1 to 32 lower-case
// letters, digits and _, beginning with a letter.
func CleanName(name string) (kind, id string, err error) {
	kind, id, ok := strings.Cut(name, "/")
	if !ok || !validKind(kind) {
		return "", "", fmt.Errorf("name %q: %w: it must be kind/id, the kind in lower case", clip(name), ErrName)
	}
	if id, err = CleanID(id); err != nil {
		return "", "", err
	}
	return kind, id, nil
}

// CleanPrefix checks a prefix for listing, kind/, and gives the kind.
func CleanPrefix(prefix string) (kind string, err error) {
	kind, ok := strings.CutSuffix(prefix, "/")
	if !ok || !validKind(kind) {
		return "", fmt.Errorf("prefix %q: %w: it must be a kind and a slash", clip(prefix), ErrName)
	}
	return kind, nil
}

func validKind(kind string) bool {
	if kind == "" || len(kind) > 32 || kind[0] < 'a' || kind[0] > 'z' {
		return false
	}
	return strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && !reserved(kind)
}

// clip keeps what a stranger sent short in an error.
func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// CheckRecord applies the rules for a record that every store enforces: 1 to [MaxRecord] bytes, no newline, no NUL.
func CheckRecord(data []byte) error {
	if len(data) > MaxRecord {
		return fmt.Errorf("record of %d bytes: %w", len(data), ErrTooLarge)
	}
	if len(data) == 0 {
		return fmt.Errorf("empty record: %w", ErrRecord)
	}
	for _, c := range data {
		if c == '\n' || c == 0 {
			return fmt.Errorf("record with a newline or NUL: %w", ErrRecord)
		}
	}
	return nil
}
