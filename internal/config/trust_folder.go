package config

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// The bounds of a folder whose programs may be trusted: what is larger nobody has looked through.
const (
	maxTrustFiles = 5000
	maxTrustBytes = 256 << 20
)

// Content is what a folder, or one file, holds, by hash. It is what trust in programs is about.
type Content struct {
	// Path is absolute, without links; SHA256 is of everything in it.
	Path, SHA256 string
	// Files are the hashes of the files, by path within the folder, with slashes; "." is Path itself, when it is a file.
	Files map[string]string
}

// HashContent reads a folder with all that is in it, or one file. Left out is what no program of the folder runs by itself:
// .git, and __pycache__, which whoever runs Python there has to switch off. A link out of the folder is an error, as nobody
// would notice a change behind it; so are pipes and devices, and a folder that is very large.
func HashContent(path string) (Content, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Content{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return Content{}, err
	}
	h := hasher{c: Content{Path: path, Files: map[string]string{}}}
	if err := filepath.WalkDir(path, h.visit); err != nil {
		return Content{}, err
	}
	sum := sha256.New()
	for _, name := range h.c.Names() {
		_, _ = io.WriteString(sum, h.c.Files[name]+"  "+name+"\n") // never fails
	}
	if only, ok := h.c.Files["."]; ok {
		h.c.SHA256 = only // of a file: its own, as everywhere in the record
	} else {
		h.c.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return h.c, nil
}

// Names lists the files in order.
func (c Content) Names() []string {
	names := make([]string, 0, len(c.Files))
	for name := range c.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

type hasher struct {
	c    Content
	size int64
}

func (h *hasher) visit(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if d.IsDir() {
		if name := d.Name(); path != h.c.Path && (name == ".git" || name == "__pycache__") {
			return fs.SkipDir
		}
		return nil
	}
	rel, err := filepath.Rel(h.c.Path, path)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	if strings.ContainsAny(rel, "\r\n") {
		return msg.Errorf(msg.ConfigTrustName, path)
	}
	var sum string
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		sum, err = h.link(path)
	case d.Type().IsRegular():
		sum, err = h.file(path)
	default:
		err = msg.Errorf(msg.TrustSpecial, path)
	}
	h.c.Files[rel] = sum
	if err == nil && (len(h.c.Files) > maxTrustFiles || h.size > maxTrustBytes) {
		err = msg.Errorf(msg.TrustTooLarge, h.c.Path, maxTrustFiles, maxTrustBytes>>20)
	}
	return err
}

// link is the hash of where a link leads, which has to be in the folder.
func (h *hasher) link(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(h.c.Path, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", msg.Errorf(msg.TrustLinkOut, path, target)
	}
	sum := sha256.Sum256([]byte("link " + filepath.ToSlash(rel)))
	return hex.EncodeToString(sum[:]), nil
}

func (h *hasher) file(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxTrustBytes-h.size+1))
	h.size += n
	return hex.EncodeToString(sum.Sum(nil)), err
}

// TrustedContent reports whether the person trusted this content.
func (t TrustFile) TrustedContent(c Content) bool { return t.Trusted(c.Path, c.SHA256) }

// AddContent records trust in this content, and in each of its files, so that it can be told later which one has changed.
func (t TrustFile) AddContent(c Content) error {
	if t.TrustedContent(c) {
		return nil
	}
	changed, _ := t.Changed(c)
	lines := make([]trusting, 0, len(changed)+1)
	for _, name := range changed {
		lines = append(lines, trusting{c.Files[name], filepath.Join(c.Path, filepath.FromSlash(name))})
	}
	if _, file := c.Files["."]; !file {
		lines = append(lines, trusting{c.SHA256, c.Path})
	}
	return t.append(lines)
}

// Changed lists the files that are not as the person trusted them, by path within the folder. known says that the folder
// was trusted before, with other content.
func (t TrustFile) Changed(c Content) (changed []string, known bool) {
	data, err := os.ReadFile(t.Path)
	if err != nil {
		return c.Names(), false
	}
	lines := map[string]bool{}
	for line := range strings.SplitSeq(string(data), "\n") {
		lines[line] = true
		if _, path, ok := strings.Cut(line, "  "); ok && path == c.Path {
			known = true
		}
	}
	for _, name := range c.Names() {
		if !lines[string(trustLine(filepath.Join(c.Path, filepath.FromSlash(name)), c.Files[name]))] {
			changed = append(changed, name)
		}
	}
	return changed, known
}
