package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// place is where a path really leads.
type place struct {
	given  string
	real   string // absolute, without links
	inside bool   // in the work directory
}

// maxLinks is how many links a path may lead over, as in the kernel of Linux.
const maxLinks = 40

// locate is resolve where paths outside the work directory are refused if Env.Confine says so.
func (e Env) locate(given string) (place, error) {
	p, err := e.resolve(given)
	if err == nil && !p.inside && e.Confine {
		return place{}, wordedError(fmt.Sprintf(e.Texts.Escapes, given))
	}
	return p, err
}

// resolve resolves a path as the system would, link by link, also when its end does not exist yet.
func (e Env) resolve(given string) (place, error) {
	if given == "" {
		return place{}, errors.New("path is empty")
	}
	if strings.ContainsRune(given, 0) {
		return place{}, errors.New("path holds a NUL byte")
	}
	full := given
	if !filepath.IsAbs(full) {
		full = e.Root + string(filepath.Separator) + full // not Join: a/../b must be resolved, not shortened
	}
	to, err := follow(full)
	if err != nil {
		return place{}, fmt.Errorf("%s: %w", given, err)
	}
	root, err := follow(e.Root)
	if err != nil {
		return place{}, fmt.Errorf("work directory %s: %w", e.Root, err)
	}
	return place{given: given, real: to, inside: within(root, to)}, nil
}

// wordedError is an error whose text is already in the words of the face.
type wordedError string

func (w wordedError) Error() string { return string(w) }

// follow resolves every link in an absolute path. What does not exist is taken as it is written.
func follow(full string) (string, error) {
	vol := filepath.VolumeName(full)
	top := vol + string(filepath.Separator)
	rest := elements(full[len(vol):])
	at, links := top, 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			at = next // the system will say what is wrong, if anything
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("too many links: %s leads round in a circle", next)
		}
		to, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			v := filepath.VolumeName(to)
			at, to = v+string(filepath.Separator), to[len(v):]
		}
		rest = append(elements(to), rest...)
	}
	return at, nil
}

func elements(path string) []string {
	return strings.Split(filepath.ToSlash(path), "/")
}

// within reports whether path is root or below it. Names are compared first; where they differ the directories are, for
// file systems that do not care about case.
func within(root, path string) bool {
	if path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
		return true
	}
	want, err := os.Stat(root)
	if err != nil {
		return false
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, want) {
			return true
		}
		up := filepath.Dir(path)
		if up == path {
			return false
		}
		path = up
	}
}

// still checks, as late as possible, that the place is where it was and the run goes on.
func (p place) still(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	to, err := follow(p.real)
	if err == nil && to != p.real {
		err = errMoved
	}
	return err
}

// mayWrite decides on a write: inside always, outside when somebody says so.
func (e Env) mayWrite(ctx context.Context, p place) error {
	if p.inside || e.Outside != nil && e.Outside(p.real) {
		return nil
	}
	a, err := e.ask(ctx, agent.Ask{Text: msg.For(msg.Lang(e.Lang)).Text(msg.ToolWriteOutside, p.real, e.Root)})
	if err != nil {
		return fmt.Errorf("asking about %s: %w", p.real, err)
	}
	if a.Allow {
		return nil
	}
	reason := "nobody allowed the write"
	if a.Text != "" {
		reason = "the answer was: " + a.Text
	}
	return fmt.Errorf("%s is %s, outside the work directory %s; %s", p.given, p.real, e.Root, reason)
}
