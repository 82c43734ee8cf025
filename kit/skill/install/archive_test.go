package install

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestArchives(t *testing.T) {
	items := []item{
		{name: "repo-main/", mode: os.ModeDir | 0o755, kind: tar.TypeDir},
		{name: "repo-main/skills/a/SKILL.md", text: md("a", "does a", "x"), mode: 0o644},
		{name: "./repo-main/skills/a/run.sh", text: "#!/bin/sh\n", mode: 0o755},
		{name: "repo-main/.git/config", text: "x", mode: 0o644},
		{name: "__MACOSX/x", text: "x", mode: 0o644},
	}
	for name, data := range map[string][]byte{"zip": zipOf(t, items...), "tar": tarOf(t, items...), "tgz": gzipOf(t, tarOf(t, items...))} {
		u, ok, err := unpack(t.Context(), data)
		if err != nil || !ok {
			t.Fatal(name, ok, err)
		}
		if u.top() != "repo-main" || len(u.files) != 3 {
			t.Errorf("%s: %s %v", name, u.top(), u.files)
		}
		dir := t.TempDir()
		if err := u.write(dir); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "repo-main/skills/a/run.sh"))
		if err != nil || info.Mode().Perm()&0o100 == 0 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	for _, data := range []string{"", "---\nname: x\n---\n", "<html>", strings.Repeat("x", 1000)} {
		if _, ok, err := unpack(t.Context(), []byte(data)); ok || err != nil {
			t.Errorf("%q: %v %v", data, ok, err)
		}
	}
}

// What an archive must not hold: nothing of it is used, whatever else is in it.
func TestHostileArchivesAreRefusedWhole(t *testing.T) {
	good := item{name: "SKILL.md", text: md("a", "does a", "x"), mode: 0o644}
	for _, name := range []string{
		"/etc/passwd", "../up", "a/../../up", "a/..", "C:/x", "C:x", "a//b", "a/./b", "a\x00b", "a\nb", "con", "a/NUL.txt", "b.", "b ", "a:b", "a*b",
		strings.Repeat("x", 300), strings.Repeat("d/", 600) + "x", "\xff\xfe", "skill.md", "SKILL.md", "SKILL.MD", "SKILL.md/x",
	} {
		bad := item{name: name, text: "x", mode: 0o644}
		refused(t, "zip "+name, zipOf(t, good, bad))
		if !strings.Contains(name, "\x00") && utf8.ValidString(name) {
			refused(t, "tar "+name, tarOf(t, good, bad))
		}
	}
	refused(t, `zip \`, zipOf(t, good, item{name: `..\up`, text: "x", mode: 0o644}))
	refused(t, "case of folders", zipOf(t, good, item{name: "Dir/a", mode: 0o644}, item{name: "dir/b", mode: 0o644}))
	refused(t, "composition", tarOf(t, good, item{name: "é", mode: 0o644}, item{name: "e\u0301", mode: 0o644}))
	refused(t, "file as folder", tarOf(t, good, item{name: "a", mode: 0o644}, item{name: "a/b", mode: 0o644}))
	refused(t, "device", tarOf(t, good, item{name: "dev", kind: tar.TypeChar, mode: 0o644}))
	refused(t, "pipe", tarOf(t, good, item{name: "fifo", kind: tar.TypeFifo, mode: 0o644}))
	refused(t, "zip device", zipOf(t, good, item{name: "dev", mode: os.ModeDevice | os.ModeCharDevice | 0o644}))
	refused(t, "only a header", []byte("PK\x03\x04 nothing"))
	refused(t, "broken gzip", []byte{0x1f, 0x8b, 8, 0, 1})
	refused(t, "cut", gzipOf(t, tarOf(t, good, item{name: "x", text: strings.Repeat("y", 5000), mode: 0o644}))[:90])
	refused(t, "empty gzip", gzipOf(t, nil))
	encrypted := zipOf(t, good)
	for _, sig := range []string{"PK\x03\x04", "PK\x01\x02"} {
		at := bytes.Index(encrypted, []byte(sig)) + 6
		if sig == "PK\x01\x02" {
			at += 2
		}
		encrypted[at] |= 1
	}
	refused(t, "encrypted", encrypted)
}

func refused(t *testing.T, what string, data []byte) {
	t.Helper()
	if u, ok, err := unpack(t.Context(), data); err == nil || !ok || u != nil {
		t.Errorf("%s: %v %v %v", what, u, ok, err)
	}
}

// Neither size nor number has to be believed.
func TestBombsAreRefused(t *testing.T) {
	most := bounds{bytes: 1 << 20, files: 20}
	within := func(what, part string, data []byte) {
		t.Helper()
		if u, ok, err := unpackWithin(t.Context(), data, most); err == nil || !ok || u != nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v %v %v", what, u, ok, err)
		}
	}
	zeros := strings.Repeat("\x00", 1<<20+1)
	within("zip of zeros", "1 MiB", zipOf(t, item{name: "x", text: zeros}))
	within("tgz of zeros", "1 MiB", gzipOf(t, tarOf(t, item{name: "x", text: zeros})))
	half := zeros[:1<<19+1]
	within("zip of halves", "1 MiB", zipOf(t, item{name: "x", text: half}, item{name: "y", text: half}))
	var many, dirs []item
	for i := range most.files + 1 {
		many = append(many, item{name: fmt.Sprint("f", i), mode: 0o644})
	}
	for i := range 10*most.files + 1 {
		dirs = append(dirs, item{name: fmt.Sprint("d", i, "/"), kind: tar.TypeDir, mode: os.ModeDir | 0o755})
	}
	within("zip of many", "20 files", zipOf(t, many...))
	within("tar of many", "20 files", tarOf(t, many...))
	within("tar of folders", "20 files", tarOf(t, dirs...))
	// more comes out than the archive says of itself
	lie := zipOf(t, item{name: "x", text: zeros})
	binary.LittleEndian.PutUint32(lie[bytes.Index(lie, []byte("PK\x01\x02"))+24:], 10)
	within("zip that lies", "", lie)
	// blocks without end in front of nothing
	comment := tarOf(t, item{name: "x", mode: 0o644})[:1024]
	within("tgz that never comes to the point", "", gzipOf(t, append(comment, bytes.Repeat([]byte{1}, 4<<20)...)))
	if _, _, err := unpackWithin(t.Context(), zipOf(t, item{name: "x", text: zeros[1:]}), most); err != nil {
		t.Errorf("what is just small enough: %v", err)
	}
}

// A link harms only the skill that holds it.
func TestLinksInArchives(t *testing.T) {
	items := []item{
		{name: "skills/good/SKILL.md", text: md("good", "does good", "x"), mode: 0o644},
		{name: "skills/bad/SKILL.md", text: md("bad", "does bad", "x"), mode: 0o644},
	}
	for name, data := range map[string][]byte{
		"zip":  zipOf(t, append(items, item{name: "skills/bad/x", text: "/etc/passwd", mode: os.ModeSymlink | 0o777})...),
		"tar":  tarOf(t, append(items, item{name: "skills/bad/x", kind: tar.TypeSymlink, target: "/etc/passwd"})...),
		"hard": tarOf(t, append(items, item{name: "skills/bad/x", kind: tar.TypeLink, target: "skills/good/SKILL.md"})...),
	} {
		url := serve(t, map[string][]byte{"/s.zip": data})
		b := fetch(t, url+"/s.zip")
		if len(b.Found) != 2 {
			t.Fatalf("%s: %v %v", name, b.Found, b.Skipped)
		}
		s := &Store{}
		p := ProjectPlace(t.TempDir())
		for _, f := range b.Found {
			why := b.Refused(t.Context(), f)
			_, refused, err := s.Plan(t.Context(), p, b, []Found{f}, Ask{})
			if bad := f.Name == "bad"; err != nil || (len(refused) > 0) != bad || (why != nil) != bad {
				t.Errorf("%s: %s: %v, %v, %v", name, f.Name, refused, why, err)
			}
		}
		changes, refused, err := s.Plan(t.Context(), p, b, b.Found, Ask{})
		if err != nil || len(changes) != 1 || len(refused) != 1 || changes[0].Name != "good" || refused[0].Name != "bad" {
			t.Errorf("%s: all: %v, refused %v, %v", name, changes, refused, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	w, err := z.Create("a/SKILL.md")
	if err != nil {
		f.Fatal(err)
	}
	_, _ = w.Write([]byte("x"))
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(zipped.Bytes())
	var tarred bytes.Buffer
	tw := tar.NewWriter(&tarred)
	_ = tw.WriteHeader(&tar.Header{Name: "a/b", Size: 1, Mode: 0o644})
	_, _ = tw.Write([]byte("x"))
	_ = tw.Close()
	f.Add(tarred.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		u, ok, err := unpack(t.Context(), data)
		if !ok || err != nil {
			return
		}
		dir := t.TempDir()
		if err := u.write(filepath.Clean(dir)); err != nil {
			t.Fatalf("what passed cannot be written: %v", err)
		}
	})
}
