package wire

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// openCall is a call that is being streamed.
type openCall struct {
	id, name string
	index    int64
	indexed  bool
	args     Args
	join     joiner
	extra    map[string]json.RawMessage
	batch    int // the delta that touched it last
	at       int // index of its part, -1 = nothing of it was sent
}

// maxCalls bounds the calls of a message; what comes behind them is left out.
const maxCalls = agent.MaxParts / 2

// Piece is one delta of a call, or all of it. Fields that did not come stay zero.
type Piece struct {
	ID, Name string
	Index    int64 // counts if Indexed
	Indexed  bool
	Args     gjson.Result               // a JSON string with a piece of the arguments, or the arguments as a value
	Whole    bool                       // Args are all of them once more; a whole object replaces the pieces that came
	Extra    map[string]json.RawMessage // what has to go back beside the call
}

// Batch says that the pieces that follow come in a new delta: two nameless pieces of one delta are two calls.
func (d *Draft) Batch() { d.batch++ }

// Call adds a piece to the call it belongs to: by id, else by index, else the last one that is open.
func (d *Draft) Call(p Piece) { d.piece(&p) }

// Arguments are what has come of the arguments of the call with an index. They must not be changed.
func (d *Draft) Arguments(index int64) *Args {
	for _, c := range slices.Backward(d.calls) {
		if c.indexed && c.index == index {
			return &c.args
		}
	}
	return &Args{}
}

// piece adds one delta to the call it belongs to.
func (d *Draft) piece(p *Piece) {
	if !p.Whole {
		d.Keep(len(p.Args.Raw))
	}
	c := d.callFor(p)
	if c == nil {
		return
	}
	d.last, c.batch = c, d.batch
	change := agent.Call{}
	if c.id == "" && p.ID != "" {
		c.id, change.ID = p.ID, p.ID
	}
	if name := d.longerName(c.name, p.Name); name != c.name {
		c.name, change.Name = name, name
	}
	for key, v := range p.Extra {
		if c.extra == nil {
			c.extra = map[string]json.RawMessage{}
		}
		c.extra[key] = v
	}
	if p.Whole && !c.args.Empty() {
		d.sendCall(c, c.replace(p.Args, change), "")
		return
	}
	text := p.Args.Raw
	if p.Args.Type != gjson.JSON {
		text = c.join.text(p.Args)
	}
	c.args.Add(text)
	d.sendCall(c, change, text)
}

// replace takes all of the arguments of a call of which pieces have come. They count if they are a whole object: whatever
// else a server repeats there (nothing, {}, the end alone) says less than the pieces. Pieces that make a whole object stand:
// another one is another call's.
func (c *openCall) replace(v gjson.Result, change agent.Call) agent.Call {
	text := v.Raw
	if v.Type != gjson.JSON {
		text = v.Str
	}
	var all Args
	all.Add(text)
	if !c.args.Complete() && all.Complete() {
		c.join, c.args, change.Args = joiner{}, all, json.RawMessage(text)
	}
	return change
}

// sendCall passes on what is new of a call. The first time that is everything.
func (d *Draft) sendCall(c *openCall, change agent.Call, text string) {
	if c.at < 0 {
		if c.name == "" && c.args.Empty() {
			return // an id alone may be a phantom
		}
		c.at = d.part()
		change.ID, change.Name = c.id, c.name
	} else if change.ID == "" && change.Name == "" && change.Args == nil && text == "" {
		return
	}
	p := &agent.Part{Kind: agent.CallKind, Text: text}
	if change.ID != "" || change.Name != "" || change.Args != nil {
		first := change // few pieces change more than the arguments
		p.Call = &first
	}
	d.send(agent.Chunk{Index: c.at, Part: p})
}

// again sends all of a call once more, after a reset.
func (d *Draft) again(c *openCall) {
	if c.at >= 0 {
		c.at = -1
		d.sendCall(c, agent.Call{}, c.args.Text())
	}
}

// maxName is where a name in pieces stops growing, in bytes: no tool is called like that.
const maxName = 1024

// longerName adds a piece to a name. Most vendors send it once; some repeat it, some stream it.
func (d *Draft) longerName(name, piece string) string {
	switch {
	case piece == "":
		return name
	case name == "":
		return piece
	case piece == name:
		if _, whole := ToolName(name, d.tools); !whole {
			if _, ok := ToolName(name+piece, d.tools); ok {
				return name + piece
			}
		}
		return name
	case len(name) > maxName:
		return name
	case strings.HasPrefix(piece, name):
		return piece
	}
	return name + piece
}

// callFor finds the call a delta belongs to, or opens one: by id, then by index, then the one that was open last.
func (d *Draft) callFor(p *Piece) *openCall {
	if c := d.byID(p); c != nil {
		return c
	}
	if c := d.byPlace(p); c != nil {
		return c
	}
	if p.ID == "" && p.Name == "" && (!p.Args.Exists() || p.Args.Type == gjson.Null || p.Args.Raw == `""`) {
		return nil
	}
	if len(d.calls) >= maxCalls {
		return nil
	}
	c := &openCall{index: p.Index, indexed: p.Indexed, at: -1}
	if p.ID != "" && d.idTaken(p.ID) { // two calls under one id: the second gets a new one
		c.id = inventID()
		p.ID = ""
	}
	d.calls = append(d.calls, c)
	return c
}

func (d *Draft) idTaken(id string) bool {
	for _, c := range d.calls {
		if c.id == id {
			return true
		}
	}
	return false
}

// byID finds the call with the delta's id.
func (d *Draft) byID(p *Piece) *openCall {
	if p.ID == "" {
		return nil
	}
	for _, c := range slices.Backward(d.calls) {
		if c.id != p.ID {
			continue
		}
		if p.Indexed && c.indexed && p.Index != c.index && p.Name != "" {
			return nil
		}
		return c
	}
	return nil
}

// byPlace finds the call that the delta continues by its index, or by coming next.
func (d *Draft) byPlace(p *Piece) *openCall {
	c := d.last
	if p.Indexed {
		c = nil
		for i := len(d.calls) - 1; i >= 0 && c == nil; i-- {
			if d.calls[i].indexed && d.calls[i].index == p.Index {
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
func (d *Draft) continues(c *openCall, p *Piece) bool {
	switch {
	case p.ID != "" && c.id != "":
		return p.newID(c)
	case p.Name == "":
		return true
	case c.batch == d.batch && c.name != "":
		return false // two elements of one delta are two calls
	case p.begins() && c.args.Complete():
		return p.Name == c.name && (!json.Valid([]byte(p.Args.String())) || p.Args.String() == c.args.Text())
	case c.name == "" || p.Name == c.name || p.Indexed:
		return true
	}
	return !offered(c.name, d.tools)
}

// begins reports whether arguments start here.
func (p *Piece) begins() bool { return strings.HasPrefix(strings.TrimSpace(p.Args.String()), "{") }

// newID reports whether a piece goes on with a call although it has another id. An id that was never seen opens a call,
// unless the server makes one up for every piece.
func (p *Piece) newID(c *openCall) bool {
	if !p.Indexed || p.begins() || !p.Args.Exists() || p.Args.Raw == `""` {
		return false
	}
	return p.Name == "" || p.Name == c.name && !c.args.Complete()
}

// dropPhantoms forgets calls of which nothing but an id has come.
func (d *Draft) dropPhantoms() {
	kept := d.calls[:0]
	for _, c := range d.calls {
		if c.name != "" || strings.TrimSpace(c.args.Text()) != "" {
			kept = append(kept, c)
		}
	}
	d.calls = kept
}

// addText adds calls that were written as text.
func (d *Draft) addText(calls []TextCall) {
	for _, t := range calls {
		if len(d.calls) >= maxCalls {
			return
		}
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
func (d *Draft) settle(c *openCall, cut bool) {
	if rest := c.join.flush(); rest != "" {
		c.args.Add(rest)
		d.sendCall(c, agent.Call{}, rest)
	}
	change := agent.Call{}
	if c.id == "" {
		change.ID = inventID()
		c.id = change.ID
	}
	if name, ok := ToolName(c.name, d.tools); ok && name != c.name {
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
func (d *Draft) callOpaque(c *openCall) *agent.Opaque {
	if len(c.extra) == 0 {
		return nil
	}
	data, err := agent.EncodeJSON(c.extra)
	if err != nil {
		d.c.Logger.Warn("what belongs to a call cannot be kept", "error", err)
		return nil
	}
	return &agent.Opaque{Origin: d.c.Info().Origin(), Data: data}
}

// expand replaces a call of the vendor's own wrapper for parallel calls by the calls in it, if all of them are of offered
// tools.
func (d *Draft) expand(c *openCall, args json.RawMessage) bool {
	if name := strings.TrimPrefix(c.name, "functions."); name != "multi_tool_use.parallel" && name != "multi_tool_use_parallel" || offered(c.name, d.tools) {
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
		name, ok := ToolName(u.Name, d.tools)
		if !ok {
			return false
		}
		wrapper.Uses[i].Name = name
	}
	at := c.at
	for _, u := range wrapper.Uses {
		inner, ok := CleanArgs(string(u.Args), false)
		if !ok {
			inner = u.Args
		}
		d.send(agent.Chunk{Index: at, Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: inventID(), Name: u.Name, Args: inner}}})
		at = d.part()
	}
	return true
}

// offered reports whether a name means an offered tool.
func offered(name string, tools []agent.Tool) bool {
	_, ok := ToolName(name, tools)
	return ok
}

// inventID makes an id for a call that came without one.
func inventID() string { return "call_" + strings.ToLower(rand.Text())[:20] }
