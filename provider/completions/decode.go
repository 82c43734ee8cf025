package completions

import (
	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// decoder tells a draft what the values of one reply say.
type decoder struct {
	*wire.Draft
	m       *model
	counts  wire.Counts
	keeping keeping
}

func (m *model) newDecoder(d *wire.Draft) *decoder {
	return &decoder{Draft: d, m: m, counts: wire.Counts{ThoughtsInTotal: m.Preset.ThoughtsInTotal}}
}

// Usage is what was counted.
func (d *decoder) Usage() *agent.Usage { return d.counts.Usage() }

// Event takes one JSON value of the reply.
func (d *decoder) Event(root gjson.Result, kind string) error {
	var failed gjson.Result
	ours := false
	root.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "choices":
			ours = ours || v.IsArray()
			failed = d.choices(v, failed)
		case "usage":
			d.counts.Take(v)
		case "x_groq":
			d.counts.Take(v.Get("usage"))
			if e := v.Get("error"); wire.IsFailure(e) {
				failed = v
			}
		case "timings":
			d.counts.TakeTimings(v)
		case "model":
			d.Model(v.Str)
		case "error", "base_resp":
			if topFailure(key.Str, v) {
				failed = root
			}
		}
		return true
	})
	switch {
	case failed.Exists():
		return d.Refuse(failed.Raw)
	case kind == "error", !ours && wire.FlatFailure(root):
		return d.Refuse(root.Raw)
	}
	return nil
}

// choices takes the choices and gives the last error in them, else the one that is known.
func (d *decoder) choices(list, failed gjson.Result) gjson.Result {
	list.ForEach(func(_, choice gjson.Result) bool {
		if e := d.choice(choice); e.Exists() {
			failed = e
		}
		return true
	})
	return failed
}

// topFailure reports whether a field at the top of an event says that the call failed.
func topFailure(key string, v gjson.Result) bool {
	if key == "base_resp" {
		return v.Get("status_code").Int() != 0
	}
	return wire.IsFailure(v)
}

// choice takes one choice and gives the error in it, if any.
func (d *decoder) choice(c gjson.Result) (failed gjson.Result) {
	var index, delta, message, text, finish, usage, failure gjson.Result
	c.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "index":
			index = v
		case "delta":
			delta = v
		case "message":
			message = v
		case "text":
			text = v
		case "finish_reason":
			finish = v
		case "usage":
			usage = v
		case "error":
			failure = v
		}
		return true
	})
	if index.Type == gjson.Number && index.Num > 0 {
		return failed // only one answer was asked for
	}
	if !delta.IsObject() {
		delta = message
	}
	if delta.IsObject() {
		d.delta(delta)
	}
	d.Text(text)
	if finish.Type != gjson.Null {
		d.Finish(finish.String())
	}
	d.counts.Take(usage)
	if wire.IsFailure(failure) {
		failed = c
	}
	return failed
}
