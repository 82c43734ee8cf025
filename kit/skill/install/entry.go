package install

import (
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
)

// Fields of an entry. The last three are ours.
const (
	fSource   = "source"
	fKind     = "sourceType"
	fURL      = "sourceUrl"
	fRef      = "ref"
	fPath     = "skillPath"
	fHash     = "computedHash"    // of a project's skill, as the source has it
	fFolder   = "skillFolderHash" // of a person's: git's name of the folder, or the same hash
	fDigest   = "wellKnownDigest"
	fBase     = "sourceBaseUrl"
	fPlugin   = "pluginName"
	fSince    = "installedAt"
	fUpdated  = "updatedAt"
	fCommit   = "commit"
	fOriginal = "skill" // the name in the source, when it was installed under another
	fFiles    = "files"
)

// files are the hashes of the installed files; nil if the entry has none.
func (e entry) files() map[string]string {
	var out map[string]string
	i := e.index(fFiles)
	if i < 0 || json.Unmarshal(e.object[i].raw, &out) != nil {
		return nil
	}
	return out
}

// original is the name that the source has for it.
func (e entry) original() string {
	if n := e.text(fOriginal); n != "" {
		return n
	}
	return e.key
}

// source is where an entry came from. The error says why it cannot be fetched again.
func (e entry) source(p Place) (Source, error) {
	kind, from := Kind(e.text(fKind)), e.text(fURL)
	if from == "" {
		from = e.text(fSource)
	}
	var s Source
	var err error
	switch kind {
	case Local:
		s = localSource(e.text(fSource), p.Dir)
	case GitHub:
		if !strings.Contains(from, ":") {
			s, err = shorthand(from)
		} else {
			s, err = parseBase(from)
		}
	case GitLab, Git:
		if !strings.Contains(from, ":") && !filepath.IsAbs(from) {
			return Source{}, msg.Errorf(msg.InstallNoSource, e.key, kind)
		}
		s, err = parseBase(from)
		s.Kind, s.URL = kind, from
	case WellKnown:
		if base := e.text(fBase); base != "" {
			from = base
		}
		s, err = parseBase(from)
		s.Kind = WellKnown
	case Download:
		s, err = parseBase(from)
		s.Kind = Download
	default:
		return Source{}, msg.Errorf(msg.InstallNoSource, e.key, kind)
	}
	if err != nil {
		return Source{}, err
	}
	s.Ref, s.Sub, s.Skill, s.recorded = e.text(fRef), "", "", true
	return s, s.check()
}

// newEntry is what a lock file will say of a skill. Fields of the entry before that are not ours stay.
func (p Place) newEntry(b *Bundle, f *Found, name string, whole, files Tree, folder string, old *entry) (entry, error) {
	s, shown := b.Source, b.Source.Shown()
	source, origin := p.names(s)
	hash := whole.hash()
	if s.Kind == WellKnown {
		hash = files.hash()
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	set := [][2]string{
		{fSource, source}, {fURL, origin}, {fRef, s.Ref}, {fKind, string(s.Kind)}, {fPath, b.lockPath(f)}, {fHash, hash}, {fDigest, f.Digest},
	}
	if p.Level == User {
		since, base := now, ""
		if old != nil && old.text(fSince) != "" {
			since = old.text(fSince)
		}
		if s.Kind == WellKnown {
			origin, base, folder = f.Base, shown, ""
		} else if folder == "" {
			folder = hash
		}
		set = [][2]string{
			{fSource, source},
			{fKind, string(s.Kind)},
			{fURL, origin},
			{fRef, s.Ref},
			{fPath, b.lockPath(f)},
			{fFolder, folder},
			{fPlugin, f.Plugin},
			{fBase, base},
			{fDigest, f.Digest},
			{fSince, since},
			{fUpdated, now},
		}
	}
	return fill(old, name, files, append(set, [2]string{fCommit, b.Commit}, [2]string{fOriginal, f.originalFor(name)}))
}

// originalFor is the name in the source, if another one was chosen.
func (f *Found) originalFor(name string) string {
	if sameName(f.Name, name) {
		return ""
	}
	return f.Name
}

// names are what a lock file calls a source: its short name, and its address if that is not the same or is always written.
func (p Place) names(s Source) (source, origin string) {
	shown := s.Shown()
	switch s.Kind {
	case Local:
		if p.Level == Project {
			return portable(s.URL, p.Dir), ""
		}
	case GitHub:
		if p.Level == Project {
			return ownerRepo(s.URL), ""
		}
		return ownerRepo(s.URL), shown
	case WellKnown:
		if u, err := url.Parse(shown); err == nil {
			return strings.TrimPrefix(u.Hostname(), "www."), shown
		}
	case GitLab, Git, Download:
	}
	return shown, shown
}

// fill writes fields over those of the entry before.
func fill(old *entry, name string, files Tree, set [][2]string) (entry, error) {
	out := entry{key: name}
	if old != nil {
		out.object = slices.Clone(old.object)
	}
	var err error
	for _, kv := range set {
		if out.object, err = out.put(kv[0], kv[1]); err != nil {
			return entry{}, err
		}
	}
	out.object, err = out.put(fFiles, ordered(files.digests()))
	return out, err
}

// ordered is a map as an object with its fields sorted.
func ordered(m map[string]string) object {
	out := object{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		raw, err := marshal(m[k])
		if err == nil { // a string always can be written
			out = append(out, member{k, raw})
		}
	}
	return out
}

// portable is a path as a project's lock file has it: relative to the project, with slashes.
func portable(path, dir string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel = filepath.ToSlash(rel)
	if rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return rel
	}
	return "./" + rel
}

// matches says whether files are those that an entry records; known is false if it records nothing that can be compared.
// changed names the files that differ, if the entry has a hash for each.
func (e entry) matches(t Tree) (same bool, changed []string, known bool) {
	files := t.installed()
	if want := e.files(); want != nil {
		got := files.digests()
		for name, sum := range got {
			if want[name] != sum {
				changed = append(changed, name)
			}
		}
		for name := range want {
			if _, ok := got[name]; !ok {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		return len(changed) == 0, changed, true
	}
	for _, want := range []string{e.text(fHash), e.text(fFolder)} {
		switch len(want) {
		case 64:
			return files.hash() == want || files.hashBy(strings.Compare) == want || t.hash() == want, nil, true
		case 40:
			return files.gitTree() == want || t.gitTree() == want, nil, true
		}
	}
	if want := e.text(fDigest); want != "" && siteDigest(files) == want {
		return true, nil, true
	}
	return true, nil, false
}
