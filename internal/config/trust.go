package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/msg"
)

// Untrusted is one setting that waits for the person's trust.
type Untrusted struct {
	File   string
	Line   int
	Key    string
	Value  string // what it would set, on one line, secrets masked
	More   int    // characters of the value that Value leaves out
	SHA256 string // of the file's content
}

// UntrustedError lists the settings of files in the work directory that the person has not trusted.
type UntrustedError struct{ Items []Untrusted }

// Error names file, line, key and value of each, and what to do.
func (e *UntrustedError) Error() string { return e.In(msg.For(msg.En)) }

// In is the text in the catalogue's language.
func (e *UntrustedError) In(c msg.Catalogue) string {
	lines := make([]string, 0, len(e.Items))
	for _, u := range e.Items {
		value := u.Value
		if u.More > 0 {
			value += c.Text(msg.ConfigMore, u.More)
		}
		lines = append(lines, c.Text(msg.ConfigUntrusted, place(u.File, u.Line), u.Key, value))
	}
	return strings.Join(lines, "\n")
}

// Files lists each file once, with the hash of its content: what a yes of the person is about.
func (e *UntrustedError) Files() map[string]string {
	files := map[string]string{}
	for _, u := range e.Items {
		files[u.File] = u.SHA256
	}
	return files
}

// TrustFile is the record of what the person trusted: one line per file, hash and path. It is safe for several
// processes: lines are only ever appended.
type TrustFile struct{ Path string }

func trustLine(path, sha256 string) []byte { return []byte(sha256 + "  " + path) }

// Trusted reports whether this content of the file was trusted. The record is read at each question; one that cannot be
// read trusts nothing.
func (t TrustFile) Trusted(path, sha256 string) bool {
	if strings.ContainsAny(path, "\r\n") || sha256 == "" {
		return false
	}
	data, err := os.ReadFile(t.Path)
	if err != nil {
		return false
	}
	want := trustLine(path, sha256)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if bytes.Equal(line, want) {
			return true
		}
	}
	return false
}

// Add records trust in this content. A line that a crash left unfinished is closed first and trusts nothing.
func (t TrustFile) Add(path, sha256 string) error {
	if strings.ContainsAny(path, "\r\n") {
		return msg.Errorf(msg.ConfigTrustName, path)
	}
	if t.Trusted(path, sha256) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.Path), 0o700); err != nil {
		return err
	}
	line := append(trustLine(path, sha256), '\n')
	if old, err := os.ReadFile(t.Path); err == nil && len(old) > 0 && old[len(old)-1] != '\n' {
		line = append([]byte("\n"), line...)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(t.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}
