package install

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// Diff is a file that a change would add, replace or remove.
type Diff struct {
	Path string
	What Op
	// Script says that it is meant to be run; Edited that a person has changed it since it was installed.
	Script, Edited bool
	Size           int
}

// Op says what happens to a file.
type Op string

// What happens.
const (
	Add     Op = "add"
	Replace Op = "change"
	Delete  Op = "remove"
)

// Change is the installing of one skill, as it would be done. It holds the bytes that would be written.
type Change struct {
	Name  string
	Place Place
	// Dir is the folder that the skill will be in.
	Dir string
	// Files are all files, Diffs those that are not there yet as they would be, or would go.
	Files Tree
	Diffs []Diff
	// Old is what is installed now, nil if nothing is.
	Old *State
	// Same says that there is nothing to do. Restores says that the source has nothing new: what a person changed would
	// become again what was installed.
	Same, Restores bool
	// Blocked is why it is not done without Force: what would be lost.
	Blocked error
	// Notes are what a person should know before.
	Notes []error

	entry entry
	dirs  []string // all folders to write
	link  string   // a link to make, or a copy
	print string   // of what was there when it was planned
}

// Ask is what is wanted of a plan.
type Ask struct {
	// Name installs one skill under another name.
	Name string
	// Copy makes copies for other agents in the place of links.
	Copy bool
}

// Plan reads the skills and says what installing them in a place would do. It changes nothing. A skill that cannot be
// installed is named with the reason and keeps no other one away; an error is about all of them.
func (s *Store) Plan(ctx context.Context, p Place, b *Bundle, skills []Found, ask Ask) (out []Change, refused []Skipped, err error) {
	if ask.Name != "" && len(skills) != 1 {
		return nil, nil, msg.Errorf(msg.InstallNameOne, len(skills))
	}
	l, err := readLock(p)
	if err != nil {
		return nil, nil, err
	}
	if err := p.safe(); err != nil {
		return nil, nil, err
	}
	var total int64
	for i := range skills {
		name := skills[i].Name
		if ask.Name != "" {
			name = ask.Name
		}
		c, err := p.plan(ctx, l, b, &skills[i], name, ask.Copy)
		if err == nil {
			if j := slices.IndexFunc(out, func(o Change) bool { return strings.EqualFold(o.Dir, c.Dir) }); j >= 0 {
				err = msg.Errorf(msg.InstallSameFolder, out[j].Name, c.Name, c.Dir)
			}
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			refused = append(refused, Skipped{Name: name, Path: path.Join(skills[i].Path, skillFile), Reason: err})
			continue
		}
		if total += c.Files.Bytes(); total > 4*maxBytes {
			return nil, nil, msg.Errorf(msg.InstallAtOnce, 4*maxBytes>>20)
		}
		out = append(out, *c)
	}
	return out, refused, nil
}

// Refused says why a skill of the source would not be installed, as far as that can be told without a download; nil: nothing
// speaks against it.
func (b *Bundle) Refused(ctx context.Context, f Found) error {
	if Folder(f.Name) == "" {
		return msg.Errorf(msg.InstallBadName, f.Name, "")
	}
	if b.site != nil && f.dir == "" {
		return nil
	}
	_, err := b.tree(ctx, &f)
	return err
}

// Folders are those that the skill will be in.
func (c *Change) Folders() []string { return slices.Clone(c.dirs) }

// Shown are the hashes of the files that Diffs names, as they would be written, by path.
func (c *Change) Shown() map[string]string {
	all := c.Files.digests()
	out := map[string]string{}
	for _, d := range c.Diffs {
		if sum, ok := all[d.Path]; ok {
			out[d.Path] = sum
		}
	}
	return out
}

// safe refuses a place whose folder for skills lies elsewhere: a project may be anybody's.
func (p Place) safe() error {
	dir := p.Skills()
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); errors.Is(err, fs.ErrNotExist) && d != p.Dir && d != filepath.Dir(d) {
			continue
		}
		target, err := filepath.EvalSymlinks(d)
		if err != nil {
			return msg.Errorf(msg.InstallOutside, d, err)
		}
		if p.Level == Project && !inside(target, resolved(p.Dir)) {
			return msg.Errorf(msg.InstallOutside, d, target)
		}
		return nil
	}
}

func (p Place) plan(ctx context.Context, l *lockFile, b *Bundle, f *Found, name string, asCopy bool) (*Change, error) {
	folder := Folder(name)
	other := !sameName(name, f.Name)
	if folder == "" || other && folder != name {
		return nil, msg.Errorf(msg.InstallBadName, name, folder)
	}
	if b.Source.Kind == Local { // a skill cannot be installed into itself, nor over itself
		from, to := resolved(f.dir), resolved(filepath.Join(p.Skills(), folder))
		if inside(to, from) || inside(from, to) {
			return nil, msg.Errorf(msg.InstallOverlap, f.dir, filepath.Join(p.Skills(), folder))
		}
	}
	whole, err := b.tree(ctx, f)
	if err != nil {
		return nil, err
	}
	c := &Change{Name: name, Place: p, Dir: filepath.Join(p.Skills(), folder), Files: slices.Clone(whole.installed())}
	if other {
		md := c.Files.find(skillFile)
		if md.Data, err = rename(md.Data, name); err != nil {
			return nil, err
		}
	}
	var old *entry
	if e, ok := l.find(name); ok {
		c.Name, old = e.key, e
		st := p.state(ctx, *e)
		c.Old = &st
	}
	git := ""
	if p.Level == User && b.Source.Kind == GitHub {
		git = b.gitFolder(ctx, f.Path)
	}
	if c.entry, err = p.newEntry(b, f, c.Name, whole, c.Files, git, old); err != nil {
		return nil, err
	}
	c.targets(asCopy)
	c.Notes = notes(c.Files)
	c.compare(ctx, b)
	return c, nil
}

// targets decides which folders are written: those where it is, else ours.
func (c *Change) targets(asCopy bool) {
	c.dirs = []string{c.Dir}
	if c.Old != nil && len(c.Old.Dirs) > 0 {
		c.dirs = c.Old.Dirs
		c.Dir = c.dirs[0]
		return
	}
	claude := filepath.Join(c.Place.Dir, ".claude")
	if info, err := os.Stat(claude); err != nil || !info.IsDir() || !inside(resolved(claude), resolved(c.Place.Dir)) {
		return
	}
	other := filepath.Join(claude, "skills")
	if info, err := os.Lstat(other); err == nil && !info.IsDir() {
		return // a link of the whole folder: there it is already, or it is not our business
	}
	link := filepath.Join(other, filepath.Base(c.Dir))
	if _, err := os.Lstat(link); err == nil {
		return
	}
	if asCopy {
		c.dirs = append(c.dirs, link)
		return
	}
	c.link = link
}

// compare fills in what differs from what is there, and what would be lost.
func (c *Change) compare(ctx context.Context, b *Bundle) {
	have := Tree{}
	same := true
	for i, dir := range c.dirs {
		t, err := readTree(ctx, dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			same = false
			continue
		case err != nil:
			same = false
			c.Blocked = msg.Errorf(msg.InstallWouldLose, dir, err)
			continue
		}
		if i == 0 {
			have = t.installed()
		}
		same = same && slices.EqualFunc(t.installed(), c.Files, equalFiles)
	}
	c.print = fingerprint(ctx, c.dirs)
	c.Same = same && c.Old != nil
	edited := []string{}
	if c.Old != nil {
		edited = c.Old.Changed
	}
	c.Diffs = diff(have, c.Files, edited)
	if c.Blocked == nil && !c.Same {
		c.Blocked = c.blocked(b, same)
	}
}

// blocked says what would be lost; same: the files are those that would be written.
func (c *Change) blocked(b *Bundle, same bool) error {
	info, err := os.Lstat(c.Dir)
	switch there := err == nil; {
	case !there:
	case info.Mode()&fs.ModeSymlink != 0:
		return msg.Errorf(msg.InstallIsLink, c.Dir)
	case c.Old == nil:
		if !same {
			return msg.Errorf(msg.InstallNotOurs, c.Dir)
		}
	case c.Old.Status == Modified:
		return c.Old.edited()
	case !c.sameSource():
		return msg.Errorf(msg.InstallElsewhere, c.Name, c.Old.Source, b.Source.String())
	}
	return nil
}

// sameSource says whether the new files come from where the old ones came from.
func (c *Change) sameSource() bool {
	return c.entry.text(fSource) == c.Old.Source && c.entry.text(fKind) == c.Old.entry.text(fKind)
}

func equalFiles(a, b File) bool {
	return a.Path == b.Path && a.Exec == b.Exec && bytes.Equal(a.Data, b.Data)
}

func diff(have, want Tree, edited []string) []Diff {
	var out []Diff
	note := func(f *File, what Op) {
		out = append(out, Diff{Path: f.Path, What: what, Script: f.Script(), Edited: slices.Contains(edited, f.Path), Size: len(f.Data)})
	}
	for i := range want {
		switch old := have.find(want[i].Path); {
		case old == nil:
			note(&want[i], Add)
		case !equalFiles(*old, want[i]):
			note(&want[i], Replace)
		}
	}
	for i := range have {
		if want.find(have[i].Path) == nil {
			note(&have[i], Delete)
		}
	}
	slices.SortStableFunc(out, func(a, b Diff) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// fingerprint tells whether folders have changed since.
func fingerprint(ctx context.Context, dirs []string) string {
	var b strings.Builder
	for _, dir := range dirs {
		t, err := readTree(ctx, dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			b.WriteString("-\n")
		case err != nil:
			b.WriteString(err.Error() + "\n")
		default:
			b.WriteString(t.gitTree() + "\n")
		}
	}
	return b.String()
}

// notes says what in a skill is more than text.
func notes(t Tree) []error {
	var out []error
	md := t.find(skillFile)
	if md == nil {
		return nil
	}
	head, body := header(md.Data)
	if regexp.MustCompile("(?m)!`[^`\n]+`|^\\s*(```+|~~~+)!").Match(body) {
		out = append(out, msg.Errorf(msg.InstallInjects))
	}
	for _, field := range []string{"allowed-tools", "hooks"} {
		if regexp.MustCompile(`(?m)^` + field + `\s*:`).Match(head) {
			out = append(out, msg.Errorf(msg.InstallField, field))
		}
	}
	return out
}

// header splits a skill's file at the line that closes its header.
func header(data []byte) (head, body []byte) {
	at := regexp.MustCompile(`\n---[ \t]*(\r?\n|$)`).FindIndex(data)
	if at == nil {
		return data, nil
	}
	return data[:at[0]+1], data[at[1]:]
}

// rename writes another name into a header.
func rename(data []byte, name string) ([]byte, error) {
	head, _ := header(data)
	at := regexp.MustCompile(`(?m)^name[ \t]*:[ \t]*([^\r\n]*)`).FindSubmatchIndex(head)
	if at == nil || regexp.MustCompile(`^[|>&*!]|^$`).Match(bytes.TrimSpace(data[at[2]:at[3]])) {
		return nil, msg.Errorf(msg.InstallNoRename)
	}
	return slices.Concat(data[:at[0]], []byte("name: "+name), data[at[1]:]), nil
}
