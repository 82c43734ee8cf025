package attach

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"react-agent/agent"
	"react-agent/internal/msg"
)

func asPNG(t testing.TB, w, h int) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func bomb(t testing.TB) string {
	t.Helper()
	b := []byte(asPNG(t, 2, 2))
	binary.BigEndian.PutUint32(b[16:], 60_000)
	binary.BigEndian.PutUint32(b[20:], 60_000)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return string(b)
}

func moving(t testing.TB) string {
	t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{p, p}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const pdf = "%PDF-1.4\n1 0 obj\nstartxref\n9\n%%EOF\n"

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	o := Options{Dir: filepath.Join(dir, "w"), Home: filepath.Join(dir, "home")}
	small := asPNG(t, 30, 20)
	for name, content := range map[string]string{
		"w/a.png": small, "w/wide.png": asPNG(t, 9000, 2), "home/h.png": small, "w/none": small, "w/a.pdf": pdf, "w/b.pdf": strings.Replace(pdf, "1 0", "\x80", 1),
		"w/a.wav": "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00", "w/a.md": "# 标题\n" + strings.Repeat("中", 600), "w/a.svg": "<svg/>",
	} {
		put(t, dir, name, content)
	}
	for _, c := range []struct{ path, name, mime, what string }{
		{"a.png", "a.png", "image/png", "PNG 30x20, " + size(int64(len(small)))},
		{"wide.png", "wide.png", "image/jpeg", "PNG 9000x2, sent as JPEG of 1568x1, "},
		{"~/h.png", "h.png", "image/png", "PNG 30x20"},
		{filepath.Join(dir, "home", "h.png"), "h.png", "image/png", "PNG 30x20"},
		{"none", "none", "image/png", "PNG 30x20"},
		{"a.pdf", "a.pdf", "application/pdf", "PDF, 35 B"},
		{"b.pdf", "b.pdf", "application/pdf", "PDF"},
		{"a.wav", "a.wav", "audio/wav", "WAV, 20 B"},
		{"a.md", "a.md", "", "text, 1.8 kB"},
		{"a.svg", "a.svg", "", "text, 6 B"},
	} {
		item, err := o.Load(t.Context(), c.path)
		if err != nil || item.Name != c.name || !strings.HasPrefix(item.What, c.what) || len(item.Parts) != 1 || item.Path != c.path {
			t.Errorf("%s: %+v %v", c.path, item, err)
			continue
		}
		p := item.Parts[0]
		if c.mime == "" && (p.Kind != agent.Text || p.Text == "") || c.mime != "" && (p.Blob == nil || p.Blob.MIME != c.mime || p.Blob.Name != c.name || item.Size() != len(p.Blob.Data)) {
			t.Errorf("%s: %+v", c.path, p)
		}
	}
}

// Bytes that came from elsewhere are told as a file of that name is; the name says no more than there.
func TestBytes(t *testing.T) {
	small := asPNG(t, 30, 20)
	for _, c := range []struct{ name, data, mime, fault string }{
		{"a.png", small, "image/png", ""},
		{"none", small, "image/png", ""},
		{"a.pdf", pdf, "application/pdf", ""},
		{"a.md", "# words", "", ""},
		{"a.pdf", "words", "", "a.pdf"},
		{"empty", "", "", "empty"},
		{"x.bin", "\x00\x01", "", "x.bin"},
		{"big.txt", strings.Repeat("a", maxText+1), "", "big.txt"},
		{"cut.png", small[:len(small)-20], "", "cut.png"},
	} {
		item, err := Options{}.Bytes(c.name, []byte(c.data))
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || len(item.Parts) != 1 || item.What == "" {
			t.Errorf("%s: %+v %v", c.name, item, err)
			continue
		}
		p := item.Parts[0]
		if c.mime != "" && (p.Blob == nil || p.Blob.MIME != c.mime || p.Blob.Name != c.name) || c.mime == "" && p.Text != "# words" {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

func TestWhatCannotBeAttached(t *testing.T) {
	dir := t.TempDir()
	small := asPNG(t, 30, 20)
	for name, c := range map[string]struct{ content, want string }{
		"bomb.png":      {bomb(t), "bomb.png is a PNG image of 60000x60000, and the limit is 100 million pixels: make it smaller first"},
		"cut.png":       {small[:len(small)-20], "cut.png looks like a PNG image, but is broken ("},
		"head.png":      {small[:20], "head.png looks like a PNG image, but is broken ("},
		"moving.gif":    {moving(t), "moving.gif is a moving image (GIF), and models look at one picture: take one out of it first, or write @ and its path into the message, which sends the first one"},
		"page.png":      {"<!DOCTYPE html><html>", "page.png is named like an image, but what is in it is HTML: it is not sent as one. Rename it after what it is, or take the file that you meant"},
		"drawing.jpg":   {"<?xml version='1.0'?><svg xmlns='x'/>", "drawing.jpg is named like an image, but what is in it is SVG: it is not sent as one. Rename it after what it is, or take the file that you meant"},
		"words.png":     {"just words", "words.png is named like an image, but what is in it is text: it is not sent as one. Rename it after what it is, or take the file that you meant"},
		"words.pdf":     {"just words", "words.pdf is named like a PDF, but what is in it is text: it is not sent as one. Rename it after what it is, or take the file that you meant"},
		"paper.png":     {pdf, "paper.png is named like an image, but what is in it is a PDF: it is not sent as one. Rename it after what it is, or take the file that you meant"},
		"binary.png":    {"\x00\x01\x02", "binary.png is named like an image, but what is in it is binary data: it is not sent as one. Rename it after what it is, or take the file that you meant"},
		"binary":        {"\x00\x01\x02", "binary is a binary file that no model reads (what can be attached: PNG, "},
		"empty.txt":     {"", "empty.txt is empty, so there is nothing to send: take another file"},
		"short.pdf":     {"%PDF-1.4\n", "short.pdf is a broken PDF: its end is missing. Save it anew, or fetch it again"},
		"locked.pdf":    {"%PDF-1.4\n/Encrypt 1 0 R\nstartxref", "locked.pdf is an encrypted PDF: take its password off first"},
		"large.pdf":     {pdf + strings.Repeat(" ", 20<<20), "large.pdf has 20 MB, and the limit for a PDF is 20 MB: make it smaller first"},
		"large.txt":     {strings.Repeat("words ", 200_000), "large.txt has 1.1 MB, and the limit for text is 1.0 MB: make it smaller first"},
		"sub/inner.txt": {"x", ""},
	} {
		put(t, dir, name, c.content)
		item, err := Options{Dir: dir}.Load(t.Context(), name)
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.HasPrefix(msg.For(msg.En).Err(err), c.want) {
			t.Errorf("%s: %+v %v", name, item, err)
		}
	}
	for path, want := range map[string]string{"none.png": "none.png: there is no such file", "sub": "sub is no regular file", "a\x00b": "a\x00b cannot be attached: invalid argument"} {
		if _, err := (Options{Dir: dir}).Load(t.Context(), path); err == nil || err.Error() != want {
			t.Errorf("%q: %v", path, err)
		}
	}
	zh := msg.For(msg.Zh)
	if _, err := (Options{Dir: dir}).Load(t.Context(), "page.png"); zh.Err(err) != "page.png 的名字像图片，内容却是 HTML：不作为图片发送。按内容改名，或换成真正要发的文件" {
		t.Errorf("%q", zh.Err(err))
	}
}

func TestRulesAndTexts(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "words")
	asked := ""
	o := Options{
		Dir: dir, May: func(_ context.Context, path string) error { asked = path; return errors.New("by a rule") },
		Text: func(context.Context, string) ([]agent.Part, error) { return nil, errors.New("no") },
	}
	if _, err := o.Load(t.Context(), "a.txt"); err == nil || err.Error() != "a.txt cannot be attached: by a rule" || asked != filepath.Join(dir, "a.txt") {
		t.Errorf("%v, asked for %s", err, asked)
	}
	o.May = nil
	if _, err := o.Load(t.Context(), "a.txt"); err == nil || err.Error() != "a.txt cannot be attached: no" {
		t.Error(err)
	}
	o.Text = func(_ context.Context, path string) ([]agent.Part, error) {
		return []agent.Part{agent.TextPart("<" + filepath.Base(path) + ">")}, nil
	}
	if item, err := o.Load(t.Context(), "a.txt"); err != nil || item.Parts[0].Text != "<a.txt>" {
		t.Errorf("%+v %v", item, err)
	}
}

func TestCheck(t *testing.T) {
	message := func(name, mime string) *agent.Message {
		return &agent.Message{Role: agent.User, Parts: []agent.Part{agent.TextPart("x"), {Kind: agent.BlobKind, Blob: &agent.Blob{Name: name, MIME: mime, Data: []byte("x")}}}}
	}
	blind := agent.ModelInfo{Provider: "chat", Name: "words:7b"}
	others := func(mime string) []string {
		if mime == "image/png" {
			return []string{"eyes-1", "eyes-2", "eyes-3", "eyes-4"}
		}
		return nil
	}
	for _, c := range []struct{ name, mime, want string }{
		{"a.png", "image/png", `a.png is an image, and words:7b is not known to see images. Take a model that does (such as eyes-1, eyes-2, eyes-3; /model or --model); if this one can, write models: {"words:7b": {vision: true}} into config.yaml`},
		{"a.pdf", "application/pdf", `a.pdf is a PDF, and words:7b is not known to read any over chat. Take a model that does (/model or --model), or make text of it (pdftotext); if this one can, write models: {"words:7b": {files: true}} into config.yaml`},
		{"a.wav", "audio/wav", `a.wav is a sound, and words:7b is not known to hear over chat. Take a model that does (/model or --model); if this one can, write models: {"words:7b": {audio: true}} into config.yaml`},
		{"", "application/zip", "application/zip is a binary file that no model reads (what can be attached: PNG, JPEG, GIF, WebP, BMP and TIFF images, PDF, sounds such as WAV and MP3, text)"},
	} {
		if err := Check(message(c.name, c.mime), blind, others); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := Check(message("a.png", "image/png"), agent.ModelInfo{Vision: true}, nil); err != nil {
		t.Error(err)
	}
	many := message("a.png", "image/png")
	for len(many.Parts) < MaxFiles+1 { // one is text
		many.Parts = append(many.Parts, many.Parts[1])
	}
	if err := Check(many, agent.ModelInfo{Vision: true}, nil); err != nil {
		t.Error(err)
	}
	many.Parts = append(many.Parts, many.Parts[1])
	if err := Check(many, agent.ModelInfo{Vision: true}, nil); err == nil || err.Error() != "a message takes 20 files at most" {
		t.Error(err)
	}
	if err := Check(message("a.png", "image/png"), agent.ModelInfo{Name: "m"}, nil); err == nil || !strings.Contains(err.Error(), "models: {m: {vision: true}}") {
		t.Error(err)
	}
	dir := t.TempDir()
	put(t, dir, "a.png", asPNG(t, 2, 2))
	put(t, dir, "a.txt", "x")
	for name, bad := range map[string]bool{"a.png": true, "a.txt": false, "none": false} {
		if err := CheckFile(t.Context(), filepath.Join(dir, name), name, blind, nil); (err != nil) != bad {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckFile(t.Context(), filepath.Join(dir, "a.png"), "a.png", agent.ModelInfo{Vision: true}, nil); err != nil {
		t.Error(err)
	}
}

// A program is given text alone, whatever the settings say of the model in it, and no other setting is advised.
func TestAProgramTakesNoAttachments(t *testing.T) {
	program := agent.ModelInfo{Provider: "command", Preset: "mine", Name: "default", Vision: true, Files: true, Audio: true}
	others := func(string) []string { return []string{"default"} }
	want := "a cannot be sent: mine is a program, and programs are given text alone, whatever model is in them. " +
		"Take a model that is asked over an API with /model or --model, or put it into words"
	for _, mime := range []string{"image/png", "application/pdf", "audio/wav"} {
		m := agent.Message{Parts: []agent.Part{{Kind: agent.BlobKind, Blob: &agent.Blob{Name: "a", MIME: mime}}}}
		if err := Check(&m, program, others); err == nil || err.Error() != want {
			t.Errorf("%s: %v", mime, err)
		}
	}
	dir := t.TempDir()
	put(t, dir, "a", asPNG(t, 2, 2))
	if err := CheckFile(t.Context(), filepath.Join(dir, "a"), "a", program, others); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// An ordinary file that never gives anything is waited for for a while, not for ever, and nobody waits once it is called off.
func TestAFileThatGivesNothing(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "x")
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		defer close(hold)
		for name, o := range map[string]Options{
			"text": {Text: func(context.Context, string) ([]agent.Part, error) { <-hold; return nil, nil }},
			"rule": {May: func(context.Context, string) error { <-hold; return nil }},
		} {
			o.Dir = dir
			const want = "a.txt gave nothing for 10 seconds: it waits for something, or its file system does not answer; copy what you need into a file of your own and attach that"
			if _, err := o.Load(t.Context(), "a.txt"); err == nil || err.Error() != want {
				t.Errorf("%s: %v", name, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := o.Load(ctx, "a.txt"); err == nil || !strings.HasPrefix(err.Error(), "a.txt cannot be attached: ") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func item(name string, n int) Item {
	return Item{Path: "dir/" + name, Name: name, Parts: []agent.Part{{Kind: agent.BlobKind, Blob: &agent.Blob{Name: name, Data: make([]byte, n)}}}}
}

func names(list []Item) (out []string) {
	for _, i := range list {
		out = append(out, i.Name)
	}
	return out
}

func TestTray(t *testing.T) {
	var tray Tray
	for _, name := range []string{"a", "b", "2", "c"} {
		if err := tray.Add("s", item(name, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tray.Add("t", item("z", 1)); err != nil || len(tray.List("none")) != 0 {
		t.Error(err)
	}
	for _, c := range []struct{ which, gone string }{{"2", "2"}, {"dir/c", "c"}, {"1", "a"}, {"9", ""}, {"x", ""}} {
		got, ok := tray.Remove("s", c.which)
		if got.Name != c.gone || ok != (c.gone != "") {
			t.Errorf("%s took %q off", c.which, got.Name)
		}
	}
	if got := names(tray.List("s")); !slices.Equal(got, []string{"b"}) {
		t.Errorf("left: %q", got)
	}
	if err := tray.Add("s", item("d", 1)); err != nil {
		t.Fatal(err)
	}
	tray.Sent("s", 1)
	tray.Move("s", "t")
	tray.Move("none", "t")
	if got := names(tray.List("t")); !slices.Equal(got, []string{"z", "d"}) || len(tray.List("s")) != 0 {
		t.Errorf("moved: %q", got)
	}
	tray.Sent("t", 2)
	if len(tray.List("t")) != 0 {
		t.Error("something is left")
	}
}

func TestATrayHasAnEnd(t *testing.T) {
	var tray Tray
	for range MaxFiles {
		if err := tray.Add("s", item("a", 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tray.Add("s", item("b", 1)); err == nil || err.Error() != "a message takes 20 files at most" {
		t.Error(err)
	}
	if err := tray.Add("t", item("c", 15<<20)); err != nil {
		t.Error(err)
	}
	if err := tray.Add("t", item("d", 6<<20)); err == nil || err.Error() != "with dir/d the attachments have 21 MB together, and a message takes 20 MB at most" {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { _ = tray.Add("u", item("x", 1)); tray.Remove("u", "x"); tray.List("u") })
	}
	wg.Wait()
}

// Whatever a file holds, it is attached or refused with an error that names it.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{asPNG(f, 3, 3), bomb(f), moving(f), pdf, "RIFF\x24\x00\x00\x00WAVEfmt ", "words", "<svg/>", "\xff\xd8\xff\xe0"} {
		f.Add("a.png", []byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, ext string, data []byte) {
		name := "f"
		if ext == ".png" || ext == ".pdf" || ext == ".wav" {
			name += ext
		}
		put(t, dir, name, string(data))
		item, err := Options{Dir: dir}.Load(t.Context(), name)
		switch {
		case err != nil && !strings.Contains(err.Error(), name):
			t.Fatalf("the error does not name the file: %v", err)
		case err == nil && (item.Size() == 0 || item.What == ""):
			t.Fatalf("%+v", item)
		}
	})
}
