// Package media tells what files are that are no text, pictures above all, and makes pictures fit to be shown to a model.
//
// What a file is, it says by its content; its name counts for nothing. A page of HTML that is called shot.png is no picture
// ([Sniff]). Of a picture the head is read first: one with too many pixels is refused before it is decoded, so that a file
// of a few kilobytes cannot take gigabytes ([Probe]). Then it is decoded whole, also when it is sent as it came: vendors
// refuse a conversation over a broken picture. One that is larger than models look at is made smaller, held upright and
// written in a form that every vendor takes ([Fit]); the file itself stays as it is.
//
// Every function is pure and may be used from many goroutines. A large picture takes hundreds of megabytes while it is
// decoded: callers do one at a time.
package media

import (
	"bytes"
	"errors"
	"strings"
)

// What is wrong with files.
var (
	ErrNone    = errors.New("no picture")
	ErrPixels  = errors.New("too many pixels to be decoded")
	ErrMoving  = errors.New("a moving picture")
	ErrSmaller = errors.New("it cannot be made small enough")
	ErrCut     = errors.New("its end is missing")
	ErrLocked  = errors.New("it is encrypted")
)

// The types that [Sniff] tells and others ask for by name.
const (
	PDF  = "application/pdf"
	HTML = "text/html"
	SVG  = "image/svg+xml"
)

// MaxPDF is how many bytes a PDF may have to be sent, MaxAudio a sound. Vendors' own limits for whole requests are near.
const (
	MaxPDF   = 20 << 20
	MaxAudio = 20 << 20
)

// Sniff gives the MIME type of what begins with b, as far as it is one of those that models read, or one that is taken
// for such: a picture, a PDF, a sound, HTML or SVG. "" is anything else. The first kilobyte is enough.
func Sniff(b []byte) string {
	if f := formatOf(b); f != nil {
		return f.mime
	}
	if bytes.HasPrefix(b, []byte("%PDF-")) {
		return PDF
	}
	if s := sound(b); s != "" {
		return s
	}
	return markup(b)
}

// sound recognises the kinds of sound that some vendor takes.
func sound(b []byte) string {
	for _, k := range []struct {
		at         int
		mark, mime string
	}{
		{8, "WAVE", "audio/wav"}, {0, "ID3", "audio/mpeg"}, {0, "fLaC", "audio/flac"}, {0, "OggS", "audio/ogg"}, {8, "AIFF", "audio/aiff"},
	} {
		if len(b) >= k.at+len(k.mark) && string(b[k.at:k.at+len(k.mark)]) == k.mark {
			return k.mime
		}
	}
	switch {
	case len(b) < 3 || b[0] != 0xff:
	case b[1]&0xe6 == 0xe2 && b[2]>>4 != 15 && b[2]>>4 != 0: // a frame of MPEG audio, layer 3
		return "audio/mpeg"
	case b[1]&0xf6 == 0xf0: // and of AAC
		return "audio/aac"
	}
	return ""
}

// markup recognises the texts that are most often named like pictures.
func markup(b []byte) string {
	const enough = 1024
	s := strings.ToLower(string(b[:min(len(b), enough)]))
	s = strings.TrimLeft(strings.TrimPrefix(s, "\xef\xbb\xbf"), " \t\r\n\f")
	for _, skip := range [][2]string{{"<?xml", "?>"}, {"<!--", "-->"}, {"<!doctype svg", ">"}} {
		for strings.HasPrefix(s, skip[0]) {
			_, after, ok := strings.Cut(s, skip[1])
			if !ok {
				return ""
			}
			s = strings.TrimLeft(after, " \t\r\n\f")
			if skip[0] == "<!doctype svg" {
				return SVG
			}
		}
	}
	switch {
	case strings.HasPrefix(s, "<svg"):
		return SVG
	case strings.HasPrefix(s, "<!doctype html"), strings.HasPrefix(s, "<html"), strings.HasPrefix(s, "<head"), strings.HasPrefix(s, "<body"):
		return HTML
	}
	return ""
}

// CheckPDF looks whether a PDF is one that vendors read: with its end ([ErrCut]), and not encrypted ([ErrLocked]).
func CheckPDF(b []byte) error {
	const tail = 2048
	switch {
	case !bytes.HasPrefix(b, []byte("%PDF-")):
		return ErrNone
	case !bytes.Contains(b[max(0, len(b)-tail):], []byte("startxref")):
		return ErrCut
	case bytes.Contains(b, []byte("/Encrypt ")):
		return ErrLocked
	}
	return nil
}
