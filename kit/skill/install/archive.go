package install

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
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

	"react-agent/internal/msg"
)

// unpacked is what was in an archive.
type unpacked struct {
	ctx   context.Context //nolint:containedctx // of the one call
	files []File
	links []string // paths of what is no file: the skill that holds one is refused
	paths paths
	bytes int64
	count int
	most  bounds
}

// bounds are what may come out of an archive: bytes of all files, their number. Folders count a tenth.
type bounds struct {
	bytes int64
	files int
}

// unpack reads an archive by its first bytes: zip, tar, or tar in gzip. ok is false if it is none of them. An error says that
// nothing of it may be used.
func unpack(ctx context.Context, data []byte) (u *unpacked, ok bool, err error) {
	return unpackWithin(ctx, data, bounds{maxBytes, maxFiles})
}

func unpackWithin(ctx context.Context, data []byte, most bounds) (u *unpacked, ok bool, err error) {
	u = &unpacked{ctx: ctx, paths: paths{}, most: most}
	switch {
	case bytes.HasPrefix(data, []byte("PK")):
		err = u.zip(data)
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		err = u.gzip(data)
	case len(data) > 262 && string(data[257:262]) == "ustar":
		if err = u.tar(bytes.NewReader(data)); err == nil && !bytes.HasSuffix(data, make([]byte, 1024)) {
			err = io.ErrUnexpectedEOF // an archive ends with two empty blocks
		}
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, true, msg.Errorf(msg.InstallArchive, err)
	}
	return u, true, nil
}

// entry notes one entry and gives its clean path; "" is the archive's own folder.
func (u *unpacked) entry(name string, dir bool) (string, error) {
	if err := u.ctx.Err(); err != nil {
		return "", err
	}
	if u.count++; u.count > 10*u.most.files {
		return "", msg.Errorf(msg.InstallTooMany, u.most.files)
	}
	raw := name
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[2:], "/")
	}
	if name = strings.TrimSuffix(name, "/"); dir && (name == "" || name == ".") {
		if strings.HasPrefix(raw, "/") {
			return "", msg.Errorf(msg.InstallBadPath, fmt.Sprintf("%q", raw))
		}
		return "", nil
	}
	if inGit(name) {
		return "", nil
	}
	return name, u.paths.add(name, dir)
}

func inGit(name string) bool {
	return slices.Contains(strings.Split(name, "/"), ".git") && fs.ValidPath(name)
}

// file takes a file's content.
func (u *unpacked) file(name string, r io.Reader, mode fs.FileMode) error {
	if len(u.files) >= u.most.files {
		return msg.Errorf(msg.InstallTooMany, u.most.files)
	}
	data, err := io.ReadAll(io.LimitReader(r, u.most.bytes-u.bytes+1))
	if err != nil {
		return err
	}
	if u.bytes += int64(len(data)); u.bytes > u.most.bytes {
		return msg.Errorf(msg.InstallTooBig, u.most.bytes>>20)
	}
	u.files = append(u.files, File{Path: name, Data: data, Exec: mode.Perm()&0o111 != 0})
	return nil
}

func (u *unpacked) zip(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	for _, f := range z.File {
		mode := f.Mode()
		name, err := u.entry(strings.ReplaceAll(f.Name, `\`, "/"), mode.IsDir())
		switch {
		case err != nil:
			return err
		case name == "" || mode.IsDir():
			continue
		case !mode.IsRegular():
			if err := u.odd(name, mode); err != nil {
				return err
			}
			continue
		case f.Flags&1 != 0:
			return msg.Errorf(msg.InstallEncrypted, name)
		}
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		err = u.file(name, r, mode)
		if err = errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// odd takes note of a link; pipes and devices have no business in an archive of skills.
func (u *unpacked) odd(name string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink == 0 {
		return msg.Errorf(msg.InstallNotAFile, name, kindOf(mode.Type()))
	}
	u.links = append(u.links, name)
	return nil
}

func (u *unpacked) gzip(data []byte) error {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	headers := 20 * int64(u.most.files) * 512
	limited := &io.LimitedReader{R: r, N: 2*u.most.bytes + headers}
	if err = u.tar(limited); err == nil {
		_, err = io.Copy(io.Discard, limited) // the check sum stands at the very end
	}
	if err != nil && limited.N <= 0 {
		return msg.Errorf(msg.InstallTooBig, u.most.bytes>>20)
	}
	return err
}

func (u *unpacked) tar(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			if len(u.paths) == 0 {
				return errors.New("there is nothing in it")
			}
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		dir := h.Typeflag == tar.TypeDir
		name, err := u.entry(h.Name, dir)
		switch {
		case err != nil:
			return err
		case name == "" || dir:
			continue
		}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeGNUSparse:
			err = u.file(name, t, h.FileInfo().Mode())
		case tar.TypeLink:
			err = u.odd(name, fs.ModeSymlink)
		default:
			err = u.odd(name, h.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}

// top is the one folder that holds everything, as archives of repositories have it; else ".".
func (u *unpacked) top() string {
	one := ""
	for _, k := range u.paths {
		first, _, below := strings.Cut(k.name, "/")
		if first == "__MACOSX" {
			continue
		}
		if !below && !k.dir || one != "" && one != first {
			return "."
		}
		one = first
	}
	if one == "" {
		return "."
	}
	return one
}

// write puts the files below dir, which is empty.
func (u *unpacked) write(dir string) error {
	for _, f := range u.files {
		if err := writeFile(dir, f); err != nil {
			return err
		}
	}
	return nil
}

// writeFile makes a new file below dir, and the folders on its way.
func writeFile(dir string, f File) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	name := filepath.FromSlash(f.Path)
	if up := path.Dir(f.Path); up != "." {
		if err := root.MkdirAll(filepath.FromSlash(up), 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	if f.Exec {
		mode = 0o755
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.Data)
	return errors.Join(err, out.Close())
}
