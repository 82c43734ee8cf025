package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// access is what commands may do with a place and what is below it. A greater one allows more.
type access uint8

const (
	hidden access = iota
	read
	write
)

// A place is a file or directory for which something else holds than for what is around it. Of places within each other
// the inner one counts.
type place struct {
	Path   string `json:"path"`
	Access access `json:"access"`
	Dir    bool   `json:"dir,omitempty"`
	From   string `json:"from,omitempty"` // what stands there instead, when namespaces allow it; empty: itself
	Fixed  bool   `json:"fixed,omitempty"`
}

// places collects them. Paths are without symbolic links.
type places map[string]place

// add notes what holds for a path that is there; of several words for one path the last counts.
func (m places) add(path string, a access) {
	if _, err := os.Lstat(path); err != nil {
		return
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	info, err := os.Stat(target)
	if err != nil || target == "/" {
		return
	}
	m[target] = place{Path: target, Access: a, Dir: info.IsDir()}
}

// protect makes what is at path unchangeable. The directories between it and the writable place around it become places
// too: what is mounted cannot be renamed, so nobody puts another directory there.
func (m places) protect(path string) {
	m.add(path, read)
	target, err := filepath.EvalSymlinks(path)
	p, ok := m[target]
	if err != nil || !ok {
		return
	}
	p.Fixed = true
	m[target] = p
}

// pin adds the places that keep protected ones where they are.
func (m places) pin() {
	for _, p := range m.sorted() {
		if !p.Fixed {
			continue
		}
		var between []string
		for dir := filepath.Dir(p.Path); len(dir) > 1; dir = filepath.Dir(dir) {
			around, ok := m[dir]
			if !ok {
				between = append(between, dir)
				continue
			}
			if around.Access == write {
				for _, b := range between {
					m[b] = place{Path: b, Access: write, Dir: true}
				}
			}
			break
		}
	}
}

// around is the innermost place that path is, or lies in.
func (m places) around(path string) (place, bool) {
	for d := path; ; d = filepath.Dir(d) {
		if p, ok := m[d]; ok {
			return p, true
		}
		if d == filepath.Dir(d) {
			return place{}, false
		}
	}
}

// at is what holds for path.
func (m places) at(path string) access {
	if p, ok := m.around(path); ok {
		return p.Access
	}
	return read
}

// replaced reports whether something else stands where path is.
func (m places) replaced(path string) bool {
	p, _ := m.around(path)
	return p.From != ""
}

// sorted lists the places, outer ones before inner ones.
func (m places) sorted() []place {
	list := make([]place, 0, len(m))
	for _, p := range m {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b place) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// within reports whether path lies below dir.
func within(path, dir string) bool {
	return len(path) > len(dir) && strings.HasPrefix(path, dir) && (path[len(dir)] == '/' || dir == "/")
}

// expand gives a path in which "~/" stands for the home directory.
func expand(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

// places are all places for commands. own says that they have a /tmp of their own.
func (s *Sandbox) places(own bool) (places, error) {
	m := places{}
	s.hide(m)
	for _, p := range visible() {
		m.add(p, read)
	}
	if err := s.temporary(m, own); err != nil {
		return nil, err
	}
	for _, p := range s.o.Hide {
		m.add(p, hidden)
	}
	for _, p := range s.o.Show {
		m.add(p, read)
	}
	if s.o.Cache != "" {
		if err := os.MkdirAll(s.o.Cache, 0o700); err != nil {
			return nil, err
		}
		m.add(s.o.Cache, write)
	}
	m.add(s.root, write)
	repo := repository(s.root)
	repo.complete()
	for _, p := range slices.Concat(repo.write, s.o.Write) {
		m.add(expand(p, s.home), write)
	}
	for _, p := range slices.Concat(repo.protect, s.o.Protect, startFiles(s.home)) {
		m.protect(p)
	}
	m.pin()
	return m, nil
}

// temporary adds the places for temporary files.
func (s *Sandbox) temporary(m places, own bool) error {
	if !own {
		m.add("/tmp", write)
		m.add("/var/tmp", write)
		m.add(os.TempDir(), write)
		return nil
	}
	dir, err := s.store.dir()
	if err != nil {
		return err
	}
	for _, p := range []string{"/tmp", "/var/tmp"} {
		m.add(p, write)
		target := resolved(p)
		if t, ok := m[target]; ok {
			t.From = filepath.Join(dir, tempName)
			m[target] = t
		}
	}
	return nil
}

// hide adds what is secret on every machine.
func (s *Sandbox) hide(m places) {
	homes := []string{}
	if s.home != "" {
		homes = append(homes, s.home)
	}
	if os.Geteuid() == 0 { // everybody's files lie open to root
		all, _ := filepath.Glob("/home/*") // the pattern is well formed
		homes = append(append(homes, "/root"), all...)
		for _, p := range systemSecrets() {
			m.add(p, hidden)
		}
	}
	names := homeSecrets()
	for _, home := range homes {
		for _, name := range names {
			m.add(filepath.Join(home, name), hidden)
		}
		if rc := filepath.Join(home, ".npmrc"); holdsToken(rc) {
			m.add(rc, hidden)
		}
	}
	// Whoever may speak to the services there is out of the sandbox: containers, the session's bus, agents for keys.
	m.add("/run", hidden)
	m.add("/var/run", hidden)
}

// holdsToken reports whether an .npmrc has secrets in it; most have just settings, without which npm works differently.
func holdsToken(path string) bool {
	b, err := os.ReadFile(path)
	return err == nil && (bytes.Contains(b, []byte("_auth")) || bytes.Contains(b, []byte("_password")))
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
