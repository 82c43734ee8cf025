package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"react-agent/agent"
	"react-agent/internal/ordinary"
)

// text is the body, and what REACT_AGENT.md beside it adds.
func (k *Skill) text() (string, error) {
	body, err := k.Body()
	if err != nil || k.Flat {
		return body, err
	}
	data, err := k.readInside(extraName)
	if errors.Is(err, fs.ErrNotExist) {
		return body, nil
	}
	if err != nil {
		return body + fmt.Sprintf("\n\n[%s cannot be read: %v]", extraName, cause(err)), nil
	}
	if extra, _, binary := decode(data); !binary {
		body += "\n\n" + bodyOf(extra)
	}
	return body, nil
}

// readInside reads a file of the skill's folder. Nothing outside is reached, by no link.
func (k *Skill) readInside(name string) ([]byte, error) {
	root, err := os.OpenRoot(k.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	data, _, err := ordinary.ReadIn(root, name, maxFile)
	if e, special := errors.AsType[*ordinary.Error](err); special {
		if e.Mode.IsDir() {
			return nil, errDirectory
		}
		return nil, errors.New("not an ordinary file")
	}
	return data, err
}

var errDirectory = errors.New("a directory")

// file answers with a file of a skill.
func (s *Set) file(k *Skill, name string) agent.Result {
	rel := filepath.Clean(filepath.FromSlash(name))
	if filepath.IsAbs(rel) {
		if r, err := filepath.Rel(k.Dir, rel); err == nil {
			rel = r
		}
	}
	if !filepath.IsLocal(rel) {
		return agent.ErrorResult(fmt.Sprintf("file_path %q leads out of the skill's folder; give a path relative to %s", name, k.Dir))
	}
	data, err := k.readInside(rel)
	switch {
	case errors.Is(err, errDirectory):
		if list := k.filesIn(rel); list != "" {
			return agent.TextResult(list)
		}
		return agent.TextResult("(empty folder)")
	case err != nil:
		text := fmt.Sprintf("cannot read %s of skill %s: %v.", filepath.ToSlash(rel), k.Name, cause(err))
		if files := k.files(); files != "" {
			text += " Its files: " + files
		}
		return agent.ErrorResult(text)
	case bytes.IndexByte(data, 0) >= 0:
		return agent.TextResult(fmt.Sprintf("[binary file of %d bytes: %s]", len(data), filepath.Join(k.Dir, rel)))
	}
	return agent.TextResult(s.cut(strings.ToValidUTF8(string(data), "\uFFFD"), filepath.Join(k.Dir, rel)))
}

// The bounds of a list of files.
const (
	maxListed = 100
	maxDeep   = 4
)

// files lists what else is in a skill's folder, as relative paths with slashes.
func (k *Skill) files() string {
	if k.Flat {
		return ""
	}
	return k.filesIn(".")
}

// listed says whether a file is one that the model may want to read, beside those it is given anyway.
func listed(p string, d fs.DirEntry) bool {
	base := path.Base(p)
	if strings.HasPrefix(base, ".") || d.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
		return false
	}
	return p != base || !strings.EqualFold(base, fileName) && base != extraName
}

func (k *Skill) filesIn(dir string) string {
	root, err := os.OpenRoot(k.Dir)
	if err != nil {
		return ""
	}
	defer func() { _ = root.Close() }()
	var out []string
	seen := 0
	err = fs.WalkDir(root.FS(), filepath.ToSlash(dir), func(p string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxDirs || len(out) > maxListed {
			return fs.SkipAll
		}
		switch {
		case !d.IsDir():
			if listed(p, d) {
				out = append(out, clean(p))
			}
		case p != filepath.ToSlash(dir) && (ignored(path.Base(p)) || strings.Count(p, "/") >= maxDeep):
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return ""
	}
	if len(out) > maxListed {
		out = append(out[:maxListed], "…")
	}
	return strings.Join(out, ", ")
}

// Has says whether the skill's folder holds an ordinary file, by its path within the folder. `scripts/run.py` makes a skill
// one that is driven through phases.
func (k *Skill) Has(file string) bool {
	if k.Flat {
		return false
	}
	root, err := os.OpenRoot(k.Dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(filepath.FromSlash(file))
	return err == nil && info.Mode().IsRegular()
}
