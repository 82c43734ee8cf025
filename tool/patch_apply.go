package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// undo is how to take back what was done; the last step first.
type undo struct {
	steps []undoStep
	after []func() error // when everything has worked
}

type undoStep struct {
	what string // what stays as it is if this fails
	run  func() error
}

func (u *undo) add(what string, run func() error) { u.steps = append(u.steps, undoStep{what, run}) }

// back takes everything back and says what could not be.
func (u *undo) back() error {
	var left []error
	for _, s := range slices.Backward(u.steps) {
		if err := s.run(); err != nil {
			left = append(left, fmt.Errorf("%s (%w)", s.what, err))
		}
	}
	return errors.Join(left...)
}

// moveAll does all of the plan or nothing. What it could not take back is named.
func moveAll(ctx context.Context, plan []*move) error {
	var u undo
	for _, m := range plan {
		err := m.do(ctx, &u)
		if err == nil {
			continue
		}
		err = fmt.Errorf("%s: %w", m.path, err)
		if left := u.back(); left != nil {
			return fmt.Errorf("%w; what came before it could not all be taken back: %w", err, left)
		}
		return fmt.Errorf("%w; nothing was changed", err)
	}
	for _, f := range u.after {
		if err := f(); err != nil {
			return fmt.Errorf("the patch is applied, but %w", err)
		}
	}
	return nil
}

func (m *move) do(ctx context.Context, u *undo) error {
	switch m.kind {
	case adds:
		return m.doAdd(ctx, u)
	case deletes:
		return m.doDelete(ctx, u)
	case updates:
	}
	at := m.at
	if m.moved() {
		if err := m.doRename(ctx, u); err != nil {
			return err
		}
		at = m.to
	}
	if bytes.Equal(m.old, m.now) {
		return nil
	}
	c := content{at: at, old: m.old, now: m.now}
	if err := c.save(ctx); err != nil {
		return err
	}
	u.add(at.given+" has its new content", func() error {
		back := content{at: at, old: m.now, now: m.old}
		return replace(at.real, m.old, back.unchanged)
	})
	return nil
}

func (m *move) doAdd(ctx context.Context, u *undo) error {
	p := m.at
	makeDirs(filepath.Dir(p.real), u)
	err := create(p.real, m.now, func() error {
		if err := p.still(ctx); err != nil {
			return err
		}
		return free(p)
	})
	if err != nil {
		return err
	}
	u.add(p.given+" was made", func() error {
		made := content{at: p, old: m.now}
		if err := made.unchanged(); err != nil {
			return err
		}
		return os.Remove(p.real)
	})
	if m.exec {
		info, err := os.Stat(p.real)
		if err != nil {
			return err
		}
		return os.Chmod(p.real, info.Mode().Perm()|info.Mode().Perm()&0o444>>2)
	}
	return nil
}

// makeDirs notes which directories are made, for them to go again. Making them is left to whoever makes the file.
func makeDirs(dir string, u *undo) {
	var missing []string
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		missing = append(missing, dir)
	}
	for _, dir := range slices.Backward(missing) {
		u.add("the directory "+dir+" was made", func() error {
			if err := os.Remove(dir); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
	}
}

// doDelete sets the file aside under another name until everything else has worked.
func (m *move) doDelete(ctx context.Context, u *undo) error {
	p := m.at
	if err := m.same(ctx); err != nil {
		return err
	}
	aside := filepath.Join(filepath.Dir(p.real), ".tmp-"+strconv.FormatUint(rand.Uint64(), 36)) //nolint:gosec // a name nobody has
	if err := os.Rename(p.real, aside); err != nil {
		return err
	}
	u.add(p.given+" is now "+aside, func() error { return rename(aside, p) })
	u.after = append(u.after, func() error {
		if err := os.Remove(aside); err != nil {
			return fmt.Errorf("%s could not be removed: it is now %s (%w)", p.given, aside, err)
		}
		return nil
	})
	return nil
}

func (m *move) doRename(ctx context.Context, u *undo) error {
	if err := m.same(ctx); err != nil {
		return err
	}
	if err := m.to.still(ctx); err != nil {
		return err
	}
	dir := filepath.Dir(m.to.real)
	makeDirs(dir, u)
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the user's umask decides
		return err
	}
	if err := rename(m.at.real, m.to); err != nil {
		return err
	}
	u.add(m.at.given+" is now "+m.to.given, func() error { return rename(m.to.real, m.at) })
	return nil
}

// rename takes no other file's place.
func rename(from string, to place) error {
	if err := free(to); err != nil {
		return err
	}
	return os.Rename(from, to.real)
}

// same checks that the file is the one that was read.
func (m *move) same(ctx context.Context) error {
	if err := m.at.still(ctx); err != nil {
		return err
	}
	if m.old == nil { // too large to be read
		return nil
	}
	c := content{at: m.at, old: m.old}
	return c.unchanged()
}
