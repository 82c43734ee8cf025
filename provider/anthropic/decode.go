package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// decoder tells a draft what the values of one reply say.
type decoder struct {
	*wire.Draft
	m      *model
	answer string          // the tool whose arguments are the answer
	begun  bool            // the message has
	blocks []*block        // that have not ended
	ended  map[int64]int64 // the last block that had an index, by number
	number int64           // of the last block
	counts wire.Counts
}

func (m *model) newDecoder(d *wire.Draft, answer string) *decoder {
	return &decoder{Draft: d, m: m, answer: answer, counts: wire.Counts{CacheApart: true}}
}

// Usage is what was counted.
func (d *decoder) Usage() *agent.Usage { return d.counts.Usage() }

// Thoughts is nothing: blocks say themselves what goes back with them.
func (d *decoder) Thoughts() *agent.Opaque { return nil }

// Event takes one JSON value of the reply.
func (d *decoder) Event(root gjson.Result, name string) error {
	kind := name
	if t := root.Get("type"); t.Type == gjson.String {
		kind = t.Str
	}
	switch kind {
	case "content_block_delta":
		d.delta(root)
	case "content_block_start":
		d.start(root.Get("index").Int(), root.Get("content_block"))
	case "content_block_stop":
		d.stop(root.Get("index").Int())
	case "message_start":
		return d.head(root, root.Get("message"))
	case "message":
		return d.whole(root)
	case "message_delta":
		d.counts.Take(root.Get("usage"))
		d.finish(root.Get("delta"))
	case "message_stop":
		d.settle()
		d.Close()
	case "ping":
	default:
		return d.other(root, kind)
	}
	return nil
}

// other takes an event of no kind of this protocol: passed over, unless it says that the call failed.
func (d *decoder) other(root gjson.Result, kind string) error {
	switch {
	case strings.HasSuffix(kind, "error"), failed(root), !d.begun && wire.FlatFailure(root):
		return d.Refuse(root.Raw)
	case root.Get("stop_reason").Exists() && root.Get("content").Exists():
		return d.whole(root)
	}
	return nil
}

// failed reports whether a value says that the call failed.
func failed(v gjson.Result) bool {
	return wire.IsFailure(v.Get("error")) || v.Get("base_resp.status_code").Int() != 0
}

// head takes what a message begins with.
func (d *decoder) head(root, msg gjson.Result) error {
	if failed(root) || failed(msg) {
		return d.Refuse(root.Raw)
	}
	d.begun = true
	d.Model(msg.Get("model").Str)
	d.counts.Take(msg.Get("usage"))
	return nil
}

// whole takes all of a message.
func (d *decoder) whole(msg gjson.Result) error {
	if err := d.head(msg, msg); err != nil {
		return err
	}
	content := msg.Get("content")
	if content.Type == gjson.String {
		d.Text(content)
	} else {
		for i, b := range content.Array() {
			d.start(int64(i), b)
			d.stop(int64(i))
		}
	}
	d.finish(msg)
	return nil
}

// finish takes the stop reason, in the fields of a message or of its delta.
func (d *decoder) finish(v gjson.Result) {
	reason := v.Get("stop_reason").Str
	if reason == "" {
		return
	}
	if why := v.Get("stop_details"); why.IsObject() {
		d.m.Logger.Warn("the model says why it stopped", "reason", reason, "category", why.Get("category").Str, "explanation", why.Get("explanation").Str)
	}
	d.settle()
	d.Finish(reason)
}

// settle ends the blocks that nothing has ended.
func (d *decoder) settle() {
	for len(d.blocks) > 0 {
		d.end(d.blocks[0])
	}
}

// keep marks what has to go back with a part.
func (d *decoder) keep(m memory) *agent.Opaque {
	data, err := agent.EncodeJSON(m)
	if err != nil {
		d.m.Logger.Warn("what belongs to a block cannot be kept", "error", err)
		return nil
	}
	return &agent.Opaque{Origin: d.m.Info().Origin(), Data: data}
}

// extras are the fields of a call that have to go back beside it.
func extras(v gjson.Result) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "type", "id", "name", "input", "index":
		default:
			if f.Type == gjson.Null || key.Str == "caller" && f.Get("type").Str == "direct" {
				break
			}
			if out == nil {
				out = map[string]json.RawMessage{}
			}
			out[key.Str] = json.RawMessage(f.Raw)
		}
		return true
	})
	return out
}
