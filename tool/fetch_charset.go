package tool

import (
	"bytes"
	"mime"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// toUTF8 turns text into UTF-8 by what the server, a byte order mark or, in HTML, the page itself says of its encoding. Text
// that says nothing, or is not what it says, is UTF-8 when it can be, else what its bytes look like. Bytes that are no text
// in any of them stay as they are.
func toUTF8(b []byte, contentType string, isHTML bool) []byte {
	said := label(b, contentType, isHTML)
	if said == "" || said == "utf-8" {
		b = bytes.TrimPrefix(b, []byte(bom))
		if utf8.Valid(b) {
			return b
		}
		return decode(b, guess(b, said))
	}
	return decode(b, said)
}

// label is the encoding that somebody says b has, by its usual name; "" when nobody does.
func label(b []byte, contentType string, isHTML bool) string {
	known := func(name string) string {
		_, canonical := charset.Lookup(name)
		return canonical
	}
	switch {
	case bytes.HasPrefix(b, []byte(bom)):
		return "utf-8"
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return "utf-16le"
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return "utf-16be"
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if name := known(params["charset"]); name != "" {
			return name
		}
	}
	if !isHTML {
		return ""
	}
	// Only the beginning counts, and of it only ASCII: the bytes of the text itself are judged elsewhere.
	head := bytes.Clone(b[:min(len(b), 4096)])
	for i, c := range head {
		if c >= 0x80 {
			head[i] = '?'
		}
	}
	_, name, _ := charset.DetermineEncoding(head, "text/html")
	if name == "windows-1252" && !bytes.Contains(bytes.ToLower(head), []byte("charset")) {
		return "" // the fallback
	}
	return name
}

// guess is the encoding that b looks like when it is not what was said.
func guess(b []byte, said string) string {
	if looksChinese(b) {
		return "gb18030"
	}
	if said == "utf-8" {
		return said // a few broken characters
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return "" // no text at all
	}
	return "windows-1252"
}

// looksChinese reports that the bytes above ASCII come in pairs as GBK writes the usual characters. In the Western
// encodings they stand alone or by twos and threes among letters.
func looksChinese(b []byte) bool {
	pairs, others := 0, 0
	for i := 0; i < len(b); i++ {
		if b[i] < 0x80 {
			continue
		}
		if i+1 < len(b) && b[i] >= 0xa1 && b[i] <= 0xf7 && b[i+1] >= 0xa1 && b[i+1] != 0xff {
			pairs++
			i++
			continue
		}
		if i+1 < len(b) && b[i] >= 0x81 && b[i] != 0xff && b[i+1] >= 0x40 && b[i+1] != 0x7f && b[i+1] != 0xff {
			i++ // a rare character, or chance
		}
		others++
	}
	return pairs > 0 && others*10 <= pairs
}

func decode(b []byte, name string) []byte {
	enc, _ := charset.Lookup(name)
	if enc == nil || name == "utf-8" {
		return b
	}
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		return b
	}
	return bytes.TrimPrefix(out, []byte(bom))
}
