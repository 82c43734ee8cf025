package tool

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Order tells by the mark at its beginning that a text is UTF-16; nil: it is not.
func utf16Order(b []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return binary.BigEndian
	}
	return nil
}

// utf16Reader gives a UTF-16 text as UTF-8. What is no character becomes U+FFFD.
type utf16Reader struct {
	order binary.ByteOrder
	src   io.Reader
	raw   []byte // read and not used yet
	out   []byte // made and not given yet
	err   error
}

// Read gives the next piece.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 && (u.err == nil || len(u.raw) > 0) {
		if u.err == nil {
			buf := make([]byte, 8<<10)
			n, err := u.src.Read(buf)
			u.raw, u.err = append(u.raw, buf[:n]...), err
		}
		u.decode()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	if n == 0 {
		return 0, u.err
	}
	return n, nil
}

// decode turns what was read into characters; the first half of a pair waits for the second.
func (u *utf16Reader) decode() {
	u.out = u.out[:0]
	end := u.err != nil
	for len(u.raw) >= 2 {
		r, size := rune(u.order.Uint16(u.raw)), 2
		if utf16.IsSurrogate(r) {
			if len(u.raw) < 4 && !end {
				return
			}
			pair := utf8.RuneError
			if len(u.raw) >= 4 {
				pair = utf16.DecodeRune(r, rune(u.order.Uint16(u.raw[2:])))
			}
			if r = pair; pair != utf8.RuneError {
				size = 4
			}
		}
		u.out = utf8.AppendRune(u.out, r)
		u.raw = u.raw[size:]
	}
	if u.err != nil && len(u.raw) > 0 {
		u.out, u.raw = utf8.AppendRune(u.out, utf8.RuneError), nil
	}
}
