package agent

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// A journal may keep a body elsewhere: a text as it is, anything else as JSON. In its place stands a reference,
// {"$blob":SHA256,"size":N}. Bodies are text, args, data, detail, and the members of state and clear; the same words deeper
// inside one are what somebody wrote.
const refKey = "$blob"

// MoveBodies replaces bodies of a record, one line of valid JSON, by references: those over limit bytes, and smaller ones as
// long as the record is longer than most. A body that could be taken for a reference itself is moved whatever its size, so
// that each object with a member $blob in the place of a body is a reference. put keeps a body and gives its SHA-256; an
// error of it is given back.
func MoveBodies(line []byte, limit, most int, put func(data []byte) (sha string, err error)) ([]byte, error) {
	m := mover{put: put}
	if bytes.Contains(line, []byte(refKey)) || bytes.Contains(line, []byte(`\u`)) { // which may spell it
		line = rewriteBodies(line, func(key string, raw []byte) []byte {
			if !likeRef(raw) {
				return raw
			}
			return m.move(key, raw)
		})
	}
	for ; len(line) > limit; limit /= 4 {
		line = rewriteBodies(line, func(key string, raw []byte) []byte {
			if len(raw) <= limit || likeRef(raw) { // that one is ours by now
				return raw
			}
			return m.move(key, raw)
		})
		if len(line) <= most || limit < 256 {
			break
		}
	}
	return line, m.err
}

// likeRef reports whether a body could be taken for a reference by somebody who reads logs.
func likeRef(raw []byte) bool {
	if raw[0] != '{' || !bytes.Contains(raw, []byte(refKey)) && !bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return false
	}
	_, has := object[refKey]
	return has
}

type mover struct {
	put func(data []byte) (sha string, err error)
	err error // the first; nothing is moved after it
}

func (m *mover) move(key string, raw []byte) []byte {
	data := raw
	if key == "text" {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return raw // none of ours
		}
		data = []byte(text)
	}
	if m.err != nil {
		return raw
	}
	sha, err := m.put(data)
	if err != nil {
		m.err = err
		return raw
	}
	return fmt.Appendf(nil, `{"%s":"%s","size":%d}`, refKey, sha, len(data))
}

// PutBackBodies is the opposite of [MoveBodies]. blob gives what a reference names; nil without an error says that it is
// lost. What is lost stands as a short text that names it, and a lost member of a state is null: it is as if it had never
// been set. An error of blob is given back.
func PutBackBodies(line []byte, blob func(sha string) ([]byte, error)) ([]byte, error) {
	if !hasBody(line) {
		return line, nil
	}
	var failed error
	line = rewriteBodies(line, func(key string, raw []byte) []byte {
		sha, size, is := parseRef(raw)
		if !is || failed != nil {
			return raw
		}
		data, err := blob(sha)
		switch {
		case err != nil:
			failed = fmt.Errorf("body %s: %w", sha, err)
			return raw
		case data == nil && key == inState:
			return []byte("null")
		case data == nil:
			return quote("(the body " + sha + " is missing)")
		case len(data) != size: // somebody wrote it before such things were moved
			return raw
		case key == "text" || !json.Valid(data): // or a string was moved without its quotes, as it once was
			return quote(validText(string(data)))
		}
		return data
	})
	return line, failed
}

// parseRef reads a reference as [MoveBodies] writes it, and as another encoder may write it again.
func parseRef(raw []byte) (sha string, size int, is bool) {
	const most = 256
	if len(raw) > most || !likeRef(raw) {
		return "", 0, false
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || len(object) != 2 {
		return "", 0, false
	}
	var hash []byte
	if json.Unmarshal(object[refKey], &sha) == nil {
		hash, _ = hex.DecodeString(sha)
	}
	size, err := strconv.Atoi(string(object["size"]))
	return sha, size, hex.EncodeToString(hash) == sha && len(hash) == 32 && err == nil
}

func hasBody(line []byte) bool { return bytes.Contains(line, []byte(`"`+refKey+`"`)) }

// inState is the key under which the members of a state are looked at.
const inState = "state"

// rewriteBodies walks one valid JSON value and lets fn replace each body. It looks into nothing else that is not ours, and
// copies it byte for byte. key is text for a text.
func rewriteBodies(line []byte, fn func(key string, raw []byte) []byte) []byte {
	w := walker{in: line, fn: fn, out: make([]byte, 0, len(line))}
	w.value("")
	return append(w.out, w.in[w.at:]...)
}

type walker struct {
	in, out []byte
	at      int
	fn      func(key string, raw []byte) []byte
}

func (w *walker) value(key string) {
	switch key {
	case "text", "args", "data", "detail":
		w.replace(key)
		return
	}
	if w.at >= len(w.in) {
		return
	}
	switch w.in[w.at] {
	case '{':
		w.members(func(inner string) {
			switch key {
			case "state":
				w.replace(inState)
			case "clear":
				w.replace("text")
			default:
				w.value(inner)
			}
		})
	case '[':
		w.elements()
	default:
		w.copy(w.end())
	}
}

func (w *walker) replace(key string) {
	end := w.end()
	if end > w.at {
		w.out = append(w.out, w.fn(key, w.in[w.at:end:end])...)
	}
	w.at = end
}

func (w *walker) copy(end int) {
	w.out = append(w.out, w.in[w.at:end]...)
	w.at = end
}

// between copies what stands between values.
func (w *walker) between(marks string) {
	end := w.at
	for end < len(w.in) && (isSpace(w.in[end]) || bytes.IndexByte([]byte(marks), w.in[end]) >= 0) {
		end++
	}
	w.copy(end)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// members calls fn with each key when its value comes next.
func (w *walker) members(fn func(key string)) {
	w.copy(w.at + 1)
	for w.between(","); w.at < len(w.in) && w.in[w.at] != '}'; w.between(",") {
		if w.in[w.at] != '"' { // no JSON
			w.copy(w.at + 1)
			continue
		}
		end := w.end()
		key, err := strconv.Unquote(string(w.in[w.at:end]))
		if err != nil { // escapes that only JSON knows: none of our keys has them
			key = ""
		}
		w.copy(end)
		w.between(":")
		fn(key)
	}
	w.copy(min(w.at+1, len(w.in)))
}

func (w *walker) elements() {
	w.copy(w.at + 1)
	for w.between(","); w.at < len(w.in) && w.in[w.at] != ']'; w.between(",") {
		at := w.at
		if w.value(""); w.at == at { // no JSON
			w.copy(w.at + 1)
		}
	}
	w.copy(min(w.at+1, len(w.in)))
}

// end gives the offset behind the value that begins here.
func (w *walker) end() int {
	depth := 0
	for i := w.at; i < len(w.in); i++ {
		switch w.in[i] {
		case '"':
			i = w.quoted(i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				return w.word()
			}
		}
		if depth <= 0 {
			return max(i+1+min(depth, 0), w.at) // what closes the object or array around it stays
		}
	}
	return len(w.in)
}

// quoted gives the offset behind the string that begins at i.
func (w *walker) quoted(i int) int {
	for i++; i < len(w.in) && w.in[i] != '"'; i++ {
		if w.in[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(w.in))
}

// word gives the offset behind a number or a word.
func (w *walker) word() int {
	i := w.at
	for i < len(w.in) && !isSpace(w.in[i]) && bytes.IndexByte([]byte(",]}"), w.in[i]) < 0 {
		i++
	}
	return i
}
