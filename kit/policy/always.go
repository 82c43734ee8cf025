package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
)

// Always is a [Store] in a file that projects and processes share: one JSON object a line, only ever appended, readable
// for its owner alone. The file is read at each question, so what one process adds or removes counts for all at once.
type Always struct{ path, project string }

// alwaysLine is one line of the file.
type alwaysLine struct {
	Time    time.Time `json:"time,omitzero"`
	Project string    `json:"project"`
	Rule    string    `json:"rule"`
	Removed bool      `json:"removed,omitempty"`
}

// Kept is a rule with the time when the person allowed it.
type Kept struct {
	Rule string
	Time time.Time // UTC
}

// OpenAlways gives the rules of a project, which is named by its resolved directory. Nothing is read or made yet: the
// file comes with the first rule.
func OpenAlways(path, project string) (*Always, error) {
	if !filepath.IsAbs(path) || !filepath.IsAbs(project) {
		return nil, msg.Errorf(msg.PolicyAlwaysPaths, path, project)
	}
	return &Always{path: path, project: project}, nil
}

// Load gives the texts of the project's rules, oldest first. A line that cannot be read is an error that names it, and
// allows nothing; the other lines still count. Nothing in a file that others may write counts.
func (a *Always) Load() ([]string, error) {
	kept, err := a.List()
	rules := make([]string, 0, len(kept))
	for _, k := range kept {
		rules = append(rules, k.Rule)
	}
	return rules, err
}

// List gives the project's rules with their times, as [Always.Load] does.
func (a *Always) List() ([]Kept, error) {
	data, err := a.read()
	var kept []Kept
	number := 0
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var l alwaysLine
		if bad := json.Unmarshal(line, &l); bad != nil || l.Rule == "" || l.Project == "" {
			if bad == nil {
				bad = msg.Errorf(msg.PolicyAlwaysHalf)
			}
			err = errors.Join(err, msg.Errorf(msg.PolicyAlwaysLine, a.path, number, bad))
			continue
		}
		if l.Project != a.project {
			continue
		}
		kept = slices.DeleteFunc(kept, func(k Kept) bool { return l.Removed && k.Rule == l.Rule })
		if !l.Removed && !slices.ContainsFunc(kept, func(k Kept) bool { return k.Rule == l.Rule }) {
			kept = append(kept, Kept{Rule: l.Rule, Time: l.Time})
		}
	}
	return kept, err
}

func (a *Always) read() ([]byte, error) {
	info, err := os.Stat(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, msg.Errorf(msg.PolicyAlwaysFile, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return nil, msg.Errorf(msg.PolicyAlwaysOpen, a.path, info.Mode().Perm())
	}
	data, err := os.ReadFile(a.path)
	if err != nil {
		return nil, msg.Errorf(msg.PolicyAlwaysFile, err)
	}
	return data, nil
}

// Add appends the rules that are not there yet. Each must be one that [ParseRule] reads.
func (a *Always) Add(rules []string) error {
	have, _ := a.Load() // what cannot be read is not there: it is added again
	var lines []byte
	for _, text := range rules {
		r, err := ParseRule(text)
		if err != nil {
			return err
		}
		if slices.Contains(have, r.String()) {
			continue
		}
		have = append(have, r.String())
		if lines, err = a.line(lines, r.String(), false); err != nil {
			return err
		}
	}
	return a.append(lines)
}

// Remove takes a rule back; it reports whether it was there.
func (a *Always) Remove(rule string) (bool, error) {
	have, err := a.Load()
	if !slices.Contains(have, rule) {
		return false, err
	}
	line, err := a.line(nil, rule, true)
	if err == nil {
		err = a.append(line)
	}
	return err == nil, err
}

func (a *Always) line(to []byte, rule string, removed bool) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(alwaysLine{Time: time.Now().UTC().Truncate(time.Second), Project: a.project, Rule: rule, Removed: removed})
	return append(to, b.String()...), err
}

// append writes whole lines in one go, behind a line that a crash may have left unfinished.
func (a *Always) append(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return msg.Errorf(msg.PolicyAlwaysFile, err)
	}
	f, err := os.OpenFile(a.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return msg.Errorf(msg.PolicyAlwaysFile, err)
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		last := []byte{'\n'}
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = f.Write(lines)
	if err = errors.Join(err, f.Close()); err != nil {
		return msg.Errorf(msg.PolicyAlwaysFile, err)
	}
	return nil
}
