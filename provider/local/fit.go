package local

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// share is what of a window stands where, in tokens.
type share struct {
	system, tools, history int
	last, images           int // counted in history too: the newest message, and all pictures
}

func (s share) sum() int { return s.system + s.tools + s.history }

// perMessage is what a template puts around a message, perImage what a picture takes, both roughly.
const (
	perMessage = 6
	perImage   = 800
)

// weigh estimates a request as a small server's template makes it, which is no measure of other vendors' windows: thoughts
// are left out, texts of attachments are written out, pictures are small.
func weigh(req *agent.Request) share {
	s := share{system: text.Tokens(req.System)}
	if s.system > 0 {
		s.system += perMessage
	}
	for i := range req.Tools {
		t := &req.Tools[i]
		s.tools += text.Tokens(t.Shown()) + text.Tokens(t.Doc) + text.Tokens(string(t.Schema)) + perMessage
	}
	for i := range req.Messages {
		n, pictures := weighParts(req.Messages[i].Parts)
		s.last = perMessage + n + pictures
		s.history += s.last
		s.images += pictures
	}
	return s
}

// weighParts estimates the texts and the pictures of a message. Thoughts count for nothing: most servers leave out those of
// earlier messages.
func weighParts(parts []agent.Part) (n, pictures int) {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Kind == agent.Text:
			n += text.Tokens(p.Text)
		case p.Kind == agent.CallKind && p.Call != nil:
			n += text.Tokens(p.Call.Name) + text.Tokens(string(p.Call.Args)) + perMessage
		case p.Kind == agent.ResultOf && p.Result != nil:
			text, more := weighParts(p.Result.Parts)
			n, pictures = n+text, pictures+more
		case p.Kind == agent.BlobKind && p.Blob != nil && strings.HasPrefix(p.Blob.MIME, "text/"):
			n += text.Tokens(string(p.Blob.Data))
		case p.Kind == agent.BlobKind && p.Blob != nil:
			pictures += perImage
		}
	}
	return n, pictures
}

// runesFor is how many characters of a text are about so many tokens.
func runesFor(s string, limit int) int {
	n := text.Tokens(s)
	if n == 0 {
		return 0
	}
	return max(1, len([]rune(s))*limit/n)
}

// room is what must be left for the answer.
func room(window int) int { return min(512, window/8) }

// A result may have a quarter of the window, at worst a sixteenth.
const (
	largest  = 4
	smallest = 16
)

// fitted is a request as it goes out.
type fitted struct {
	req   *agent.Request
	share share
	cut   int // results that were cut
	fresh int // of them those of the newest batch
	to    int // tokens that a cut result has
	part  int // of the window that a result may have
}

// fit makes a request fit a window: results of tools that alone would take that part of it are cut, if need be to half of it,
// down to the smallest, and the answer's limit is set so that both fit. ratio corrects the estimate; sure says that it
// comes from what the server has counted. False: it cannot be made to fit.
func fit(req *agent.Request, window, part int, ratio float64, sure bool, k facts) (fitted, bool) {
	if window <= 0 {
		return fitted{req: req, share: weigh(req), part: part}, true
	}
	var f fitted
	for ; part <= smallest; part *= 2 {
		f = cutResults(req, window/part)
		f.part = part
		if fits(f.share, window, ratio, sure, k) {
			f.req = limited(f, window, ratio, k)
			return f, true
		}
	}
	return f, false
}

// fit cuts no result of a conversation less than before, whatever the estimate is by now, so that the next request begins as
// this one. A conversation is known by how it begins.
func (s *Served) fit(req *agent.Request, window int, ratio float64, sure bool, k facts) (fitted, bool) {
	const most = 1024 // conversations whose cuts are kept; then all of them are forgotten
	id := beginning(req)
	s.mu.Lock()
	part := max(largest, s.parts[id])
	s.mu.Unlock()
	f, ok := fit(req, window, part, ratio, sure, k)
	if ok && f.part > part {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.parts == nil || len(s.parts) >= most {
			s.parts = map[[sha256.Size]byte]int{}
		}
		s.parts[id] = max(f.part, s.parts[id])
	}
	return f, ok
}

// beginning is a hash of how a conversation begins.
func beginning(req *agent.Request) [sha256.Size]byte {
	h := sha256.New()
	_, _ = io.WriteString(h, req.System)
	if len(req.Messages) > 0 {
		for _, p := range req.Messages[0].Parts {
			_, _ = io.WriteString(h, "\x00"+p.Text)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// fits judges by the estimate. While it is not sure it counts as what it may be at least: a request is not refused for a
// guess, and a server that knows better is left to say so itself.
func fits(s share, window int, ratio float64, sure bool, k facts) bool {
	need := float64(s.sum()) * ratio
	switch {
	case sure:
	case k.refuses:
		need *= 0.5
	default:
		need *= 0.8
	}
	return int(need)+room(window) <= window
}

// limited sets the limit of the answer to what the prompt leaves of the window. A server that ends an answer at the end of
// the window by itself is left to do that exactly.
func limited(f fitted, window int, ratio float64, k facts) *agent.Request {
	left := max(room(window), window-int(float64(f.share.sum())*ratio))
	if f.req.MaxOut > 0 && f.req.MaxOut <= left {
		return f.req
	}
	out := *f.req
	out.MaxOut = left
	if k.refuses {
		out.MaxOut = 0
	}
	return &out
}

// cutResults cuts every result over limit. What it becomes depends on nothing else, so that it is the same in the next
// request.
func cutResults(req *agent.Request, limit int) fitted {
	f := fitted{req: req, to: limit}
	newest := len(req.Messages)
	for newest > 0 && req.Messages[newest-1].Role == agent.ToolRole {
		newest--
	}
	var messages []agent.Message
	for i := range req.Messages {
		r := req.Messages[i].Result()
		if req.Messages[i].Role != agent.ToolRole || r == nil {
			continue
		}
		if n, _ := weighParts(r.Parts); n <= limit+limit/8 {
			continue
		}
		if messages == nil {
			messages = slices.Clone(req.Messages)
		}
		messages[i] = cutMessage(req.Messages[i], limit)
		f.cut++
		if i >= newest {
			f.fresh++
		}
	}
	if messages != nil {
		out := *req
		out.Messages = messages
		f.req = &out
	}
	f.share = weigh(f.req)
	return f
}

// cutMessage gives a copy of a result's message whose texts together are about limit tokens.
func cutMessage(m agent.Message, limit int) agent.Message {
	r := *m.Result()
	r.Parts = slices.Clone(r.Parts)
	whole := 0
	for i := range r.Parts {
		if r.Parts[i].Kind == agent.Text {
			whole += text.Tokens(r.Parts[i].Text)
		}
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		if n := text.Tokens(p.Text); p.Kind == agent.Text && n > 64 && whole > limit {
			p.Text = text.Cut(p.Text, runesFor(p.Text, limit*n/whole), "") + "\n" +
				fmt.Sprintf("[cut: a result may take %d tokens of this model's small window; ask for less at a time]", limit)
		}
	}
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		if m.Parts[i].Kind == agent.ResultOf {
			m.Parts[i].Result = &r
		}
	}
	return m
}

// tooLarge is the error for a request that cannot fit: what fills the window, and what to do.
func tooLarge(c catalogue, name string, window int, s share, ratio float64, k facts) string {
	n := func(v int) int { return int(float64(v) * ratio) }
	said := c.Text(msg.LocalTooLarge, name, window, n(s.sum()), n(s.system), n(s.tools), n(s.history), n(s.last))
	if k.grow != "" {
		said += "\n" + c.Text(msg.LocalGrow, k.grow)
	}
	return said + "\n" + c.Text(msg.LocalShrink)
}
