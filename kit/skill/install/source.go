package install

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"react-agent/internal/msg"
)

// Kind is a kind of source, in the words of the lock files.
type Kind string

// The kinds. A Download is an archive or a SKILL.md by its URL; WellKnown is a site that publishes an index.
const (
	Local     Kind = "local"
	GitHub    Kind = "github"
	GitLab    Kind = "gitlab"
	Git       Kind = "git"
	WellKnown Kind = "well-known"
	Download  Kind = "download"
)

// Source is where skills come from.
type Source struct {
	Kind Kind
	// URL is what git or HTTP is given; it may hold a password, so it is not for the screen or a file. Of a Local source it
	// is the absolute path.
	URL string
	// Ref is a branch, tag or commit; empty is what the server offers first.
	Ref string
	// Sub is a folder within the source, with slashes; Skill the name of one skill.
	Sub, Skill string

	recorded bool // it stood in a lock file: whoever wrote that, it was not typed now
}

// Remote says that it is fetched by git.
func (s Source) byGit() bool { return s.Kind == GitHub || s.Kind == GitLab || s.Kind == Git }

// Shown is the URL without user and password, for people and lock files.
func (s Source) Shown() string {
	if s.Kind == Local || !strings.Contains(s.URL, "://") {
		return s.URL
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return s.URL
	}
	if u.User != nil && (u.Scheme == "http" || u.Scheme == "https") {
		u.User = nil
	} else if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	return u.String()
}

// String is the source as a person may type it, without a password.
func (s Source) String() string {
	out := s.Shown()
	if s.Kind == GitHub {
		out = ownerRepo(s.URL)
	}
	if s.Sub != "" {
		if s.Kind == GitHub {
			out += "/" + s.Sub
		} else {
			out += " (" + s.Sub + ")"
		}
	}
	if s.Ref != "" {
		out += "#" + s.Ref
	}
	return out
}

// ownerRepo is the path of a hosted repository without .git.
func ownerRepo(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
}

// Parse reads what a person typed, as the npm program does. A relative path is one below dir. What it refuses, it refuses
// with what it takes instead; it looks at the disk only for a local path, and never at the network.
func Parse(text, dir string) (Source, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return Source{}, msg.Errorf(msg.InstallSource, text)
	}
	if strings.HasPrefix(text, "-") {
		return Source{}, msg.Errorf(msg.InstallDash, text)
	}
	if isLocal(text) {
		return localSource(text, dir), nil
	}
	if helper().MatchString(text) {
		return Source{}, msg.Errorf(msg.InstallTransport, text)
	}
	base, fragment, _ := strings.Cut(text, "#")
	s, err := parseBase(base)
	if err != nil {
		return Source{}, err
	}
	if fragment != "" && s.byGit() {
		ref, skill, _ := strings.Cut(fragment, "@")
		if ref = unescape(ref); ref != "" && s.Ref == "" {
			s.Ref = ref
		}
		if skill = unescape(skill); skill != "" {
			s.Skill = skill
		}
	}
	return s, s.check()
}

func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// helper is git's way of naming a program that brings the bytes: ext::, fd:: and the like.
func helper() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+.-]+::`) }

// isLocal says whether a text is a path: it is absolute or begins with a dot.
func isLocal(text string) bool {
	drive := len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') && unicode.IsLetter(rune(text[0]))
	return drive || filepath.IsAbs(text) || text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") ||
		strings.HasPrefix(text, `.\`) || strings.HasPrefix(text, `..\`)
}

func localSource(text, dir string) Source {
	path := filepath.FromSlash(text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return Source{Kind: Local, URL: filepath.Clean(path)}
}

func parseBase(text string) (Source, error) {
	if rest, ok := strings.CutPrefix(text, "github:"); ok {
		if strings.Contains(rest, ":") {
			return Source{}, msg.Errorf(msg.InstallSource, text)
		}
		return shorthand(rest)
	}
	if rest, ok := strings.CutPrefix(text, "gitlab:"); ok {
		text = "https://gitlab.com/" + strings.Trim(rest, "/")
	}
	if strings.Contains(text, "://") {
		return parseURL(text)
	}
	if scp().MatchString(text) {
		return Source{Kind: Git, URL: text}, nil
	}
	return shorthand(text)
}

// scp is user@host:path and host:path, as ssh's copy program writes it.
func scp() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:[^:\s]+$`)
}

// shorthand is owner/repo, owner/repo@skill and owner/repo/sub/path at GitHub.
func shorthand(text string) (Source, error) {
	parts := strings.SplitN(strings.TrimRight(text, "/"), "/", 3)
	if len(parts) < 2 {
		return Source{}, msg.Errorf(msg.InstallSource, text)
	}
	s := Source{Kind: GitHub}
	if len(parts) == 3 {
		s.Sub = parts[2]
	} else if repo, skill, ok := strings.Cut(parts[1], "@"); ok {
		parts[1], s.Skill = repo, skill
	}
	repo := strings.TrimSuffix(parts[1], ".git")
	word := regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]*$`)
	if !word.MatchString(parts[0]) || !word.MatchString(repo) || strings.Trim(repo, ".") == "" || strings.Trim(parts[0], ".") == "" {
		return Source{}, msg.Errorf(msg.InstallSource, text)
	}
	s.URL = "https://github.com/" + parts[0] + "/" + repo + ".git"
	return s, nil
}

func parseURL(text string) (Source, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Source{}, msg.Errorf(msg.InstallSource, Source{URL: hidePassword(text)}.URL)
	}
	switch u.Scheme = strings.ToLower(u.Scheme); u.Scheme {
	case "file", "git", "ssh", "git+ssh", "ssh+git":
		return Source{Kind: Git, URL: text}, nil
	case "http", "https":
	default:
		return Source{}, msg.Errorf(msg.InstallTransport, hidePassword(text))
	}
	if u.Hostname() == "" {
		return Source{}, msg.Errorf(msg.InstallSource, hidePassword(text))
	}
	for _, read := range []func(u *url.URL) (Source, bool){hostedFile, atGitHub, atGitLab, atAzure, plainGit} {
		if s, ok := read(u); ok {
			return s, nil
		}
	}
	u.Fragment = ""
	if looksLikeFile(u.Path) {
		return Source{Kind: Download, URL: u.String()}, nil
	}
	return Source{Kind: WellKnown, URL: u.String()}, nil
}

// hidePassword is for URLs that cannot be read.
func hidePassword(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if i := strings.LastIndex(rest, "@"); ok && i >= 0 {
		return scheme + "://…" + rest[i:]
	}
	return text
}

func segments(u *url.URL) []string {
	return slices.DeleteFunc(strings.Split(u.Path, "/"), func(s string) bool { return s == "" })
}

// site is scheme, user and host.
func site(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String()
}

// hostedFile is an archive or a raw file at one of the large hosts.
func hostedFile(u *url.URL) (Source, bool) {
	is := false
	seg := segments(u)
	switch host := strings.ToLower(u.Hostname()); host {
	case "raw.githubusercontent.com", "codeload.github.com", "objects.githubusercontent.com":
		is = true
	case "github.com":
		is = len(seg) > 3 && (seg[2] == "archive" || seg[2] == "raw" || seg[2] == "releases" && len(seg) > 4)
	case "gitlab.com":
		i := slices.Index(seg, "-")
		is = i >= 0 && len(seg) > i+1 && (seg[i+1] == "archive" || seg[i+1] == "raw")
	}
	return Source{Kind: Download, URL: u.String()}, is
}

func atGitHub(u *url.URL) (Source, bool) {
	seg := segments(u)
	if host := strings.ToLower(u.Host); host != "github.com" && host != "www.github.com" || len(seg) < 2 {
		return Source{}, false
	}
	clone := url.URL{Scheme: u.Scheme, User: u.User, Host: "github.com", Path: "/" + seg[0] + "/" + strings.TrimSuffix(seg[1], ".git") + ".git"}
	s := Source{Kind: GitHub, URL: clone.String()}
	if len(seg) > 3 && (seg[2] == "tree" || seg[2] == "blob") {
		s.Ref, s.Sub = seg[3], strings.Join(seg[4:], "/")
		s.fileToFolder()
	}
	return s, true
}

// fileToFolder turns the path of a SKILL.md into that of its folder.
func (s *Source) fileToFolder() {
	if s.Sub == skillFile {
		s.Sub = ""
	}
	s.Sub = strings.TrimSuffix(s.Sub, "/"+skillFile)
}

func atGitLab(u *url.URL) (Source, bool) {
	seg := segments(u)
	i := slices.Index(seg, "-")
	tree := i > 0 && len(seg) > i+2 && (seg[i+1] == "tree" || seg[i+1] == "blob")
	if !tree && (strings.ToLower(u.Host) != "gitlab.com" || len(seg) < 2) {
		return Source{}, false
	}
	repo := seg
	if i > 0 {
		repo = seg[:i]
	}
	s := Source{Kind: GitLab, URL: site(u) + "/" + strings.TrimSuffix(strings.Join(repo, "/"), ".git") + ".git"}
	if tree {
		s.Ref, s.Sub = seg[i+2], strings.Join(seg[i+3:], "/")
		s.fileToFolder()
	}
	return s, true
}

// atAzure is …/_git/REPO?path=/SUB&version=GBbranch.
func atAzure(u *url.URL) (Source, bool) {
	seg := segments(u)
	i := slices.Index(seg, "_git")
	if i < 0 || i+1 >= len(seg) {
		return Source{}, false
	}
	clone := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: "/" + strings.TrimSuffix(strings.Join(seg[:i+2], "/"), ".git")}
	s := Source{Kind: Git, URL: clone.String(), Sub: strings.TrimLeft(u.Query().Get("path"), "/")}
	if v := u.Query().Get("version"); len(v) > 2 {
		switch strings.ToUpper(v[:2]) {
		case "GB", "GT", "GC":
			s.Ref = v[2:]
		}
	}
	return s, true
}

func plainGit(u *url.URL) (Source, bool) {
	if !strings.HasSuffix(strings.TrimRight(u.Path, "/"), ".git") {
		return Source{}, false
	}
	c := *u
	c.Fragment = ""
	return Source{Kind: Git, URL: c.String()}, true
}

// looksLikeFile says whether a URL's path is that of an archive or of a skill's file.
func looksLikeFile(p string) bool {
	p = strings.ToLower(p)
	for _, end := range []string{".zip", ".tar", ".tar.gz", ".tgz", ".skill", ".md"} {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	return false
}

// check refuses what would mean something else to git or to the disk.
func (s *Source) check() error {
	s.Sub = strings.Trim(strings.ReplaceAll(s.Sub, `\`, "/"), "/")
	if s.Sub == "." {
		s.Sub = ""
	}
	if slices.Contains(strings.Split(s.Sub, "/"), "..") {
		return msg.Errorf(msg.InstallDotDot, s.Sub)
	}
	if strings.HasPrefix(s.URL, "-") {
		return msg.Errorf(msg.InstallDash, s.URL)
	}
	if s.Ref != "" && !goodRef(s.Ref) {
		return msg.Errorf(msg.InstallRef, s.Ref)
	}
	return nil
}

// goodRef says whether git would take it for a branch, tag or commit and for nothing else.
func goodRef(ref string) bool {
	return !strings.HasPrefix(ref, "-") && !strings.HasPrefix(ref, "/") && !strings.HasSuffix(ref, "/") && !strings.HasSuffix(ref, ".lock") &&
		!strings.Contains(ref, "..") && !strings.Contains(ref, "@{") && ref != "@" &&
		!strings.ContainsAny(ref, " ~^:?*[\\") && !strings.HasPrefix(ref, "+") && !strings.ContainsFunc(ref, unicode.IsControl)
}

// WithRef is the source at another branch, tag or commit.
func (s Source) WithRef(ref string) (Source, error) {
	if !s.byGit() {
		return s, msg.Errorf(msg.InstallNoRef, s.String())
	}
	s.Ref = ref
	return s, s.check()
}
