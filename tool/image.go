package tool

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"path/filepath"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"react-agent/agent"
)

const (
	maxPixels  = 100_000_000 // more are refused before they are decoded
	maxDecoded = 400 << 20   // bytes that a decoded picture may take
	maxPicture = 4_500_000   // bytes that are sent
	maxEdge    = 1568        // pixels: models see no more of it
	maxPDF     = 20 << 20
)

// format is a kind of picture, told by how the file begins and not by its name.
type format struct {
	name   string
	mime   string // every vendor takes it as it is; empty: some do not
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// pictureFormat recognises a picture; nil: it is none.
func pictureFormat(b []byte) *format {
	has := func(at int, s string) bool { return len(b) >= at+len(s) && string(b[at:at+len(s)]) == s }
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return &format{"PNG", "image/png", png.DecodeConfig, png.Decode}
	case has(0, "\xff\xd8\xff"):
		return &format{"JPEG", "image/jpeg", jpeg.DecodeConfig, jpeg.Decode}
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return &format{"GIF", "", gif.DecodeConfig, gif.Decode} // the first picture of a moving one
	case has(0, "RIFF") && has(8, "WEBP"):
		return &format{"WebP", "", webp.DecodeConfig, webp.Decode}
	case has(0, "BM") && has(6, "\x00\x00\x00\x00"):
		return &format{"BMP", "", bmp.DecodeConfig, bmp.Decode}
	case has(0, "II*\x00"), has(0, "MM\x00*"):
		return &format{"TIFF", "", tiff.DecodeConfig, tiff.Decode}
	}
	return nil
}

// attachment gives a file that is no text as what a model can look at; ok is false when it is another file. turn is taken
// while a picture is decoded: a large one needs much memory, and several files may be read at once.
func (e Env) attachment(path string, b []byte, turn chan struct{}) (r agent.Result, ok bool, err error) {
	if bytes.HasPrefix(b, []byte("%PDF-")) {
		r, err = e.pdf(path, b)
		return r, true, err
	}
	f := pictureFormat(b)
	if f == nil || notText(b) == nil && invalid(b) == 0 { // a text may begin in the same way
		return r, false, nil
	}
	turn <- struct{}{}
	defer func() { <-turn }()
	r, err = e.picture(path, b, f)
	return r, true, err
}

func (e Env) pdf(path string, b []byte) (agent.Result, error) {
	tail := b[max(0, len(b)-2048):]
	switch {
	case !e.Vision:
		return agent.Result{}, fmt.Errorf("%s is a PDF of %d bytes, which this model cannot read: use pdftotext (bash)", path, len(b))
	case len(b) > maxPDF:
		return agent.Result{}, fmt.Errorf("%s is a PDF of %d MiB, and the limit is %d: use pdftotext (bash), perhaps for a few pages", path, len(b)>>20, maxPDF>>20)
	case !bytes.Contains(tail, []byte("startxref")):
		return agent.Result{}, fmt.Errorf("%s is a broken PDF: its end is missing", path)
	case bytes.Contains(b, []byte("/Encrypt ")):
		return agent.Result{}, fmt.Errorf("%s is an encrypted PDF: use pdftotext -upw (bash) with its password", path)
	}
	return attached(fmt.Sprintf("[%s: a PDF, attached]", path), "application/pdf", path, b), nil
}

func attached(text, mime, path string, data []byte) agent.Result {
	r := agent.TextResult(text)
	r.Parts = append(r.Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, Name: filepath.Base(path), Data: data}})
	return r
}

func (e Env) picture(path string, b []byte, f *format) (agent.Result, error) {
	c, err := f.config(bytes.NewReader(b))
	if err == nil && (c.Width <= 0 || c.Height <= 0) {
		err = errors.New("it has no pixels")
	}
	if err != nil {
		return agent.Result{}, f.broken(path, err)
	}
	what := fmt.Sprintf("a %s image of %dx%d pixels", f.name, c.Width, c.Height)
	switch {
	case !e.Vision:
		return agent.Result{}, fmt.Errorf("%s is %s, %d bytes, and this model cannot see images", path, what, len(b))
	case tooManyPixels(c):
		return agent.Result{}, fmt.Errorf("%s is %s, too large to be decoded: make it smaller first", path, what)
	case moving(b):
		return agent.Result{}, fmt.Errorf("%s is a moving WebP image, which cannot be read: take a picture out of it first", path)
	}
	img, err := f.decode(bytes.NewReader(b)) // also of one that is sent as it is: a vendor refuses the session over a broken one
	if err != nil {
		return agent.Result{}, f.broken(path, err)
	}
	if f.mime != "" && max(c.Width, c.Height) <= maxEdge && len(b) <= maxPicture && c.ColorModel != color.CMYKModel {
		return attached(fmt.Sprintf("[%s: %s, attached]", path, what), f.mime, path, b), nil
	}
	s, err := fit(img, orientation(b), f, maxPicture)
	if err != nil {
		return agent.Result{}, fmt.Errorf("%s, %s: %w", path, what, err)
	}
	return attached(fmt.Sprintf("[%s: %s, attached as %s of %dx%d]", path, what, s.kind(), s.width, s.height), s.mime, path, s.data), nil
}

func (f *format) broken(path string, err error) error {
	return fmt.Errorf("%s looks like a %s image, but is broken: %w", path, f.name, err)
}

// moving reports whether this is a WebP file of several pictures.
func moving(b []byte) bool {
	return len(b) > 20 && string(b[8:16]) == "WEBPVP8X" && b[20]&2 != 0
}

func tooManyPixels(c image.Config) bool {
	size := int64(4)
	switch c.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		size = 8
	case color.Gray16Model:
		size = 2
	}
	n := int64(c.Width) * int64(c.Height)
	return c.Width > maxPixels || c.Height > maxPixels || n > maxPixels || n*size > maxDecoded
}
