package tool

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"react-agent/agent"
	"react-agent/internal/media"
)

// canvas is a picture whose top left corner is red and whose rest is blue.
func canvas(w, h int, alpha uint8) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{0, 0, 255, alpha}
			if x < w/2 && y < h/2 {
				c = color.NRGBA{255, 0, 0, alpha}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func encoded(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func asPNG(t *testing.T, img image.Image) string {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return png.Encode(w, img) })
}

func asJPEG(t *testing.T, img image.Image) string {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return jpeg.Encode(w, img, nil) })
}

// held puts an orientation into a JPEG file.
func held(jpg string, orient uint16, order binary.AppendByteOrder, mark string) string {
	body := []byte("Exif\x00\x00" + mark)
	body = order.AppendUint32(body, 8)
	body = order.AppendUint16(body, 2)
	for _, entry := range [][2]uint16{{0x0100, 7}, {0x0112, orient}} {
		body = order.AppendUint16(body, entry[0])
		body = order.AppendUint16(body, 3)
		body = order.AppendUint32(body, 1)
		body = order.AppendUint16(body, entry[1])
		body = order.AppendUint16(body, 0)
	}
	size := binary.BigEndian.AppendUint16(nil, uint16(len(body)+2))
	return jpg[:2] + "\xff\xe1" + string(size) + string(body) + jpg[2:]
}

// webpDot is a lossless WebP of one pixel.
const webpDot = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

func TestReadPictures(t *testing.T) {
	e := world(t)
	e.Vision, e.Files = true, true
	dot, err := base64.StdEncoding.DecodeString(webpDot)
	if err != nil {
		t.Fatal(err)
	}
	photo := asJPEG(t, canvas(40, 20, 255))
	for _, c := range []struct {
		name, content string
		text          string
		mime          string
		w, h          int
		same          bool
	}{
		{"a.png", asPNG(t, canvas(30, 20, 255)), "[a.png: a PNG image of 30x20 pixels, attached]", "image/png", 30, 20, true},
		{"named.txt", asPNG(t, canvas(30, 20, 128)), "a PNG image", "image/png", 30, 20, true},
		{"a.jpg", photo, "a JPEG image of 40x20 pixels, attached]", "image/jpeg", 40, 20, true},
		{"a.gif", encoded(t, func(w io.Writer) error { return gif.Encode(w, canvas(9, 8, 255), nil) }), "[a.gif: a GIF image of 9x8 pixels, attached as PNG of 9x8]", "image/png", 9, 8, false},
		{"moving.gif", encoded(t, func(w io.Writer) error {
			p := image.NewPaletted(image.Rect(0, 0, 9, 8), color.Palette{color.Black, color.White})
			return gif.EncodeAll(w, &gif.GIF{Image: []*image.Paletted{p, p}, Delay: []int{1, 1}})
		}), "[moving.gif: the first picture of a moving GIF image of 9x8 pixels, attached as PNG of 9x8]", "image/png", 9, 8, false},
		{"a.bmp", encoded(t, func(w io.Writer) error { return bmp.Encode(w, canvas(9, 8, 255)) }), "BMP", "image/png", 9, 8, false},
		{"a.tiff", encoded(t, func(w io.Writer) error { return tiff.Encode(w, canvas(9, 8, 255), nil) }), "TIFF", "image/png", 9, 8, false},
		{"a.webp", string(dot), "WebP", "image/png", 1, 1, false},
		{"wide.png", asPNG(t, canvas(9000, 2, 255)), "[wide.png: a PNG image of 9000x2 pixels, attached as JPEG of 1568x1]", "image/jpeg", 1568, 1, false},
		{"large.png", asPNG(t, canvas(1600, 80, 255)), "attached as JPEG of 1568x78", "image/jpeg", 1568, 78, false},
		{"alpha.png", asPNG(t, canvas(80, 1600, 100)), "attached as PNG of 78x1568", "image/png", 78, 1568, false},
		{"large.jpg", held(asJPEG(t, canvas(1600, 80, 255)), 6, binary.BigEndian, "MM\x00*"), "attached as JPEG of 78x1568", "image/jpeg", 78, 1568, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, filepath.Join(e.Root, c.name), c.content)
			got, r := call(t, ReadFile(e), args{"path": c.name})
			if r.Error || !strings.Contains(got, c.text) || len(r.Parts) != 2 || r.Parts[1].Kind != agent.BlobKind {
				t.Fatalf("%q %v", got, r.Error)
			}
			b := r.Parts[1].Blob
			if b.MIME != c.mime || b.Name != c.name || len(b.Data) > media.ForModels().Bytes || c.same != (string(b.Data) == c.content) {
				t.Errorf("%s %s, %d bytes", b.MIME, b.Name, len(b.Data))
			}
			img, format, err := image.Decode(bytes.NewReader(b.Data))
			if err != nil || img.Bounds().Dx() != c.w || img.Bounds().Dy() != c.h || "image/"+format != c.mime {
				t.Errorf("%s %v %v", format, img.Bounds(), err)
			}
		})
	}
}

func TestReadPictureRefusals(t *testing.T) {
	whole := asPNG(t, canvas(30, 20, 255))
	bomb := []byte(whole)
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	crc := func(b []byte) string { // the sum of the first block, so that only its size is odd
		binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
		return string(b)
	}
	pdf := "%PDF-1.4\n\x80 1 0 obj\nstartxref\n9\n%%EOF\n"
	for _, c := range []struct {
		name, content string
		blind         bool
		want          string
	}{
		{"bomb", crc(bomb), false, "Error: f is a PNG image of 60000x60000 pixels, too large to be decoded"},
		{"cut off", whole[:len(whole)-30], false, "Error: f looks like a PNG image, but is broken: "},
		{"head only", whole[:20], false, "but is broken"},
		{"blind", whole, true, "Error: f is a PNG image of 30x20 pixels, "},
		{"moving webp", "RIFF\x24\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00", false, "moving WebP"},
		{"blind pdf", pdf, true, "this model cannot read: use pdftotext"},
		{"pdf without its end", "%PDF-1.4\n\x80", false, "its end is missing"},
		{"encrypted pdf", "%PDF-1.4\n/Encrypt 1 0 R\nstartxref", false, "encrypted"},
		{"large pdf", pdf + strings.Repeat(" ", media.MaxPDF), false, "the limit is 20"},
		{"only a name", "BM\x00\x00\x00\x00\x00\x00\x00\x00", false, "BMP image, but is broken"},
		{"other binary", "\x00\x01", false, "f is binary"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := world(t)
			e.Vision, e.Files = !c.blind, !c.blind
			put(t, filepath.Join(e.Root, "f"), c.content)
			got, r := call(t, ReadFile(e), args{"path": "f"})
			if !r.Error || !strings.Contains(got, c.want) || len(r.Parts) != 1 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	e := world(t)
	e.Vision, e.Files = true, true
	put(t, filepath.Join(e.Root, "f.pdf"), pdf)
	got, r := call(t, ReadFile(e), args{"path": "f.pdf"})
	if got != "[f.pdf: a PDF, attached]" || len(r.Parts) != 2 || r.Parts[1].Blob.MIME != "application/pdf" || string(r.Parts[1].Blob.Data) != pdf {
		t.Errorf("%q", got)
	}
	for _, content := range []string{"GIF89a is a format\n", "BM is short\n", "RIFF....WEBP\n"} {
		put(t, filepath.Join(e.Root, "f"), content)
		if got, _ := call(t, ReadFile(e), args{"path": "f"}); got != content {
			t.Errorf("%q", got)
		}
	}
}
