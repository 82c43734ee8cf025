package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// maxLock bounds a lock file.
const maxLock = 16 << 20

// member is a field of a JSON object whose fields keep their order, also those that nobody here knows.
type member struct {
	key string
	raw json.RawMessage
}

// object is a JSON object as it was written.
type object []member

func (o object) index(key string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.key == key })
}

// text is a field that is a string; empty if it is not there or something else.
func (o object) text(key string) string {
	var s string
	if i := o.index(key); i >= 0 && json.Unmarshal(o[i].raw, &s) != nil {
		return ""
	}
	return s
}

// put sets a field, at its place or at the end. An empty text takes the field away.
func (o object) put(key string, value any) (object, error) {
	i := o.index(key)
	if s, ok := value.(string); ok && s == "" && key != fFolder { // that one they write always
		if i >= 0 {
			o = slices.Delete(slices.Clone(o), i, i+1)
		}
		return o, nil
	}
	raw, err := marshal(value)
	if err != nil {
		return nil, err
	}
	if i >= 0 {
		o = slices.Clone(o)
		o[i].raw = raw
		return o, nil
	}
	return append(slices.Clip(o), member{key, raw}), nil
}

func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// MarshalJSON writes the fields in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshal(m.key)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.raw)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// readObject reads an object; of fields with equal names the last counts, as in JavaScript.
func readObject(data []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	o := object{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string) // a key is always a string
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		if i := o.index(key); i >= 0 {
			o[i].raw = raw
			continue
		}
		o = append(o, member{key, raw})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more after the JSON object")
	}
	return o, nil
}

// entry is what a lock file says of one skill.
type entry struct {
	key string // the skill's name
	object
}

// lockFile is a lock file of either level.
type lockFile struct {
	place   Place
	top     object // without skills
	entries []entry
}

// version of the formats that we write.
func (p Place) version() int {
	if p.Level == User {
		return 3
	}
	return 1
}

// readLock reads a place's lock file; one that is not there is empty. The error names the file.
func readLock(p Place) (*lockFile, error) {
	l := &lockFile{place: p}
	data, err := readBounded(p.Lock, maxLock)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return l, nil
	}
	if err == nil {
		err = l.parse(data)
	}
	if err != nil {
		return nil, msg.Errorf(msg.InstallLockBad, p.Lock, err)
	}
	return l, nil
}

func (l *lockFile) parse(data []byte) error {
	top, err := readObject(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err != nil {
		return err
	}
	var version float64
	if i := top.index("version"); i >= 0 {
		if err := json.Unmarshal(top[i].raw, &version); err != nil {
			return fmt.Errorf("version: %w", err)
		}
	}
	if want := float64(l.place.version()); version != want {
		return msg.Errorf(msg.InstallLockVersion, version, want)
	}
	i := top.index("skills")
	if i < 0 {
		l.top = top
		return nil
	}
	skills, err := readObject(top[i].raw)
	if err != nil {
		return fmt.Errorf("skills: %w", err)
	}
	for _, m := range skills {
		o, err := readObject(m.raw)
		if err != nil {
			return fmt.Errorf("skills.%s: %w", m.key, err)
		}
		l.entries = append(l.entries, entry{m.key, o})
	}
	l.top = slices.Delete(slices.Clone(top), i, i+1)
	return nil
}

// find looks an entry up by any spelling of its name.
func (l *lockFile) find(name string) (*entry, bool) {
	for i := range l.entries {
		if l.entries[i].key == name {
			return &l.entries[i], true
		}
	}
	for i := range l.entries {
		if sameName(l.entries[i].key, name) {
			return &l.entries[i], true
		}
	}
	return nil, false
}

func (l *lockFile) set(e entry) {
	for i := range l.entries {
		if l.entries[i].key == e.key {
			l.entries[i] = e
			return
		}
	}
	l.entries = append(l.entries, e)
}

func (l *lockFile) drop(key string) {
	l.entries = slices.DeleteFunc(l.entries, func(e entry) bool { return e.key == key })
}

// encode writes the file as the npm program does: two blanks, a project's entries sorted.
func (l *lockFile) encode() ([]byte, error) {
	if l.place.Level == Project {
		slices.SortFunc(l.entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	}
	skills := object{}
	for _, e := range l.entries {
		raw, err := e.MarshalJSON()
		if err != nil {
			return nil, err
		}
		skills = append(skills, member{e.key, raw})
	}
	raw, err := skills.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out := object{{"version", json.RawMessage(fmt.Sprint(l.place.version()))}, {"skills", raw}}
	for _, m := range l.top {
		if m.key != "version" {
			out = append(out, m)
		}
	}
	if len(l.top) == 0 && l.place.Level == User {
		out = append(out, member{"dismissed", json.RawMessage("{}")})
	}
	compact, err := out.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, err
	}
	if l.place.Level == Project {
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// write replaces the file in one step. A link is written through, so that it stays one.
func (l *lockFile) write() error {
	data, err := l.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", l.place.Lock, err)
	}
	path := resolved(l.place.Lock)
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replaceFile(path, data, mode)
}

// replaceFile writes beside the file and renames.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
