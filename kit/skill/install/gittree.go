package install

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/shell"
)

// The bounds of a repository: what it may list, and what of it may be taken.
const (
	maxListed     = 200_000
	maxListing    = 32 << 20 // bytes
	maxTaken      = 20_000   // files
	maxTakenBytes = 8 * maxBytes
)

// gitFile is an entry of a tree.
type gitFile struct {
	mode, id, path string
	size           int64
}

// The modes of entries that are no ordinary files.
const (
	modeLink   = "120000"
	modeModule = "160000"
	modeExec   = "100755"
)

// take writes the files of a commit that matter to skills into the source's folder. All of them are counted before one is written.
func (b *Bundle) take(ctx context.Context, commit string) error {
	all, err := b.listed(ctx, commit)
	if err != nil {
		return err
	}
	want := wanted(all)
	var total int64
	for _, f := range want {
		if !fs.ValidPath(f.path) {
			return msg.Errorf(msg.InstallBadPath, fmt.Sprintf("%q", f.path))
		}
		total += f.size
	}
	shown := b.Source.Shown()
	switch {
	case len(want) > maxTaken:
		return msg.Errorf(msg.InstallSourceMany, shown, maxTaken)
	case total > maxTakenBytes:
		return msg.Errorf(msg.InstallDownloadBig, shown, maxTakenBytes>>20)
	}
	if sub := path.Clean(b.Source.Sub); b.Source.Sub != "" && fs.ValidPath(sub) && holdsFolder(all, sub) {
		if err := os.MkdirAll(filepath.Join(b.dir, filepath.FromSlash(sub)), dirMode); err != nil {
			return err
		}
	}
	return b.write(ctx, want)
}

func holdsFolder(list []gitFile, dir string) bool {
	for _, f := range list {
		if strings.HasPrefix(f.path, dir+"/") {
			return true
		}
	}
	return false
}

// listed is what a commit holds. A tree may name another one many times over, so that few bytes list without an end: the
// listing is stopped.
func (b *Bundle) listed(ctx context.Context, commit string) ([]gitFile, error) {
	tooMany := msg.Errorf(msg.InstallSourceTree, b.Source.Shown(), maxListed)
	logs := filepath.Join(b.temp, "listing")
	if err := os.Mkdir(logs, 0o700); err != nil {
		return nil, err
	}
	var listing []byte
	err := bounded(ctx, logs, maxListing, tooMany, func(ctx context.Context) error {
		res, err := b.fetcher.run(ctx, b.Source, shell.Cmd{
			Args: []string{"ls-tree", "-r", "-l", "-z", "--full-tree", commit}, Dir: b.store, Split: true, Logs: logs,
		})
		listing = append(res.Head, res.Tail...)
		if err == nil && res.Log != "" {
			listing, err = readBounded(res.Log, maxListing)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []gitFile
	for line := range strings.SplitSeq(string(listing), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if len(out) >= maxListed {
			return nil, tooMany
		}
		fields := strings.Fields(head) // mode, kind, name, size
		if len(fields) != 4 {
			return nil, msg.Errorf(msg.InstallGit, b.Source.Shown(), head)
		}
		f := gitFile{mode: fields[0], id: fields[2], path: name}
		if f.mode != modeModule {
			if f.size, err = strconv.ParseInt(fields[3], 10, 64); err != nil || f.size < 0 {
				return nil, msg.Errorf(msg.InstallGit, b.Source.Shown(), head)
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// wanted are the files of skills, those that say where skills are, and links, which may lead to folders of skills.
func wanted(all []gitFile) []gitFile {
	skills := map[string]bool{}
	for _, f := range all {
		if path.Base(f.path) == skillFile {
			skills[path.Dir(f.path)] = true
		}
	}
	within := func(name string) bool {
		for d := path.Dir(name); ; d = path.Dir(d) {
			if skills[d] {
				return true
			}
			if d == "." || d == "/" {
				return false
			}
		}
	}
	var out []gitFile
	for _, f := range all {
		switch {
		case inGit(f.path):
		case f.mode == modeLink, f.path == projectLock, path.Base(path.Dir(f.path)) == ".claude-plugin", within(f.path):
			out = append(out, f)
		}
	}
	return out
}

// write reads the files from git's store and writes them. Links come last: nothing is written through them.
func (b *Bundle) write(ctx context.Context, list []gitFile) (err error) {
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	var files, links []gitFile
	for _, f := range list {
		switch f.mode {
		case modeModule: // an empty folder, as git leaves it
			if err := root.MkdirAll(filepath.FromSlash(f.path), dirMode); err != nil {
				return err
			}
		case modeLink:
			links = append(links, f)
		default:
			files = append(files, f)
		}
	}
	files = append(files, links...)
	content, err := b.blobs(ctx, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	in := bufio.NewReaderSize(content, 64<<10)
	for _, f := range files {
		data, err := b.next(in, f)
		if err != nil {
			return err
		}
		if f.mode != modeLink {
			err = writeFile(b.dir, File{Path: f.path, Data: data, Exec: f.mode == modeExec})
		} else {
			err = b.linkTo(root, f.path, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next reads the content of one file.
func (b *Bundle) next(in *bufio.Reader, f gitFile) ([]byte, error) {
	head, err := in.ReadString('\n')
	if err != nil || head != fmt.Sprintf("%s blob %d\n", f.id, f.size) {
		return nil, msg.Errorf(msg.InstallGit, b.Source.Shown(), strings.TrimSpace(head))
	}
	data := make([]byte, f.size+1) // and the end of its line
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, msg.Errorf(msg.InstallGit, b.Source.Shown(), err)
	}
	return data[:f.size], nil
}

// linkTo makes a link of a repository, which whoever reads it sees as one; where that cannot be done it is noted.
func (b *Bundle) linkTo(root *os.Root, name string, target []byte) error {
	at := filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(at), dirMode); err != nil {
		return err
	}
	if err := root.Symlink(string(target), at); err != nil {
		b.links = append(b.links, name)
	}
	return nil
}

// blobs has git write the contents of objects into one file, each after a line with its name, kind and size.
func (b *Bundle) blobs(ctx context.Context, list []gitFile) (*os.File, error) {
	var ask strings.Builder
	for _, f := range list {
		ask.WriteString(f.id + "\n")
	}
	names := filepath.Join(b.store, "wanted")
	if err := os.WriteFile(names, []byte(ask.String()), 0o600); err != nil {
		return nil, err
	}
	in, err := os.Open(names)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	res, err := b.fetcher.run(ctx, b.Source, shell.Cmd{
		Args: []string{"cat-file", "--batch"}, Dir: b.store, Input: in, Split: true, Logs: filepath.Join(b.temp, "blobs"),
	})
	switch {
	case err != nil:
		return nil, err
	case res.LogErr != nil:
		return nil, res.LogErr
	case res.Log != "":
		return os.Open(res.Log)
	}
	short := filepath.Join(b.store, "contents")
	if err := os.WriteFile(short, append(res.Head, res.Tail...), 0o600); err != nil {
		return nil, err
	}
	return os.Open(short)
}
