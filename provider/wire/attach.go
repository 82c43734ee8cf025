package wire

import (
	"react-agent/agent"
)

// Swap gives a history in which each attachment, of messages and of results, is what with makes of it: nil leaves it as it
// is, else another part stands in its place. msg is the place of its message. msgs is not changed, and what holds no
// attachment is shared with it.
func Swap(msgs []agent.Message, with func(msg int, p *agent.Part) *agent.Part) []agent.Message {
	out := msgs
	for i := range msgs {
		parts, changed := swapParts(msgs[i].Parts, func(p *agent.Part) *agent.Part { return with(i, p) })
		if !changed {
			continue
		}
		if &out[0] == &msgs[0] {
			out = append([]agent.Message(nil), msgs...)
		}
		out[i].Parts = parts
	}
	return out
}

func swapParts(parts []agent.Part, with func(*agent.Part) *agent.Part) (out []agent.Part, changed bool) {
	out = parts
	for i, p := range parts {
		var q *agent.Part
		switch {
		case p.Kind == agent.BlobKind && p.Blob != nil:
			q = with(&p)
		case p.Kind == agent.ResultOf && p.Result != nil:
			if inner, ok := swapParts(p.Result.Parts, with); ok {
				r := *p.Result
				r.Parts = inner
				q = &p
				q.Result = &r
			}
		}
		if q == nil {
			continue
		}
		if !changed {
			out, changed = append([]agent.Part(nil), parts...), true
		}
		out[i] = *q
	}
	return out, changed
}

// Readable gives what stands for an attachment before a model with these abilities: nil is the attachment itself, which
// the model takes and its wire has to spell; else it is text: a file of text in words, or a line that says why there is
// nothing. It depends on nothing but what it is given, so that a longer history continues the bytes of a shorter one.
func Readable(info agent.ModelInfo, b *agent.Blob) *agent.Part {
	words, ok := InWords(b)
	switch {
	case ok:
	case info.Takes(b.MIME):
		return nil
	default:
		words = LeftOut(b)
	}
	p := agent.TextPart(words)
	return &p
}
