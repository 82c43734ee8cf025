package completions

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// openCall is a call that is being streamed.
type openCall struct {
	id, name string
	index    int64
	indexed  bool
	args     wire.Args
	join     joiner
	extra    map[string]json.RawMessage
	batch    int // the delta that touched it last
	at       int // index of its part, -1 = nothing of it was sent
}

// piece is one delta of a call.
type piece struct {
	id, name string
	index    int64
	indexed  bool
	args     gjson.Result
	extra    map[string]json.RawMessage
}

// callDelta takes one element of tool_calls.
func (d *decoder) callDelta(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	var p piece
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "index":
			p.index, p.indexed = f.Int(), f.Type == gjson.Number || f.Type == gjson.String && f.Str != ""
		case "id":
			p.id = word(f)
		case "function", "custom":
			p.function(f)
		case "name":
			p.name = word(f)
		case "arguments":
			p.args = f
		case "extra_content", "thought_signature", "provider_specific_fields", "signature":
			if f.Type != gjson.Null && f.Raw != `""` && f.Raw != "{}" {
				if p.extra == nil {
					p.extra = map[string]json.RawMessage{}
				}
				p.extra[key.Str] = json.RawMessage(f.Raw)
			}
		}
		return true
	})
	d.piece(&p)
}

// functionDelta takes the old form, in which there is one call without an id.
func (d *decoder) functionDelta(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	p := piece{indexed: true}
	p.function(v)
	d.piece(&p)
}

func (p *piece) function(v gjson.Result) {
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "name":
			p.name = word(f)
		case "arguments", "input", "parameters":
			p.args = f
		}
		return true
	})
}

// word is a string, or a number where a string should be.
func word(v gjson.Result) string {
	if v.Type == gjson.String || v.Type == gjson.Number {
		return v.String()
	}
	return ""
}

// piece adds one delta to the call it belongs to.
func (d *decoder) piece(p *piece) {
	c := d.callFor(p)
	if c == nil {
		return
	}
	d.last, c.batch = c, d.batch
	change := agent.Call{}
	if c.id == "" && p.id != "" {
		c.id, change.ID = p.id, p.id
	}
	if name := d.longerName(c.name, p.name); name != c.name {
		c.name, change.Name = name, name
	}
	for key, v := range p.extra {
		if c.extra == nil {
			c.extra = map[string]json.RawMessage{}
		}
		c.extra[key] = v
	}
	text := p.args.Raw
	if p.args.Type != gjson.JSON {
		text = c.join.text(p.args)
	}
	c.args.Add(text)
	d.sendCall(c, change, text)
}

// sendCall passes on what is new of a call. The first time that is everything.
func (d *decoder) sendCall(c *openCall, change agent.Call, text string) {
	if c.at < 0 {
		if c.name == "" && c.args.Text() == "" {
			return // an id alone may be a phantom
		}
		c.at = d.part()
		change.ID, change.Name = c.id, c.name
	} else if change.ID == "" && change.Name == "" && text == "" {
		return
	}
	p := &agent.Part{Kind: agent.CallKind, Text: text}
	if change.ID != "" || change.Name != "" {
		p.Call = &change
	}
	d.send(agent.Chunk{Index: c.at, Part: p})
}

// again sends all of a call once more, after a reset.
func (d *decoder) again(c *openCall) {
	if c.at >= 0 {
		c.at = -1
		d.sendCall(c, agent.Call{}, c.args.Text())
	}
}

// longerName adds a piece to a name. Most vendors send it once; some repeat it, some stream it.
func (d *decoder) longerName(name, piece string) string {
	switch {
	case piece == "":
		return name
	case name == "":
		return piece
	case piece == name:
		if _, whole := wire.ToolName(name, d.tools); !whole {
			if _, ok := wire.ToolName(name+piece, d.tools); ok {
				return name + piece
			}
		}
		return name
	case strings.HasPrefix(piece, name):
		return piece
	}
	return name + piece
}

// callFor finds the call a delta belongs to, or opens one: by id, then by index, then the one that was open last.
func (d *decoder) callFor(p *piece) *openCall {
	if c := d.byID(p); c != nil {
		return c
	}
	if c := d.byPlace(p); c != nil {
		return c
	}
	if p.id == "" && p.name == "" && (!p.args.Exists() || p.args.Type == gjson.Null || p.args.Raw == `""`) {
		return nil
	}
	if len(d.calls) >= agent.MaxParts/2 {
		return nil
	}
	c := &openCall{index: p.index, indexed: p.indexed, at: -1}
	if p.id != "" && d.idTaken(p.id) { // two calls under one id: the second gets a new one
		c.id = inventID()
		p.id = ""
	}
	d.calls = append(d.calls, c)
	return c
}

func (d *decoder) idTaken(id string) bool {
	for _, c := range d.calls {
		if c.id == id {
			return true
		}
	}
	return false
}

// byID finds the call with the delta's id.
func (d *decoder) byID(p *piece) *openCall {
	if p.id == "" {
		return nil
	}
	for _, c := range slices.Backward(d.calls) {
		if c.id != p.id {
			continue
		}
		if p.indexed && c.indexed && p.index != c.index && p.name != "" {
			return nil
		}
		return c
	}
	return nil
}

// byPlace finds the call that the delta continues by its index, or by coming next.
func (d *decoder) byPlace(p *piece) *openCall {
	c := d.last
	if p.indexed {
		c = nil
		for i := len(d.calls) - 1; i >= 0 && c == nil; i-- {
			if d.calls[i].indexed && d.calls[i].index == p.index {
				c = d.calls[i]
			}
		}
	}
	if c == nil || !d.continues(c, p) {
		return nil
	}
	return c
}

// continues reports whether a delta whose id is unknown, or missing, goes on with a call.
func (d *decoder) continues(c *openCall, p *piece) bool {
	switch {
	case p.id != "" && c.id != "":
		return p.newID(c)
	case p.name == "":
		return true
	case c.batch == d.batch && c.name != "":
		return false // two elements of one delta are two calls
	case c.args.Complete() && p.begins():
		return p.name == c.name && (!json.Valid([]byte(p.args.String())) || p.args.String() == c.args.Text())
	case c.name == "" || p.name == c.name || p.indexed:
		return true
	}
	return !known(c.name, d.tools)
}

// begins reports whether arguments start here.
func (p *piece) begins() bool { return strings.HasPrefix(strings.TrimSpace(p.args.String()), "{") }

// newID reports whether a piece goes on with a call although it has another id. An id that was never seen opens a call,
// unless the server makes one up for every piece.
func (p *piece) newID(c *openCall) bool {
	if !p.indexed || p.begins() || !p.args.Exists() || p.args.Raw == `""` {
		return false
	}
	return p.name == "" || p.name == c.name && !c.args.Complete()
}

// dropPhantoms forgets calls of which nothing but an id has come.
func (d *decoder) dropPhantoms() {
	kept := d.calls[:0]
	for _, c := range d.calls {
		if c.name != "" || strings.TrimSpace(c.args.Text()) != "" {
			kept = append(kept, c)
		}
	}
	d.calls = kept
}

// addText adds calls that were written as text.
func (d *decoder) addText(calls []wire.TextCall) {
	for _, t := range calls {
		c := &openCall{id: t.ID, name: t.Name, at: -1}
		if c.id != "" && d.idTaken(c.id) {
			c.id = ""
		}
		c.args.Add(t.Args)
		d.calls = append(d.calls, c)
		d.sendCall(c, agent.Call{}, t.Args)
	}
}

// settle gives a call its final name, id and arguments.
func (d *decoder) settle(c *openCall, cut bool) {
	if rest := c.join.flush(); rest != "" {
		c.args.Add(rest)
		d.sendCall(c, agent.Call{}, rest)
	}
	change := agent.Call{}
	if c.id == "" {
		change.ID = inventID()
		c.id = change.ID
	}
	if name, ok := wire.ToolName(c.name, d.tools); ok && name != c.name {
		change.Name = name
		c.name = name
	}
	args, ok := c.args.Clean(cut)
	if ok && d.expand(c, args) {
		return
	}
	if ok && string(args) != c.args.Text() {
		change.Args = args
	}
	p := &agent.Part{Kind: agent.CallKind, Opaque: d.callOpaque(c)}
	if change.ID != "" || change.Name != "" || change.Args != nil {
		p.Call = &change
	}
	if p.Call != nil || p.Opaque != nil {
		d.send(agent.Chunk{Index: c.at, Part: p})
	}
}

// callOpaque is what has to go back beside the call.
func (d *decoder) callOpaque(c *openCall) *agent.Opaque {
	if len(c.extra) == 0 {
		return nil
	}
	data, err := agent.EncodeJSON(c.extra)
	if err != nil {
		d.m.Logger.Warn("what belongs to a call cannot be kept", "error", err)
		return nil
	}
	return &agent.Opaque{Origin: d.m.Info().Origin(), Data: data}
}

// expand replaces a call of the vendor's own wrapper for parallel calls by the calls in it, if all of them are of offered
// tools.
func (d *decoder) expand(c *openCall, args json.RawMessage) bool {
	if name := strings.TrimPrefix(c.name, "functions."); name != "multi_tool_use.parallel" && name != "multi_tool_use_parallel" || known(c.name, d.tools) {
		return false
	}
	var wrapper struct {
		Uses []struct {
			Name string          `json:"recipient_name"`
			Args json.RawMessage `json:"parameters"`
		} `json:"tool_uses"`
	}
	if json.Unmarshal(args, &wrapper) != nil || len(wrapper.Uses) == 0 {
		return false
	}
	for i, u := range wrapper.Uses {
		name, ok := wire.ToolName(u.Name, d.tools)
		if !ok {
			return false
		}
		wrapper.Uses[i].Name = name
	}
	at := c.at
	for _, u := range wrapper.Uses {
		inner, ok := wire.CleanArgs(string(u.Args), false)
		if !ok {
			inner = u.Args
		}
		d.send(agent.Chunk{Index: at, Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: inventID(), Name: u.Name, Args: inner}}})
		at = d.part()
	}
	return true
}

func known(name string, tools []agent.Tool) bool {
	_, ok := wire.ToolName(name, tools)
	return ok
}

// inventID makes an id for a call that came without one.
func inventID() string { return "call_" + strings.ToLower(rand.Text())[:20] }
