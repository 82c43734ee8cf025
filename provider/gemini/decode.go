package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/provider/wire"
)

// decoder tells a draft what the values of one reply say.
type decoder struct {
	*wire.Draft
	m      *model
	counts counts
	calls  int             // so far
	seen   map[string]bool // the parts of those that can be told apart
	inner  bool            // within a gateway's wrapping
}

func (m *model) newDecoder(d *wire.Draft) *decoder {
	return &decoder{Draft: d, m: m, seen: map[string]bool{}}
}

// Event takes one JSON value of the reply. Gateways put it into a field named response.
func (d *decoder) Event(root gjson.Result, kind string) error {
	var failed error
	ours := false
	root.ForEach(func(key, v gjson.Result) bool {
		known, err := d.field(root, key.Str, v, kind)
		ours = ours || known
		if failed == nil {
			failed = err // what was counted stands behind it
		}
		return true
	})
	switch {
	case failed != nil:
		return failed
	case kind == "error", !ours && wire.FlatFailure(root):
		return d.Refuse(root.Raw)
	}
	return nil
}

// field takes one field of a value, if it is one of this wire.
func (d *decoder) field(root gjson.Result, key string, v gjson.Result, kind string) (known bool, err error) {
	switch key {
	case "candidates":
		return true, d.candidates(v)
	case "usageMetadata":
		d.counts.take(v)
		return true, nil
	case "modelVersion":
		d.Model(v.Str)
	case "promptFeedback":
		return true, d.blocked(root, v)
	case "error":
		if wire.IsFailure(v) {
			return true, d.Refuse(root.Raw)
		}
	case "response":
		if v.IsObject() && !d.inner {
			d.inner = true
			err = d.Event(v, kind)
			d.inner = false
			return true, err
		}
	}
	return false, nil
}

// blocked reports a prompt that was refused before a model saw it.
func (d *decoder) blocked(root, feedback gjson.Result) error {
	reason := feedback.Get("blockReason").Str
	if reason == "" || reason == "BLOCK_REASON_UNSPECIFIED" || root.Get("candidates.0").Exists() {
		return nil
	}
	if why := feedback.Get("blockReasonMessage").Str; why != "" {
		reason += ": " + why
	}
	return &agent.ModelError{Kind: agent.ErrContentFilter, Provider: d.m.Name(), Err: msg.Errorf(msg.ModelBlocked, reason)}
}

// candidates takes the one answer that was asked for.
func (d *decoder) candidates(list gjson.Result) (failed error) {
	list.ForEach(func(_, c gjson.Result) bool {
		failed = d.candidate(c)
		return failed == nil
	})
	return failed
}

func (d *decoder) candidate(c gjson.Result) error {
	var word, why string
	var index float64
	var content gjson.Result
	c.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "content":
			content = v
		case "finishReason":
			word = v.String()
		case "finishMessage":
			why = v.Str
		case "index":
			index = v.Num
		}
		return true
	})
	if index > 0 {
		return nil
	}
	if err := d.content(content); err != nil {
		return err
	}
	switch {
	case word == "", word == "FINISH_REASON_UNSPECIFIED":
		return nil
	case wire.EndingOf(word).Fail == agent.ErrInvalidResponse && why != "":
		return d.Unusable(why, true, msg.ModelFinish, word)
	}
	d.Finish(word)
	return nil
}

func (d *decoder) content(content gjson.Result) (failed error) {
	content.ForEach(func(key, parts gjson.Result) bool {
		if key.Str != "parts" || parts.Type != gjson.JSON {
			return true
		}
		if !parts.IsArray() {
			failed = d.part(parts)
			return failed == nil
		}
		parts.ForEach(func(_, p gjson.Result) bool {
			failed = d.part(p)
			return failed == nil
		})
		return failed == nil
	})
	return failed
}

// piece is one part of a content.
type piece struct {
	text, call, blob gjson.Result
	signature        string
	thought, other   bool
}

func pieceOf(v gjson.Result) (p piece) {
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "text":
			p.text = f
		case "functionCall":
			p.call = f
		case "inlineData":
			p.blob = f
		case "thoughtSignature":
			p.signature = f.String()
		case "thought":
			p.thought = f.Type == gjson.True
		case "partMetadata", "mediaResolution", "videoMetadata":
		default:
			p.other = p.other || f.Type != gjson.Null
		}
		return true
	})
	return p
}

// part takes one part. Those that carry a signature are kept apart from what stands around them.
func (d *decoder) part(v gjson.Result) error {
	p := pieceOf(v)
	switch {
	case p.call.IsObject():
		return d.call(v, &p)
	case p.blob.IsObject():
		return d.blob(&p)
	case p.other && !p.text.Exists(): // code that ran at the vendor's, and what it may think of next: it goes back as it came
		d.EndText(nil)
		d.EndThought(nil)
		d.EndThought(d.keep(kept{Part: json.RawMessage(v.Raw)}))
	case p.thought && p.signature == "":
		d.Thought(p.text)
	case p.thought:
		d.EndThought(nil)
		d.SealedThought(p.text)
		d.EndThought(d.keep(kept{Signature: p.signature}))
	case p.signature == "":
		d.Text(p.text)
	default:
		d.EndText(nil)
		d.Text(p.text)
		d.EndText(d.keep(kept{Signature: p.signature}))
	}
	return nil
}

// call takes a call, which always comes whole. The same part once more is no second call.
func (d *decoder) call(v gjson.Result, p *piece) error {
	id := p.call.Get("id").String()
	if p.call.Get("partialArgs").IsArray() || p.call.Get("willContinue").Bool() {
		return d.Unusable(v.Raw, false, msg.ReplyPieces)
	}
	if d.seen[v.Raw] || d.calls >= agent.MaxParts/2 { // the draft takes no more
		return nil
	}
	d.calls++
	if id != "" || p.signature != "" {
		d.seen[v.Raw] = true
	}
	d.EndText(nil) // what follows is not what came before
	d.EndThought(nil)
	args := p.call.Get("args")
	if args.Type == gjson.Null {
		args = gjson.Result{}
	}
	extra := map[string]json.RawMessage{}
	if id != "" {
		extra[keyID] = wire.AppendString(nil, id)
	}
	if p.signature != "" {
		extra[keySignature] = wire.AppendString(nil, p.signature)
	}
	d.Batch()
	d.Call(wire.Piece{ID: id, Name: p.call.Get("name").String(), Index: int64(d.calls), Indexed: true, Args: args, Extra: extra})
	return nil
}

// kept is the data of an opaque part: what the encoder needs to send the part back.
type kept struct {
	ID        string          `json:"id,omitempty"` // of a call, where the vendor gave one
	Signature string          `json:"thoughtSignature,omitempty"`
	Part      json.RawMessage `json:"part,omitempty"` // all of it
}

// The fields of kept that a call has.
const (
	keyID        = "id"
	keySignature = "thoughtSignature"
)

func (d *decoder) keep(k kept) *agent.Opaque {
	data, err := agent.EncodeJSON(k)
	if err != nil {
		d.m.Logger.Warn("what belongs to a part cannot be kept", "error", err)
		return nil
	}
	return &agent.Opaque{Origin: d.m.Info().Origin(), Data: data}
}

// Thoughts keeps nothing: thoughts without a signature do not go back.
func (d *decoder) Thoughts() *agent.Opaque { return nil }

// Usage is what was counted.
func (d *decoder) Usage() *agent.Usage { return d.counts.usage() }

// blob takes a picture or a sound that the model made.
func (d *decoder) blob(p *piece) error {
	data, err := base64.StdEncoding.DecodeString(p.blob.Get("data").Str)
	if err != nil || len(data) == 0 {
		return d.Unusable("", true, msg.ReplyBlob)
	}
	mime := p.blob.Get("mimeType").Str
	if p.thought { // what it tried on the way
		return nil
	}
	d.EndText(nil)
	d.EndThought(nil)
	var keep *agent.Opaque
	if p.signature != "" {
		keep = d.keep(kept{Signature: p.signature})
	}
	d.Blob(&agent.Blob{MIME: mime, Name: strings.ReplaceAll(mime, "/", "."), Data: data}, keep)
	return nil
}
