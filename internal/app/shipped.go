package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/skill"
	"react-agent/skills"
)

// shippedRoot is the place of the skills that come with the program, if this face or the demo has them. It comes last: what
// a project or a person has of the same name wins. The files are unpacked, since their scripts have to be run.
func (p *product) shippedRoot() []skill.Root {
	if !p.usesShipped() {
		return nil
	}
	return p.unpackedRoot()
}

// usesShipped says whether this face, or the demo, has the skills that come with the program.
func (p *product) usesShipped() bool { return p.face.Skills.Shipped || p.o.Demo }

// unpackedRoot is where those skills are, unpacked.
func (p *product) unpackedRoot() []skill.Root {
	p.places.Lock()
	defer p.places.Unlock()
	if p.shipped == "" {
		dir, err := unpack(skills.Files, p.shippedBase())
		if err != nil {
			p.shipped = "-" // said once
			p.warn(msg.For(p.c.Language).Text(msg.ShippedNot, p.shippedBase(), err))
			return nil
		}
		p.shipped = dir
	}
	if p.shipped == "-" {
		return nil
	}
	return []skill.Root{{Path: p.shipped, Scope: skill.System}}
}

// shippedBase holds one directory for each version of the skills.
func (p *product) shippedBase() string {
	user, err := p.c.UserState()
	if err != nil { // nobody's home
		user = filepath.Join(p.dir, "user")
	}
	return filepath.Join(user, "shipped")
}

// isShipped says whether a directory is an unchanged copy of a skill that comes with the program.
func isShipped(dir string) bool {
	name := filepath.Base(dir)
	if _, err := fs.Stat(skills.Files, name+"/SKILL.md"); err != nil {
		return false
	}
	files, err := fs.Sub(skills.Files, name)
	return err == nil && unpacked(files, dir)
}

// unpack puts files into a directory below base that is named after their content. One that is there already is only
// compared. It is made beside its place and moved there whole, so two processes may do it at once, and a crash leaves nothing
// half done.
func unpack(files fs.FS, base string) (string, error) {
	sum, err := contentSum(files)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, sum)
	if unpacked(files, dir) {
		return dir, nil
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(base, ".new-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(made) }()
	whole := filepath.Join(made, sum)
	if err := os.CopyFS(whole, files); err != nil {
		return "", err
	}
	if os.Rename(whole, dir) == nil || unpacked(files, dir) {
		return dir, nil
	}
	// What stands in its place was changed; it may be in use, so it goes as a whole.
	if err := os.Rename(dir, filepath.Join(made, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(whole, dir); err != nil && !unpacked(files, dir) {
		return "", err
	}
	return dir, nil
}

// contentSum names files by their paths and contents.
func contentSum(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%d %s %d\n%s", len(path), path, len(data), data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))[:16], err
}

// unpacked says whether a directory holds exactly these files.
func unpacked(files fs.FS, dir string) bool {
	same := 0
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		want, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		same++
		return sameFile(filepath.Join(dir, filepath.FromSlash(path)), want)
	})
	return err == nil && countFiles(dir) == same
}

var errOther = errors.New("another content")

func sameFile(path string, want []byte) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(want)) {
		return errors.Join(errOther, err)
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want) {
		return errors.Join(errOther, err)
	}
	return nil
}

// countFiles counts what is in a directory, -1 if that cannot be told. Caches of interpreters do not count.
func countFiles(dir string) (n int) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "__pycache__":
			return fs.SkipDir
		case !d.IsDir() && !strings.HasSuffix(d.Name(), ".pyc"):
			n++
		}
		return nil
	})
	if err != nil {
		return -1
	}
	return n
}
