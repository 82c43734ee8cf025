package install

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// md is the text of a SKILL.md.
func md(name, description, body string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n" + body + "\n"
}

// gitEnv is an environment in which git has nobody's settings.
func gitEnv(t *testing.T) []string {
	t.Helper()
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
	}
}

// repo makes a repository without a work tree, and gives a work tree of it to change and push.
func repo(t *testing.T, files map[string]string) (bare, work string) {
	t.Helper()
	dir := t.TempDir()
	bare, work = filepath.Join(dir, "repo.git"), filepath.Join(dir, "work")
	git(t, dir, "init", "-q", "--bare", bare)
	git(t, dir, "clone", "-q", bare, work)
	push(t, work, files)
	return bare, work
}

func push(t *testing.T, work string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		write(t, filepath.Join(work, name), text)
		if strings.HasSuffix(name, ".sh") {
			if err := os.Chmod(filepath.Join(work, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	git(t, work, "add", "-A")
	git(t, work, "commit", "-q", "-m", "x")
	git(t, work, "push", "-q", "origin", "HEAD:main")
	return git(t, work, "rev-parse", "HEAD")
}

// item is an entry of an archive.
type item struct {
	name, text string
	mode       os.FileMode
	kind       byte // of tar
	target     string
}

func zipOf(t *testing.T, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, i := range items {
		h := &zip.FileHeader{Name: i.name, Method: zip.Deflate, Modified: time.Unix(1e9, 0)}
		if i.mode != 0 {
			h.SetMode(i.mode)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(i.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarOf(t *testing.T, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, i := range items {
		h := &tar.Header{Name: i.name, Mode: int64(i.mode.Perm()), Size: int64(len(i.text)), Typeflag: i.kind, Linkname: i.target, Format: tar.FormatPAX}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(i.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
