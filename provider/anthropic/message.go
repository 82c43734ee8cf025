package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// memory is the data of an opaque part: what belongs to a block beside its text.
type memory struct {
	Signature *string         `json:"signature,omitempty"` // of thoughts; "" where the server signs none
	Citations json.RawMessage `json:"citations,omitempty"` // of a text
	Block     json.RawMessage `json:"block,omitempty"`     // all of a block that nobody but the server reads
}

// own reports whether a part belongs to this very model.
func (m *model) own(o *agent.Opaque) bool { return o != nil && o.Origin == m.Info().Origin() }

// recall reads what belongs to a part, nothing if it is not this model's.
func (m *model) recall(o *agent.Opaque) (mem memory, ok bool) {
	if !m.own(o) || json.Unmarshal(o.Data, &mem) != nil {
		return memory{}, false
	}
	return mem, true
}

// Words where the protocol wants a message of the user and there is none.
const (
	opening = "[The beginning of the conversation was left out.]"
	goOn    = "Continue."
)

// messages writes the history, repaired for this protocol.
func (m *model) messages(out []byte, req *agent.Request) []byte {
	w := writer{m: m, out: append(out, '['), tools: len(req.Tools) > 0}
	msgs := wire.Outbound(req.Messages, wire.OutboundOptions{Origin: m.Info().Origin(), IDs: wire.IDAnthropic, UserLast: true})
	for i := range msgs {
		w.message(&msgs[i])
	}
	w.pictures()
	switch last := len(msgs) - 1; {
	case w.role == "":
		w.text(opening)
	case w.role == agent.Assistant && msgs[last].Stop != "" && msgs[last].Stop != agent.StopPause:
		w.text(goOn) // an answer can only be gone on with where it paused
	}
	w.close()
	return append(w.marked(), ']')
}

// writer writes messages block by block. Neighbours of one role become one message.
type writer struct {
	m     *model
	out   []byte
	tools bool       // some are offered
	role  agent.Role // of the open message; "" = none yet
	last  int        // where the last block of the open message closes
	marks []int      // the same of every closed message of the user
	after []agent.Part
}

// begin begins a block in a message of the role.
func (w *writer) begin(role agent.Role) {
	if w.role == role {
		w.out = append(w.out, ',')
		return
	}
	if w.role == "" && role == agent.Assistant { // the user has the first word
		w.text(opening)
	}
	if w.role != "" {
		w.close()
		w.out = append(w.out, ',')
	}
	w.role = role
	w.out = append(w.out, `{"role":"`...)
	w.out = append(w.out, role...)
	w.out = append(w.out, `","content":[`...)
}

// end ends a block.
func (w *writer) end() {
	w.last = len(w.out)
	w.out = append(w.out, '}')
}

// close ends the open message.
func (w *writer) close() {
	w.out = append(w.out, "]}"...)
	if w.role == agent.User {
		w.marks = append(w.marks, w.last)
	}
}

// marked sets the cache marks: at the end of the last message of the user, and of the one before, with which the request
// before this one ended.
func (w *writer) marked() []byte {
	for _, at := range slices.Backward(w.marks[max(0, len(w.marks)-2):]) {
		w.out = slices.Insert(w.out, at, []byte(mark[:len(mark)-1])...)
	}
	return w.out
}

func (w *writer) message(msg *agent.Message) {
	if msg.Role != agent.ToolRole {
		w.pictures()
	}
	switch msg.Role {
	case agent.ToolRole:
		if r := msg.Result(); r != nil {
			w.result(r)
		}
	case agent.Assistant:
		w.assistant(msg)
	case agent.User, agent.System:
		for i := range msg.Parts {
			w.userPart(&msg.Parts[i])
		}
	}
}

// text writes what the user says. Empty blocks are refused.
func (w *writer) text(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	w.begin(agent.User)
	w.textBlock(text)
	w.end()
}

func (w *writer) textBlock(text string) {
	w.out = append(w.out, `{"type":"text","text":`...)
	w.out = wire.AppendString(w.out, text)
}

func (w *writer) userPart(p *agent.Part) {
	switch {
	case p.Kind == agent.Text:
		w.text(p.Text)
	case p.Kind == agent.BlobKind && p.Blob != nil:
		w.begin(agent.User)
		w.blob(p.Blob)
		w.end()
	}
}

// blob writes the block of an attachment but its end.
func (w *writer) blob(b *agent.Blob) {
	if words, ok := wire.InWords(b); ok {
		w.textBlock(words)
		return
	}
	switch mime := strings.ToLower(b.MIME); mime {
	case "image/jpeg", "image/jpg", "image/png", "image/gif", "image/webp":
		w.out = append(w.out, `{"type":"image","source":`...)
		w.source(b, strings.Replace(mime, "jpg", "jpeg", 1))
	case "application/pdf":
		w.out = append(w.out, `{"type":"document","source":`...)
		w.source(b, mime)
		if b.Name != "" {
			w.out = append(w.out, `,"title":`...)
			w.out = wire.AppendString(w.out, b.Name)
		}
	default: // refused, and with it every later request
		w.textBlock(wire.LeftOut(b))
	}
}

func (w *writer) source(b *agent.Blob, mime string) {
	if len(b.Data) == 0 {
		w.out = append(w.out, `{"type":"url","url":`...)
		w.out = append(wire.AppendString(w.out, b.URI), '}')
		return
	}
	w.out = append(w.out, `{"type":"base64","media_type":"`...)
	w.out = append(w.out, mime...)
	w.out = append(w.out, `","data":"`...)
	w.out = append(w.out, wire.Base64(b)...)
	w.out = append(w.out, `"}`...)
}

// result writes a result. Attachments stand in it, unless it is an error, which may hold text alone: then they follow.
func (w *writer) result(r *agent.Result) {
	rich := false
	parts := make([]agent.Part, 0, len(r.Parts))
	for _, p := range r.Parts {
		switch {
		case p.Kind == agent.Text && p.Text != "":
		case p.Kind != agent.BlobKind || p.Blob == nil:
			continue
		case !w.m.Config.Info.Takes(p.Blob.MIME): // from the time of another model
			p = agent.TextPart(wire.LeftOut(p.Blob))
		case r.Error:
			w.after = append(w.after, p)
			continue
		default:
			rich = true
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		parts = append(parts, agent.TextPart("(no output)"))
	}
	w.begin(agent.User)
	w.out = append(w.out, `{"type":"tool_result","tool_use_id":`...)
	w.out = wire.AppendString(w.out, r.CallID)
	w.out = append(w.out, `,"content":`...)
	if rich {
		w.list(parts)
	} else {
		w.out = wire.AppendString(w.out, wire.Joined(parts))
	}
	if r.Error {
		w.out = append(w.out, `,"is_error":true`...)
	}
	w.end()
}

// list writes the content of a result with attachments.
func (w *writer) list(parts []agent.Part) {
	w.out = append(w.out, '[')
	for i, p := range parts {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if p.Kind == agent.BlobKind {
			w.blob(p.Blob)
		} else {
			w.textBlock(p.Text)
		}
		w.out = append(w.out, '}')
	}
	w.out = append(w.out, ']')
}

// pictures writes the attachments of the failed results before.
func (w *writer) pictures() {
	if len(w.after) == 0 {
		return
	}
	w.text("Attachments of the tool results above:")
	for i := range w.after {
		w.userPart(&w.after[i])
	}
	w.after = nil
}
