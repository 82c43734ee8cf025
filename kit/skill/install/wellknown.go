package install

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

const (
	wellKnown = "/.well-known/"
	indexV2   = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
	maxIndexN = 2000 // entries
)

// listing is one entry of a site's index, of either version.
type listing struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
	Type        string   `json:"type"`
	URL         string   `json:"url"`
	Digest      string   `json:"digest"`
}

// published are the skills of a site.
type published struct {
	base    string // of the skills' folders, for the first version
	index   *url.URL
	second  bool // version 0.2
	entries []listing
	skipped []Skipped
}

// sitePath splits what follows /.well-known/: the base of the site, and the one skill that is named.
func sitePath(u *url.URL) (base, skill string) {
	base, rest, ok := strings.Cut(u.Path, wellKnown)
	if !ok {
		return strings.TrimRight(u.Path, "/"), ""
	}
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	if len(parts) > 1 && parts[1] != "index.json" {
		skill = parts[1]
	}
	return base, skill
}

// publishedAt asks a site for its index; nil: it has none. A URL with a path has to have its own: that of the whole site
// would be more than was asked for.
func (f *Fetcher) publishedAt(ctx context.Context, raw string) (*published, string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, "", msg.Errorf(msg.InstallSource, hidePassword(raw))
	}
	base, skill := sitePath(u)
	for _, kind := range []string{"agent-skills", "skills"} {
		at := *u
		at.Path, at.RawPath, at.RawQuery, at.Fragment = base+wellKnown+kind+"/index.json", "", "", ""
		a, err := f.get(ctx, at.String(), maxIndex)
		if status, ok := errors.AsType[statusError](err); ok && (status.code == http.StatusNotFound || status.code < 500) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		p, err := readIndex(a.data)
		if err != nil {
			continue // a page that says something else
		}
		p.index = a.url
		at.Path = path.Dir(at.Path)
		p.base = at.String()
		return p, skill, nil
	}
	return nil, skill, nil
}

func readIndex(data []byte) (*published, error) {
	var raw struct {
		Schema *string           `json:"$schema"`
		Skills []json.RawMessage `json:"skills"`
	}
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &raw); err != nil {
		return nil, err
	}
	if raw.Skills == nil || raw.Schema != nil && *raw.Schema != indexV2 || len(raw.Skills) > maxIndexN {
		return nil, errors.New("not an index of skills")
	}
	p := &published{second: raw.Schema != nil}
	for _, r := range raw.Skills {
		var l listing
		err := json.Unmarshal(r, &l)
		if err == nil {
			err = l.check(p.second)
		}
		if err != nil {
			p.skipped = append(p.skipped, Skipped{Path: oneLine(l.Name), Reason: err})
			continue
		}
		p.entries = append(p.entries, l)
	}
	return p, nil
}

func (l *listing) check(second bool) error {
	if len(l.Name) > 64 || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(l.Name) {
		return msg.Errorf(msg.InstallIndexName, l.Name)
	}
	if l.Description == "" {
		return msg.Errorf(msg.InstallIndexField, "description")
	}
	if second {
		switch {
		case l.Type != "skill-md" && l.Type != "archive":
			return msg.Errorf(msg.InstallIndexField, "type")
		case l.URL == "":
			return msg.Errorf(msg.InstallIndexField, "url")
		case !regexp.MustCompile(`^sha256:[a-f0-9]{64}$`).MatchString(l.Digest):
			return msg.Errorf(msg.InstallIndexField, "digest")
		}
		return nil
	}
	if len(l.Files) > maxFiles {
		return msg.Errorf(msg.InstallTooMany, maxFiles)
	}
	known := paths{}
	for _, file := range l.Files {
		if err := known.add(file, false); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(l.Files, func(f string) bool { return strings.EqualFold(f, skillFile) }) {
		return msg.Errorf(msg.InstallIndexField, "files")
	}
	return nil
}

// found are the site's skills, of which nothing has been downloaded yet.
func (p *published) found() []Found {
	var out []Found
	for i := range p.entries {
		out = append(out, Found{Name: p.entries[i].Name, Description: oneLine(p.entries[i].Description), Path: "."})
	}
	return out
}

// oneLine is a stranger's text for a screen.
func oneLine(s string) string { return strings.Join(strings.Fields(text.Clean([]byte(s))), " ") }

// download brings one skill of a site into dir and gives its digest, in the form that the lock files have.
func (f *Fetcher) download(ctx context.Context, p *published, name, dir string) (digest, from string, err error) {
	i := slices.IndexFunc(p.entries, func(l listing) bool { return l.Name == name })
	if i < 0 {
		return "", "", msg.Errorf(msg.InstallNoSkill)
	}
	l := p.entries[i]
	if p.second {
		return f.artifact(ctx, p, l, dir)
	}
	var files []File
	size := 0
	for _, name := range l.Files {
		if strings.EqualFold(name, skillFile) {
			name = skillFile
		}
		at := p.base + "/" + l.Name + "/" + (&url.URL{Path: name}).EscapedPath()
		a, err := f.get(ctx, at, maxDownload)
		if err != nil {
			return "", "", err
		}
		if size += len(a.data); size > maxBytes {
			return "", "", msg.Errorf(msg.InstallTooBig, maxBytes>>20)
		}
		files = append(files, File{Path: name, Data: a.data})
	}
	for _, file := range files {
		if err := writeFile(dir, file); err != nil {
			return "", "", err
		}
	}
	return siteDigest(files), p.base + "/" + l.Name + "/" + skillFile, nil
}

// artifact is one file with a digest: a SKILL.md or an archive.
func (f *Fetcher) artifact(ctx context.Context, p *published, l listing, dir string) (digest, from string, err error) {
	u, err := p.index.Parse(l.URL)
	if err != nil {
		return "", "", msg.Errorf(msg.InstallIndexField, "url")
	}
	a, err := f.get(ctx, u.String(), maxDownload)
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(a.data)
	if got := "sha256:" + hex.EncodeToString(sum[:]); got != l.Digest {
		return "", "", msg.Errorf(msg.InstallDigest, Source{URL: u.String()}.Shown(), got, l.Digest)
	}
	if l.Type == "skill-md" {
		return l.Digest, u.String(), writeFile(dir, File{Path: skillFile, Data: a.data})
	}
	z, ok, err := unpack(ctx, a.data)
	switch {
	case err != nil:
		return "", "", err
	case !ok:
		return "", "", msg.Errorf(msg.InstallNoArchive, Source{URL: u.String()}.Shown())
	case len(z.links) > 0:
		return "", "", msg.Errorf(msg.InstallNotAFile, z.links[0], aLink())
	}
	return l.Digest, u.String(), z.write(dir)
}

// siteDigest is the npm program's hash of a skill whose index has none: path and bytes of each file, each with a zero byte
// behind it, in the order of the paths' code units.
func siteDigest(files []File) string {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, f := range files {
		for _, b := range [][]byte{[]byte(f.Path), {0}, f.Data, {0}} {
			_, _ = h.Write(b) // never fails
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
