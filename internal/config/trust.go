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

// TrustFile is the record of what the person trusted, one line each: the hash of a file's or a folder's content and its
// path; or, about the texts of a project, a word and the project's path. It is safe for several processes: lines are only
// ever appended. To take trust back is to remove a line.
type TrustFile struct{ Path string }

// The words about the texts of a project.
const (
	trustTexts   = "texts"
	distrustText = "no-texts"
	metText      = "met"
)

// Texts tells what the person said about the texts that a project brings (instructions, skills, commands, agents): yes or
// no, if anything. root is the project's, links resolved. Of several lines the last counts.
func (t TrustFile) Texts(root string) (yes, said bool) {
	data, err := os.ReadFile(t.Path)
	if err != nil || strings.ContainsAny(root, "\r\n") {
		return false, false
	}
	y, n := trustLine(root, trustTexts), trustLine(root, distrustText)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		switch {
		case bytes.Equal(line, y):
			yes, said = true, true
		case bytes.Equal(line, n):
			yes, said = false, true
		}
	}
	return yes, said
}

// SetTexts records what the person says about the texts of a project.
func (t TrustFile) SetTexts(root string, yes bool) error {
	if old, said := t.Texts(root); said && old == yes {
		return nil
	}
	word := distrustText
	if yes {
		word = trustTexts
	}
	return t.append([]trusting{{word, root}})
}

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

// Meet records that a text was found which nobody was asked about, so that the next question names it.
func (t TrustFile) Meet(path string) error {
	if t.Trusted(path, metText) {
		return nil
	}
	return t.append([]trusting{{metText, path}})
}

// Met lists what was found like that in a project and is still there.
func (t TrustFile) Met(root string) (paths []string) {
	data, err := os.ReadFile(t.Path)
	if err != nil {
		return nil
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		path, ok := strings.CutPrefix(line, metText+"  ")
		if rel, err := filepath.Rel(root, path); !ok || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Add records trust in this content. A line that a crash left unfinished is closed first and trusts nothing.
func (t TrustFile) Add(path, sha256 string) error {
	if t.Trusted(path, sha256) {
		return nil
	}
	return t.append([]trusting{{sha256, path}})
}

// trusting is what a line says: a hash or a word about a path.
type trusting struct{ word, path string }

// append writes lines in one piece.
func (t TrustFile) append(what []trusting) error {
	var lines []byte
	for _, w := range what {
		if strings.ContainsAny(w.path, "\r\n") {
			return msg.Errorf(msg.ConfigTrustName, w.path)
		}
		lines = append(append(lines, trustLine(w.path, w.word)...), '\n')
	}
	if err := os.MkdirAll(filepath.Dir(t.Path), 0o700); err != nil {
		return err
	}
	if old, err := os.ReadFile(t.Path); err == nil && len(old) > 0 && old[len(old)-1] != '\n' {
		lines = append([]byte("\n"), lines...)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(t.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}
