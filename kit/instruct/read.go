package instruct

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
)

// maxRead is how much of a file is looked at: what is used of it is much less.
const maxRead = 256 << 10

// read gives a file's text with line ends \n, as much of it as is looked at, and the size of the whole file.
func read(path string) (s string, size int64, err error) {
	data, info, err := ordinary.Read(path, maxRead)
	if _, special := errors.AsType[*ordinary.Error](err); special {
		return "", 0, msg.Errorf(msg.InstructNoFile)
	}
	if err != nil {
		return "", 0, cause(err)
	}
	s, ok := decode(data, int64(len(data)) < info.Size())
	if !ok {
		return "", info.Size(), msg.Errorf(msg.InstructNoText)
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), info.Size(), nil
}

// cause is an error without the path, which is said already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// decode makes text of bytes: UTF-8, or UTF-16 that says so at its beginning. Single wrong bytes are replaced; what is
// mostly wrong is no text. cut says that there are more bytes, so that the last character may be half.
func decode(b []byte, cut bool) (s string, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return decode16(b[2:], binary.LittleEndian), true
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return decode16(b[2:], binary.BigEndian), true
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(b, 0) >= 0 {
		return "", false
	}
	if cut {
		for i := 1; i < utf8.UTFMax && i < len(b); i++ {
			if utf8.RuneStart(b[len(b)-i]) {
				if !utf8.FullRune(b[len(b)-i:]) {
					b = b[:len(b)-i]
				}
				break
			}
		}
	}
	if utf8.Valid(b) {
		return string(b), true
	}
	s = strings.ToValidUTF8(string(b), "\uFFFD")
	return s, strings.Count(s, "\uFFFD")*4 <= utf8.RuneCountInString(s)
}

func decode16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}
