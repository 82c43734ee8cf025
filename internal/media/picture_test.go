package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
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

func noise(w, h int, alpha bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.Uint32())
		if i%4 == 3 && !alpha {
			img.Pix[i] = 255
		}
	}
	return img
}

func encoded(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func asPNG(t testing.TB, img image.Image) string {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return png.Encode(w, img) })
}

func asJPEG(t testing.TB, img image.Image) string {
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

// A picture of many bytes becomes smaller until it fits.
func TestFitBytes(t *testing.T) {
	for _, c := range []struct {
		name, from string
		alpha      bool
		limit      int
		mime       string
		w          int
	}{
		{"transparent", "PNG", true, 15_000, "image/png", 75},
		{"opaque", "PNG", false, 30_000, "image/jpeg", 100},
		{"opaque, much too large", "GIF", false, 3_000, "image/jpeg", 56},
		{"only another form", "GIF", false, 50_000, "image/png", 100},
	} {
		p, err := fit(noise(100, 50, c.alpha), 6, c.from == "PNG", Limits{1568, c.limit})
		if err != nil || p.MIME != c.mime || len(p.Data) > c.limit || p.Height != c.w || p.Same {
			t.Errorf("%s: %s %dx%d, %d bytes, %v", c.name, p.MIME, p.Width, p.Height, len(p.Data), err)
		}
	}
	if _, err := fit(noise(100, 50, true), 1, false, Limits{1568, 10}); !errors.Is(err, ErrSmaller) {
		t.Errorf("ten bytes are no picture: %v", err)
	}
}

// Whatever way the camera was held, the red corner comes to where it belongs.
func TestOrientation(t *testing.T) {
	jpg := asJPEG(t, canvas(40, 20, 255))
	for orient, red := range map[uint16]image.Point{
		1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}, 9: {0, 0}, 0: {0, 0},
	} {
		for mark, order := range map[string]binary.AppendByteOrder{"II*\x00": binary.LittleEndian, "MM\x00*": binary.BigEndian} {
			data := held(jpg, orient, order, mark)
			img, err := jpeg.Decode(strings.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			up := turned(img, orientation([]byte(data)))
			w, h := up.Bounds().Dx(), up.Bounds().Dy()
			if (w < h) != (orient >= 5 && orient <= 8) {
				t.Errorf("%d: %dx%d", orient, w, h)
			}
			for _, corner := range []image.Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				r, _, b, _ := up.At(3+corner.X*(w-7), 3+corner.Y*(h-7)).RGBA()
				if (r > b) != (corner == red) {
					t.Errorf("%d: corner %v has red %d, blue %d", orient, corner, r, b)
				}
			}
		}
	}
	if orientation([]byte(jpg)) != 1 || orientation([]byte("\xff\xd8\xff\xe1\x00\x08Exif\x00\x00")) != 1 || orientation([]byte("II*\x00\xff\xff\xff\xff")) != 1 {
		t.Error("not upright")
	}
}

func TestManyPixels(t *testing.T) {
	for _, c := range []struct {
		c    image.Config
		want bool
	}{
		{image.Config{ColorModel: color.YCbCrModel, Width: 10_000, Height: 10_000}, false},
		{image.Config{ColorModel: color.NRGBA64Model, Width: 10_000, Height: 10_000}, true},
		{image.Config{ColorModel: color.Gray16Model, Width: 10_000, Height: 10_000}, false},
		{image.Config{ColorModel: color.GrayModel, Width: 10_001, Height: 10_000}, true},
		{image.Config{Width: 1 << 62, Height: 4}, true},
	} {
		if got := tooManyPixels(c.c); got != c.want {
			t.Errorf("%+v: %v", c.c, got)
		}
	}
}

// Reading the orientation survives any file.
func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"))
	f.Add([]byte("MM\x00*\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if o := orientation(b); o < 1 || o > 8 {
			t.Fatal(o)
		}
	})
}

func dot(t testing.TB) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(webpDot)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func asGIF(t testing.TB, frames int, table bool) string {
	t.Helper()
	g := &gif.GIF{}
	for i := range frames {
		pal := color.Palette{color.Black, color.White}
		if table { // each with colors of its own
			pal = append(pal, color.Gray{uint8(10 * i)})
		}
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 300, 8), pal))
		g.Delay = append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// apng says, before the picture of a PNG file, that there are n.
func apng(png string, n uint32) string {
	block := binary.BigEndian.AppendUint32([]byte("acTL"), n)
	block = binary.BigEndian.AppendUint32(block, 0)
	whole := binary.BigEndian.AppendUint32(nil, 8)
	whole = append(whole, block...)
	whole = binary.BigEndian.AppendUint32(whole, crc32.ChecksumIEEE(block))
	const behindHead = 33
	return png[:behindHead] + string(whole) + png[behindHead:]
}

// sizedPNG changes the size that the head of a PNG announces.
func sizedPNG(png string, w, h uint32) string {
	b := []byte(png)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return string(b)
}

func TestProbe(t *testing.T) {
	whole := asPNG(t, canvas(30, 20, 255))
	for name, c := range map[string]struct {
		data string
		want Info
		err  error
	}{
		"png":        {whole, Info{Format: "PNG", MIME: "image/png", Width: 30, Height: 20}, nil},
		"jpeg":       {asJPEG(t, canvas(30, 20, 255)), Info{Format: "JPEG", MIME: "image/jpeg", Width: 30, Height: 20}, nil},
		"webp":       {dot(t), Info{Format: "WebP", MIME: "image/webp", Width: 1, Height: 1}, nil},
		"gif":        {asGIF(t, 1, false), Info{Format: "GIF", MIME: "image/gif", Width: 300, Height: 8}, nil},
		"moving":     {asGIF(t, 2, false), Info{Format: "GIF", MIME: "image/gif", Width: 300, Height: 8, Moving: true}, nil},
		"colors":     {asGIF(t, 3, true), Info{Format: "GIF", MIME: "image/gif", Width: 300, Height: 8, Moving: true}, nil},
		"apng":       {apng(whole, 2), Info{Format: "PNG", MIME: "image/png", Width: 30, Height: 20, Moving: true}, nil},
		"apng of 1":  {apng(whole, 1), Info{Format: "PNG", MIME: "image/png", Width: 30, Height: 20}, nil},
		"bomb":       {sizedPNG(whole, 60_000, 60_000), Info{Format: "PNG", MIME: "image/png", Width: 60_000, Height: 60_000}, ErrPixels},
		"a long one": {sizedPNG(whole, 100_000_001, 1), Info{Format: "PNG", MIME: "image/png", Width: 100_000_001, Height: 1}, ErrPixels},
		"text":       {"hello", Info{}, ErrNone},
		"nothing":    {"", Info{}, ErrNone},
	} {
		got, err := Probe([]byte(c.data))
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, cut := range []int{9, 20, 30} {
		info, err := Probe([]byte(whole[:cut]))
		if broken, ok := errors.AsType[*BrokenError](err); !ok || broken.Format != "PNG" || info.Format != "PNG" || !strings.Contains(err.Error(), "PNG image, but is broken") {
			t.Errorf("%d bytes: %+v %v", cut, info, err)
		}
	}
}

func TestFit(t *testing.T) {
	whole := asPNG(t, canvas(30, 20, 255))
	p, err := Fit([]byte(whole), ForModels())
	if err != nil || !p.Same || string(p.Data) != whole || p.MIME != "image/png" {
		t.Errorf("%+v %v", p, err)
	}
	for name, c := range map[string]struct {
		data string
		l    Limits
		mime string
		w, h int
	}{
		"smaller":    {whole, Limits{15, 10_000}, "image/jpeg", 15, 10},
		"moving gif": {asGIF(t, 2, false), ForModels(), "image/png", 300, 8},
		"moving png": {apng(whole, 2), ForModels(), "image/jpeg", 30, 20},
		"turned":     {held(asJPEG(t, canvas(30, 20, 255)), 6, binary.BigEndian, "MM\x00*"), ForModels(), "image/jpeg", 20, 30},
	} {
		p, err := Fit([]byte(c.data), c.l)
		if err != nil || p.Same || p.MIME != c.mime || p.Width != c.w || p.Height != c.h {
			t.Errorf("%s: %s %dx%d %v", name, p.MIME, p.Width, p.Height, err)
			continue
		}
		img, _, err := image.Decode(bytes.NewReader(p.Data))
		if err != nil || img.Bounds().Dx() != c.w || p.Kind() != strings.ToUpper(c.mime[6:]) {
			t.Errorf("%s: %v %v", name, img.Bounds(), err)
		}
	}
	for name, c := range map[string]struct {
		data string
		err  error
	}{
		"no picture": {"x", ErrNone}, "bomb": {sizedPNG(whole, 60_000, 60_000), ErrPixels},
		"moving webp": {"RIFF\x24\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00", ErrMoving},
	} {
		if _, err := Fit([]byte(c.data), ForModels()); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = Fit([]byte(whole[:len(whole)-30]), ForModels())
	if broken, ok := errors.AsType[*BrokenError](err); !ok || broken.Unwrap() == nil {
		t.Errorf("cut off: %v", err)
	}
}

func TestSniff(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"png": {asPNG(t, canvas(2, 2, 255)), "image/png"}, "pdf": {"%PDF-1.7\n", PDF},
		"wav": {"RIFF\x24\x00\x00\x00WAVEfmt ", "audio/wav"}, "mp3": {"ID3\x04\x00", "audio/mpeg"}, "mp3 bare": {"\xff\xfb\x90\x64", "audio/mpeg"},
		"aac": {"\xff\xf1\x50\x80", "audio/aac"}, "flac": {"fLaC\x00", "audio/flac"}, "ogg": {"OggS\x00", "audio/ogg"}, "aiff": {"FORM\x00\x00\x00\x00AIFF", "audio/aiff"},
		"utf-16": {"\xff\xfeh\x00i\x00", ""}, "text": {"hello", ""}, "nothing": {"", ""}, "riff": {"RIFF", ""},
		"svg": {"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- a --> <!-- b -->\n<SVG xmlns='x'>", SVG}, "svg type": {"<!DOCTYPE svg PUBLIC 'x'><svg/>", SVG},
		"html": {" \n<!DOCTYPE html><html>", HTML}, "html bare": {"<html lang=en>", HTML}, "xml": {"<?xml version=\"1.0\"?><feed/>", ""}, "open": {"<!-- never closed", ""},
	} {
		if got := Sniff([]byte(c.data)); got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
	}
}

func TestCheckPDF(t *testing.T) {
	for data, want := range map[string]error{
		"%PDF-1.4\n1 0 obj\nstartxref\n9\n%%EOF\n": nil, "%PDF-1.4\n": ErrCut, "%PDF-1.4\n/Encrypt 1 0 R\nstartxref": ErrLocked, "x": ErrNone,
		"%PDF-1.4 startxref" + strings.Repeat(" ", 3000): ErrCut,
	} {
		if err := CheckPDF([]byte(data)); !errors.Is(err, want) {
			t.Errorf("%.20q: %v", data, err)
		}
	}
}

// Whatever the bytes are, the head is read without harm, and what may be decoded is within the limits.
func FuzzProbe(f *testing.F) {
	whole := asPNG(f, canvas(9, 5, 255))
	for _, s := range []string{whole, apng(whole, 3), sizedPNG(whole, 1<<31-1, 7), asGIF(f, 2, true), dot(f), "BM\x00\x00\x00\x00\x00\x00\x00\x00", "II*\x00\x08\x00\x00\x00\x01\x00", "GIF89a\x01\x00\x01\x00\x80\x00\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := Probe(b)
		_ = markup(b)
		if mime := Sniff(b); (mime != "") && strings.HasPrefix(mime, "image/") && mime != SVG && errors.Is(err, ErrNone) {
			t.Fatalf("%s, and no picture", mime)
		}
		if err == nil && (info.Width <= 0 || info.Height <= 0 || info.Width*info.Height > maxPixels) {
			t.Fatalf("%+v", info)
		}
		if err != nil || info.Width*info.Height > 1<<16 {
			return
		}
		p, err := Fit(b, Limits{Edge: 16, Bytes: 1 << 16})
		if err == nil && (max(p.Width, p.Height) > 16 || len(p.Data) > 1<<16) {
			t.Fatalf("%+v", p)
		}
	})
}
