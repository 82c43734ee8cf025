package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
)

// The bounds of one skill and of a source's archive, as the npm program has them.
const (
	maxFiles = 1000
	maxBytes = 25 << 20
	maxDepth = 16
)

// File is a file of a skill.
type File struct {
	Path   string // within the skill's folder, with slashes
	Data   []byte
	Exec   bool // somebody may run it
	Source bool // it counts for the hash of the source and is not installed
}

// Script says whether the file is meant to be run.
func (f *File) Script() bool {
	if f.Exec || bytes.HasPrefix(f.Data, []byte("#!")) {
		return true
	}
	switch strings.ToLower(path.Ext(f.Path)) {
	case ".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".ps1", ".psm1", ".bat",
		".cmd", ".exe", ".com", ".vbs", ".wsf", ".scr", ".dll", ".so", ".dylib", ".jar", ".go", ".applescript", ".command":
		return true
	}
	return false
}

// Tree are the files of a skill, sorted by path.
type Tree []File

// Bytes is the size of all files.
func (t Tree) Bytes() (n int64) {
	for _, f := range t {
		n += int64(len(f.Data))
	}
	return n
}

// installed are the files that are copied.
func (t Tree) installed() Tree {
	return slices.DeleteFunc(slices.Clone(t), func(f File) bool { return f.Source })
}

func (t Tree) find(path string) *File {
	for i := range t {
		if t[i].Path == path {
			return &t[i]
		}
	}
	return nil
}

// notCopied are files and folders that stay in the source, as with the npm program.
func notCopied(name string, dir bool) bool {
	if dir {
		return name == "__pycache__" || name == "__pypackages__"
	}
	return name == "metadata.json"
}

// readTree reads all files below dir. Whatever is no ordinary file or directory is an error, and so is a path that would be
// another file elsewhere.
func readTree(ctx context.Context, dir string) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	r := treeReader{ctx: ctx, root: root, paths: paths{}}
	if err := r.dir(".", false, 0); err != nil {
		return nil, err
	}
	slices.SortFunc(r.tree, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return r.tree, nil
}

type treeReader struct {
	ctx   context.Context //nolint:containedctx // of the one call
	root  *os.Root
	paths paths
	bytes int64
	tree  Tree
}

func (r *treeReader) dir(name string, source bool, depth int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if depth > maxDepth {
		return msg.Errorf(msg.InstallTooDeep, name, maxDepth)
	}
	f, err := r.root.Open(name)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(10*maxFiles + 1)
	if err = errors.Join(ignoreEOF(err), f.Close()); err != nil {
		return err
	}
	if len(entries) > 10*maxFiles {
		return msg.Errorf(msg.InstallTooMany, maxFiles)
	}
	for _, e := range entries {
		at := path.Join(name, e.Name())
		if e.Name() == ".git" {
			continue
		}
		out := source || notCopied(e.Name(), e.IsDir())
		if !out {
			if err := r.paths.add(at, e.IsDir()); err != nil {
				return err
			}
		}
		switch {
		case e.IsDir():
			err = r.dir(at, out, depth+1)
		case e.Type().IsRegular():
			err = r.file(at, out)
		default:
			err = msg.Errorf(msg.InstallNotAFile, at, kindOf(e.Type()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// kind is what a file is that is no file, in the person's language.
type kind struct {
	key  msg.Key
	mode string
}

// In is its name.
func (k kind) In(c msg.Catalogue) string {
	if k.key == "" {
		return k.mode
	}
	return c.Text(k.key)
}

// aLink is the kind of links.
func aLink() kind { return kind{key: msg.KindLink} }

// kindOf names what is neither a file nor a directory.
func kindOf(m fs.FileMode) kind {
	switch {
	case m&fs.ModeSymlink != 0:
		return aLink()
	case m&fs.ModeNamedPipe != 0:
		return kind{key: msg.KindPipe}
	case m&fs.ModeSocket != 0:
		return kind{key: msg.KindSocket}
	case m&fs.ModeDevice != 0:
		return kind{key: msg.KindDevice}
	}
	return kind{mode: m.String()}
}

func (r *treeReader) file(name string, source bool) error {
	if len(r.tree) >= maxFiles {
		return msg.Errorf(msg.InstallTooMany, maxFiles)
	}
	data, info, err := ordinary.ReadIn(r.root, name, maxBytes-r.bytes+1)
	if err != nil {
		return notAFile(err, name)
	}
	if r.bytes += int64(len(data)); r.bytes > maxBytes {
		return msg.Errorf(msg.InstallTooBig, maxBytes>>20)
	}
	r.tree = append(r.tree, File{Path: path.Clean(name), Data: data, Exec: info.Mode().Perm()&0o111 != 0, Source: source})
	return nil
}

// paths notices what is the same file on some file system: names that differ in case or in composition only.
type paths map[string]known

type known struct {
	name string
	dir  bool
}

// add checks one path, and that it can be written everywhere, beside those before it.
func (p paths) add(name string, dir bool) error {
	if err := safePath(name); err != nil {
		return err
	}
	if up := path.Dir(name); up != "." {
		if err := p.add(up, true); err != nil {
			return err
		}
	}
	key := foldPath(name)
	was, twice := p[key]
	if twice && (!dir || !was.dir || was.name != name) {
		return msg.Errorf(msg.InstallCollide, name, was.name)
	}
	p[key] = known{name, dir}
	return nil
}

// foldPath is the form in which file systems that fold names compare them.
func foldPath(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// safePath refuses a relative path that is none, or means something else on another system.
func safePath(name string) error {
	bad := func() error { return msg.Errorf(msg.InstallBadPath, fmt.Sprintf("%q", name)) }
	if name == "" || len(name) > 1024 || !utf8.ValidString(name) || !fs.ValidPath(name) || strings.ContainsAny(name, "\\:*?\"<>|") {
		return bad()
	}
	for part := range strings.SplitSeq(name, "/") {
		stem, _, _ := strings.Cut(part, ".")
		if len(part) > maxFolder || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || reserved(stem) ||
			strings.EqualFold(part, ".git") || strings.ContainsFunc(part, unseen) {
			return bad()
		}
	}
	return nil
}

// unseen are characters that do something else on a screen than to stand there.
func unseen(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Cf, r) && r != 0x200c && r != 0x200d
}

var errNotDir = errors.New("not a directory")

// readBounded reads an ordinary file of at most limit bytes. It never waits for a pipe.
func readBounded(name string, limit int64) ([]byte, error) {
	data, _, err := ordinary.Read(name, limit+1)
	if err == nil && int64(len(data)) > limit {
		err = msg.Errorf(msg.InstallTooBig, limit>>20)
	}
	return data, notAFile(err, filepath.Base(name))
}

// notAFile words what is no ordinary file.
func notAFile(err error, name string) error {
	if e, special := errors.AsType[*ordinary.Error](err); special {
		return msg.Errorf(msg.InstallNotAFile, name, kindOf(e.Mode))
	}
	return err
}
