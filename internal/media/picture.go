package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

const (
	maxPixels  = 100_000_000 // more are refused before they are decoded
	maxDecoded = 400 << 20   // bytes that a decoded picture may take
)

// Limits say how large a picture may be sent.
type Limits struct {
	Edge  int // pixels of the longer side
	Bytes int // of the file
}

// ForModels is what models look at: they see no more of a longer side, and no vendor takes many more bytes.
func ForModels() Limits { return Limits{Edge: 1568, Bytes: 4_500_000} }

// Info is what the head of a picture says.
type Info struct {
	Format        string // PNG, JPEG, GIF, WebP, BMP, TIFF
	MIME          string
	Width, Height int
	Moving        bool // several pictures in one file
}

// Picture is a picture as it is sent.
type Picture struct {
	MIME          string
	Width, Height int
	Data          []byte
	Same          bool // these are the bytes of the file
}

// BrokenError says that a file begins like a picture, and is none that can be read.
type BrokenError struct {
	Format string
	Err    error
}

// Error names the format and what is wrong.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("it looks like a %s image, but is broken: %v", e.Format, e.Err)
}

// Unwrap gives the cause.
func (e *BrokenError) Unwrap() error { return e.Err }

// format is a kind of picture, told by how the file begins and not by its name.
type format struct {
	name   string
	mime   string
	common bool // every vendor takes it as it is
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// formatOf recognises a picture; nil: it is none.
func formatOf(b []byte) *format {
	has := func(at int, s string) bool { return len(b) >= at+len(s) && string(b[at:at+len(s)]) == s }
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return &format{"PNG", "image/png", true, png.DecodeConfig, png.Decode}
	case has(0, "\xff\xd8\xff"):
		return &format{"JPEG", "image/jpeg", true, jpeg.DecodeConfig, jpeg.Decode}
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return &format{"GIF", "image/gif", false, gif.DecodeConfig, gif.Decode} // the first picture of a moving one
	case has(0, "RIFF") && has(8, "WEBP"):
		return &format{"WebP", "image/webp", false, webp.DecodeConfig, webp.Decode}
	case has(0, "BM") && has(6, "\x00\x00\x00\x00"):
		return &format{"BMP", "image/bmp", false, bmp.DecodeConfig, bmp.Decode}
	case has(0, "II*\x00"), has(0, "MM\x00*"):
		return &format{"TIFF", "image/tiff", false, tiff.DecodeConfig, tiff.Decode}
	}
	return nil
}

// IsPicture reports whether a file begins like a picture. A text may do so, too.
func IsPicture(b []byte) bool { return formatOf(b) != nil }

// Probe reads the head of a picture. What is none is [ErrNone], a broken one a [*BrokenError], one with more pixels than
// may be decoded [ErrPixels]; Info has what is known all the same.
func Probe(b []byte) (Info, error) {
	f := formatOf(b)
	if f == nil {
		return Info{}, ErrNone
	}
	info, _, err := f.probe(b)
	return info, err
}

func (f *format) probe(b []byte) (Info, image.Config, error) {
	info := Info{Format: f.name, MIME: f.mime, Moving: moving(b, f.name)}
	c, err := f.config(bytes.NewReader(b))
	if err == nil && (c.Width <= 0 || c.Height <= 0) {
		err = errors.New("it has no pixels")
	}
	if err != nil {
		return info, c, &BrokenError{f.name, err}
	}
	info.Width, info.Height = c.Width, c.Height
	if tooManyPixels(c) {
		err = ErrPixels
	}
	return info, c, err
}

// Fit gives a picture as a vendor can be sent it: the very bytes where they are within the limits, upright and of a form
// that all take; else a smaller one, written anew. Of a moving GIF it is the first picture; a moving WebP is [ErrMoving].
// Its other errors are those of [Probe], and [ErrSmaller].
func Fit(b []byte, l Limits) (Picture, error) {
	f := formatOf(b)
	if f == nil {
		return Picture{}, ErrNone
	}
	info, c, err := f.probe(b)
	if err != nil {
		return Picture{}, err
	}
	if info.Moving && f.name == "WebP" {
		return Picture{}, ErrMoving
	}
	img, err := f.decode(bytes.NewReader(b)) // also of one that is sent as it is
	if err != nil {
		return Picture{}, &BrokenError{f.name, err}
	}
	up := orientation(b)
	if f.common && !info.Moving && up == 1 && max(c.Width, c.Height) <= l.Edge && len(b) <= l.Bytes && c.ColorModel != color.CMYKModel {
		return Picture{MIME: f.mime, Width: c.Width, Height: c.Height, Data: b, Same: true}, nil
	}
	return fit(img, up, f.common, l)
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

// moving reports whether a file holds several pictures that follow one another.
func moving(b []byte, name string) bool {
	switch name {
	case "WebP":
		return len(b) > 20 && string(b[8:16]) == "WEBPVP8X" && b[20]&2 != 0
	case "GIF":
		return framesAtLeast(b, 2)
	case "PNG":
		return animated(b)
	}
	return false
}

// framesAtLeast walks the blocks of a GIF until it has met n pictures. Nothing is decoded.
func framesAtLeast(b []byte, n int) bool {
	const head = 13
	if len(b) < head {
		return false
	}
	at := head + colors(b[10])
	for at < len(b) {
		switch b[at] {
		case 0x21: // an extension: its label, then pieces
			at = pieces(b, at+2)
		case 0x2c: // a picture
			if n--; n == 0 {
				return true
			}
			if at+9 >= len(b) {
				return false
			}
			at = pieces(b, at+10+colors(b[at+9])+1)
		default: // its end, or garbage
			return false
		}
	}
	return false
}

// colors is the size of the table of colors that flags announce.
func colors(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// pieces gives the place behind a chain of pieces, each with its length before it, the last one empty.
func pieces(b []byte, at int) int {
	for at < len(b) && b[at] != 0 {
		at += int(b[at]) + 1
	}
	return at + 1
}

// animated reports whether a PNG tells, before its first picture, that there are several.
func animated(b []byte) bool {
	const signature, around = 8, 12
	for at := signature; at+around <= len(b); {
		size := int64(binary.BigEndian.Uint32(b[at:]))
		switch string(b[at+4 : at+8]) {
		case "acTL":
			return at+around <= len(b) && size >= 4 && binary.BigEndian.Uint32(b[at+8:]) > 1
		case "IDAT":
			return false
		}
		if size > int64(len(b)) {
			return false
		}
		at += int(size) + around
	}
	return false
}
