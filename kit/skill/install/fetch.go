package install

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// Fetcher brings sources onto the disk. Its fields may be left empty; it may be used from many goroutines.
type Fetcher struct {
	// Env is git's environment, Hide takes variables out of it by name.
	Env, Hide []string
	// Proxy and CAFile are as in [httpx.Options].
	Proxy, CAFile string
	// Plain allows http:// and git:// beyond this machine.
	Plain bool
	// Private is asked before a connection to an address that is not on the public internet. nil refuses all of them but
	// this machine, when a person has just named it.
	Private func(host string, ip netip.Addr, net httpx.Net) bool
	// Temp is where sources are put meanwhile; empty is the system's.
	Temp string

	most int64 // bytes of a repository, if tests want fewer

	mu      sync.Mutex
	allowed map[string]bool // hosts
}

// Bundle is a source on the disk, until it is closed.
type Bundle struct {
	Source Source
	// Commit is the one that git brought; empty for other sources.
	Commit string
	// Found are the skills, in the order of the search; Skipped looked like some.
	Found   []Found
	Skipped []Skipped

	fetcher *Fetcher
	temp    string
	release func()
	store   string // of git
	dir     string // of the source
	links   []string
	site    *published
}

// Close takes the source from the disk again.
func (b *Bundle) Close() error {
	if b.temp == "" {
		return nil
	}
	err := os.RemoveAll(b.temp)
	b.release()
	return err
}

// Fetch brings a source onto the disk and looks for skills in it. internal says that skills for the source's own authors
// count, too. The bundle has to be closed.
func (f *Fetcher) Fetch(ctx context.Context, s Source, internal bool) (*Bundle, error) {
	b := &Bundle{Source: s, fetcher: f}
	err := f.fetch(ctx, b, internal || s.Skill != "")
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (f *Fetcher) fetch(ctx context.Context, b *Bundle, internal bool) (err error) {
	s := &b.Source
	if s.Kind == Local {
		if err := b.local(); err != nil {
			return err
		}
		if s.Kind == Local {
			b.dir = s.URL
			return b.search(ctx, internal)
		}
	}
	if b.temp, b.release, err = makeTemp(f.Temp); err != nil {
		return err
	}
	b.dir = filepath.Join(b.temp, "source")
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		return err
	}
	if u, err := url.Parse(s.URL); err == nil && !s.recorded && loopback(u.Hostname()) {
		f.allow(u.Hostname()) // a person named it
	}
	if s.byGit() {
		if b.Commit, err = b.clone(ctx); err != nil {
			return err
		}
		return b.search(ctx, internal)
	}
	if s.Kind == WellKnown {
		p, skill, err := f.publishedAt(ctx, s.URL)
		if err != nil {
			return err
		}
		if p != nil {
			if s.Skill == "" {
				s.Skill = skill
			}
			b.site, b.Found, b.Skipped = p, p.found(), p.skipped
			return nil
		}
		s.Kind = Download
	}
	return b.archive(ctx, internal)
}

// local looks at a path: a file is an archive or one skill, and a repository without files is read by git.
func (b *Bundle) local() error {
	s := &b.Source
	info, err := os.Stat(s.URL)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return msg.Errorf(msg.InstallNoPath, s.URL)
	case err != nil:
		return err
	case !info.IsDir():
		return msg.Errorf(msg.InstallPathIsFile, s.URL)
	}
	bare := isRepo(s.URL)
	if _, err := os.Lstat(filepath.Join(s.URL, ".git")); s.Ref != "" && err == nil || bare {
		s.Kind, s.URL = Git, (&url.URL{Scheme: "file", Path: filepath.ToSlash(s.URL)}).String()
		return nil
	}
	if s.Ref != "" {
		return msg.Errorf(msg.InstallNoRef, s.URL)
	}
	return nil
}

func (b *Bundle) search(ctx context.Context, internal bool) (err error) {
	b.Found, b.Skipped, err = discover(ctx, b.dir, b.Source.Sub, internal)
	return err
}

// archive downloads one file and unpacks it, unless it is a skill itself.
func (b *Bundle) archive(ctx context.Context, internal bool) error {
	s := b.Source
	a, err := b.fetcher.get(ctx, s.URL, maxDownload)
	if err != nil {
		return err
	}
	u, ok, err := unpack(ctx, a.data)
	switch {
	case err != nil:
		return err
	case ok:
		if err := u.write(b.dir); err != nil {
			return err
		}
		b.links = u.links
		if top := u.top(); top != "." {
			b.dir = filepath.Join(b.dir, top)
			for i, l := range b.links {
				b.links[i] = strings.TrimPrefix(l, top+"/")
			}
		}
		return b.search(ctx, internal)
	}
	if err := writeFile(b.dir, File{Path: skillFile, Data: a.data}); err != nil {
		return err
	}
	if err := b.search(ctx, internal); err != nil {
		return err
	}
	if len(b.Found) == 0 {
		return msg.Errorf(msg.InstallNoArchive, s.Shown())
	}
	return nil
}

// Choose picks skills by name, in any spelling; "*" is all of them. Without names it is the one that the source names, or
// the only one there is; ok is false when there are several and somebody has to say which.
func (b *Bundle) Choose(names []string) (list []Found, ok bool, err error) {
	if len(names) == 0 && b.Source.Skill != "" {
		names = []string{b.Source.Skill}
	}
	if len(b.Found) == 0 {
		return nil, false, b.nothing()
	}
	if len(names) == 0 {
		return b.Found, len(b.Found) == 1, nil
	}
	if slices.Contains(names, "*") {
		return b.Found, true, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(b.Found, func(f Found) bool { return f.Name == name })
		if i < 0 {
			i = slices.IndexFunc(b.Found, func(f Found) bool { return sameName(f.Name, name) })
		}
		if i < 0 {
			return nil, false, msg.Errorf(msg.InstallNotThere, b.Source.String(), name, b.names())
		}
		if !slices.ContainsFunc(list, func(f Found) bool { return f.Name == b.Found[i].Name }) {
			list = append(list, b.Found[i])
		}
	}
	return list, true, nil
}

func (b *Bundle) names() string {
	var out []string
	for _, f := range b.Found {
		out = append(out, f.Name)
	}
	return strings.Join(out, ", ")
}

func (b *Bundle) nothing() error {
	if len(b.Skipped) > 0 {
		return msg.Errorf(msg.InstallOnlySkipped, b.Source.String(), b.Skipped[0].Path, b.Skipped[0].Reason)
	}
	return msg.Errorf(msg.InstallNothing, b.Source.String())
}

// tree reads the files of a skill. It fills in what only the download tells.
func (b *Bundle) tree(ctx context.Context, f *Found) (Tree, error) {
	if b.site != nil && f.dir == "" {
		dir, err := os.MkdirTemp(b.temp, "skill-")
		if err != nil {
			return nil, err
		}
		if f.Digest, f.Base, err = b.fetcher.download(ctx, b.site, f.Name, dir); err != nil {
			return nil, err
		}
		if _, err := readSkill(ctx, dir); err != nil {
			return nil, err
		}
		f.dir = dir
	}
	for _, l := range b.links {
		if f.Path == "." || strings.HasPrefix(l, f.Path+"/") {
			return nil, msg.Errorf(msg.InstallNotAFile, l, aLink())
		}
	}
	t, err := readTree(ctx, f.dir)
	if err == nil && t.find(skillFile) == nil {
		err = msg.Errorf(msg.InstallNoSkill)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// lockPath is the path of the skill's file as the lock files have it; empty for sources in which it says nothing.
func (b *Bundle) lockPath(f *Found) string {
	if !b.Source.byGit() {
		return ""
	}
	return path.Join(f.Path, skillFile)
}
