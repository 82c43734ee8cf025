package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"react-agent/agent"
	"react-agent/store"
)

// A body over bodyLimit stands in the blob store; a text as it is, anything else as JSON. In its place stands
// {"$blob":SHA,"size":N}. When a record is still too long, smaller bodies are moved too.
const (
	bodyLimit = 64 << 10
	bodyMark  = `{"$blob":"`
)

// Encode gives an event as one line, as logs and streams have it: large bodies are in blobs, and the line names them.
// [Decode] is its opposite.
func Encode(ctx context.Context, blobs store.Blobs, e agent.Event) ([]byte, error) {
	return record(ctx, blobs, e)
}

// record encodes v as one line that a log takes.
func record(ctx context.Context, blobs store.Blobs, v any) ([]byte, error) {
	line, err := agent.EncodeJSON(v)
	if err != nil {
		return nil, err
	}
	for limit := bodyLimit; len(line) > limit; limit /= 4 {
		var failed error
		line = rewrite(line, func(_ string, raw []byte) []byte {
			if len(raw) <= limit || bytes.HasPrefix(raw, []byte(bodyMark)) || failed != nil {
				return raw
			}
			var ref []byte
			ref, failed = moveBody(ctx, blobs, raw)
			return ref
		})
		if failed != nil {
			return nil, failed
		}
		if len(line) <= store.MaxRecord || limit < 256 {
			break
		}
	}
	return line, nil
}

func moveBody(ctx context.Context, blobs store.Blobs, raw []byte) ([]byte, error) {
	data := raw
	if raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		data = []byte(text)
	}
	sha, err := blobs.PutBlob(ctx, data)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `%s%s","size":%d}`, bodyMark, sha, len(data)), nil
}

// putBack is the opposite of moveBody.
func putBack(key string, raw []byte, blob func(sha string) ([]byte, error)) []byte {
	var ref struct {
		SHA string `json:"$blob"`
	}
	if !bytes.HasPrefix(raw, []byte(bodyMark)) || json.Unmarshal(raw, &ref) != nil {
		return raw
	}
	data, err := []byte(nil), store.ErrNotFound
	if blob != nil {
		data, err = blob(ref.SHA)
	}
	if err != nil {
		why := "is missing"
		if blob == nil {
			why = "is kept apart"
		}
		data, key = []byte("(the body "+ref.SHA+" "+why+")"), "text"
	}
	if key != "text" {
		return data
	}
	quoted, err := agent.EncodeJSON(string(data))
	if err != nil {
		return raw
	}
	return quoted
}

// rewrite walks one valid JSON value and lets fn replace the values that may be a body: text, args, data, detail, and
// the members of state and clear. It looks into nothing else that is not ours, so that the same words inside a tool's
// arguments stay what they are.
func rewrite(line []byte, fn func(key string, raw []byte) []byte) []byte {
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
				inner = "data"
			case "clear":
				inner = "text"
			}
			w.value(inner)
		})
	case '[':
		w.elements()
	default:
		w.copy(w.end())
	}
}

func (w *walker) replace(key string) {
	end := w.end()
	w.out = append(w.out, w.fn(key, w.in[w.at:end:end])...)
	w.at = end
}

func (w *walker) copy(end int) {
	w.out = append(w.out, w.in[w.at:end]...)
	w.at = end
}

// members calls fn with each key when its value comes next.
func (w *walker) members(fn func(key string)) {
	w.copy(w.at + 1)
	for w.at < len(w.in) && w.in[w.at] != '}' {
		if c := w.in[w.at]; c != '"' { // a comma or a space
			w.copy(w.at + 1)
			continue
		}
		end := w.end()
		key, err := strconv.Unquote(string(w.in[w.at:end]))
		if err != nil { // escapes that only JSON knows: none of our keys has them
			key = ""
		}
		w.copy(end)
		for w.at < len(w.in) && (w.in[w.at] == ':' || w.in[w.at] == ' ') {
			w.copy(w.at + 1)
		}
		fn(key)
	}
	w.copy(min(w.at+1, len(w.in)))
}

func (w *walker) elements() {
	w.copy(w.at + 1)
	for w.at < len(w.in) && w.in[w.at] != ']' {
		if c := w.in[w.at]; c == ',' || c == ' ' {
			w.copy(w.at + 1)
			continue
		}
		w.value("")
	}
	w.copy(min(w.at+1, len(w.in)))
}

// end gives the offset behind the value that begins here.
func (w *walker) end() int {
	depth := 0
	for i := w.at; i < len(w.in); i++ {
		switch w.in[i] {
		case '"':
			for i++; i < len(w.in) && w.in[i] != '"'; i++ {
				if w.in[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
			continue
		default:
			if depth == 0 && (i+1 == len(w.in) || bytes.IndexByte([]byte(",]}"), w.in[i+1]) >= 0) {
				return i + 1
			}
			continue
		}
		if depth == 0 {
			return min(i+1, len(w.in))
		}
	}
	return len(w.in)
}

// moveBlobs stores attachments and gives them their hash. The data stays in memory.
func moveBlobs(ctx context.Context, blobs store.Blobs, parts []agent.Part) error {
	for _, p := range parts {
		if p.Result != nil {
			if err := moveBlobs(ctx, blobs, p.Result.Parts); err != nil {
				return err
			}
		}
		if p.Blob == nil || len(p.Blob.Data) == 0 || p.Blob.SHA256 != "" {
			continue
		}
		sha, err := blobs.PutBlob(ctx, p.Blob.Data)
		if err != nil {
			return err
		}
		p.Blob.SHA256 = sha
	}
	return nil
}

// FetchBlobs gives messages the bytes of their attachments, in new parts: others may look at the old ones. What is lost is
// left out: the model is told by its wire.
func (l *Local) FetchBlobs(ctx context.Context, msgs []agent.Message) {
	for i, m := range msgs {
		parts := slices.Clone(m.Parts)
		for k, p := range parts {
			if p.Blob == nil || p.Blob.SHA256 == "" || len(p.Blob.Data) > 0 {
				continue
			}
			b := *p.Blob
			var err error
			if b.Data, err = l.c.Blobs.GetBlob(context.WithoutCancel(ctx), b.SHA256); err != nil {
				l.c.Logger.Warn("an attachment is lost", "name", b.Name, "sha256", b.SHA256, "error", err)
			}
			parts[k].Blob = &b
		}
		msgs[i].Parts = parts
	}
}
