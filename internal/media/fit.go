package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"strings"

	"golang.org/x/image/draw"
)

// fit makes a picture small enough, upright, and of a format that every vendor takes: PNG where there is transparency and
// where it is only another form of the same picture, else JPEG. common says that it had such a format already.
func fit(img image.Image, orient int, common bool, l Limits) (Picture, error) {
	edge := max(img.Bounds().Dx(), img.Bounds().Dy())
	shrinks := edge > l.Edge
	edge = min(edge, l.Edge)
	opaque := false
	if o, ok := img.(interface{ Opaque() bool }); ok {
		opaque = o.Opaque()
	}
	for {
		small := turned(scaled(img, edge), orient)
		p := Picture{Width: small.Bounds().Dx(), Height: small.Bounds().Dy()}
		var b bytes.Buffer
		if !opaque || !shrinks && !common {
			if err := png.Encode(&b, small); err != nil {
				return p, err
			}
			p.MIME, p.Data = "image/png", b.Bytes()
		}
		if opaque && (p.Data == nil || len(p.Data) > l.Bytes) {
			b.Reset()
			if err := jpeg.Encode(&b, small, &jpeg.Options{Quality: 90}); err != nil {
				return p, err
			}
			p.MIME, p.Data = "image/jpeg", b.Bytes()
		}
		if len(p.Data) <= l.Bytes {
			return p, nil
		}
		if edge = edge * 3 / 4; edge < 16 {
			return p, ErrSmaller
		}
	}
}

// Kind is the picture's format in capital letters, for texts.
func (p *Picture) Kind() string { return strings.ToUpper(strings.TrimPrefix(p.MIME, "image/")) }

// scaled gives the picture with this longest edge.
func scaled(img image.Image, edge int) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	long := max(w, h)
	if long <= edge {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, max(1, (w*edge+long/2)/long), max(1, (h*edge+long/2)/long)))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

// turned gives a picture upright. The eight orientations are those of EXIF; 1 is upright already.
func turned(img image.Image, orient int) image.Image {
	if orient < 2 || orient > 8 {
		return img
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Rect(0, 0, w, h)
	if orient >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			i, j := x, y
			switch orient {
			case 2:
				i = w - 1 - x
			case 3:
				i, j = w-1-x, h-1-y
			case 4:
				j = h - 1 - y
			case 5:
				i, j = y, x
			case 6:
				i, j = h-1-y, x
			case 7:
				i, j = h-1-y, w-1-x
			case 8:
				i, j = y, w-1-x
			}
			out.Set(i, j, img.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return out
}

// orientation reads from a JPEG or TIFF file how the camera was held; 1 when it does not say.
func orientation(b []byte) int {
	if bytes.HasPrefix(b, []byte("\xff\xd8")) {
		return ifdOrientation(exif(b))
	}
	return ifdOrientation(b)
}

// exif finds the block of that name in a JPEG file.
func exif(b []byte) []byte {
	for at := 2; at+4 <= len(b) && b[at] == 0xff; {
		marker, size := b[at+1], int(binary.BigEndian.Uint16(b[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(b) { // the picture itself begins
			return nil
		}
		if body, ok := bytes.CutPrefix(b[at+4:at+2+size], []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			return body
		}
		at += 2 + size
	}
	return nil
}

// ifdOrientation reads the orientation from the first directory of a TIFF structure.
func ifdOrientation(b []byte) int {
	const upright, tag = 1, 0x0112
	if len(b) < 8 {
		return upright
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(b[:4]) {
	case "II*\x00":
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upright
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return upright
	}
	entries := b[at+2:]
	for range order.Uint16(b[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == tag {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			break
		}
		entries = entries[12:]
	}
	return upright
}
