package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
)

// Name is the hook's name, the From of its messages, and the beginning of its keys in a session's State.
const Name = "skill"

const (
	invokedKey = Name + "/invoked/"
	launchKey  = Name + "/launch/"
	forkKey    = Name + "/fork" // the skill whose sub-agent this is
)

// Invocation is a skill whose text entered a conversation.
type Invocation struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Text is the beginning of what was given to the model, Size the bytes of all of it.
	Text string `json:"text"`
	Size int    `json:"size"`
	Hash string `json:"hash"` // of all of it
	// Seq and Nth order invocations: the number of the message with the call, and the call's place in it.
	Seq int64 `json:"seq"`
	Nth int   `json:"nth,omitempty"`
	// What the header asks for in the turn of the invocation.
	Allowed    []string `json:"allowed,omitempty"`
	Disallowed []string `json:"disallowed,omitempty"`
	Model      string   `json:"model,omitempty"`
	Effort     string   `json:"effort,omitempty"`
}

// The bounds of what is given again after a compaction, in tokens, counted as four bytes each.
const (
	tokenBytes   = 4
	eachTokens   = 5000
	togetherMost = 25_000
)

func (k *Skill) invocation(text string, at spot) Invocation {
	return Invocation{
		Name: k.Name, Path: k.File, Text: headBytes(text, eachTokens*tokenBytes), Size: len(text), Hash: hash(text), Seq: at.seq, Nth: at.nth,
		Allowed: k.AllowedTools, Disallowed: k.DisallowedTools, Model: k.Model, Effort: k.Effort,
	}
}

// spot is where a call stands in its conversation.
type spot struct {
	seq int64
	nth int
}

// placeOf reads a call's key: session/seq.n.
func placeOf(key string) spot {
	at := key[strings.LastIndex(key, "/")+1:]
	seq, nth, _ := strings.Cut(at, ".")
	var p spot
	p.seq, _ = strconv.ParseInt(seq, 10, 64) // an odd key sorts first
	p.nth, _ = strconv.Atoi(nth)
	return p
}

func sessionOf(key string) string {
	return key[:max(0, strings.LastIndex(key, "/"))]
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// headBytes is the beginning of s, in whole characters.
func headBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// state is what an event has to carry for the invocation to be remembered.
func (v Invocation) state() map[string]json.RawMessage {
	raw, err := agent.EncodeJSON(v)
	if err != nil { // it is texts and numbers
		raw = []byte("null")
	}
	return map[string]json.RawMessage{invokedKey + NormalizeSkillName(v.Name): raw}
}

// Invoked lists the skills that a session has invoked, the last one first. It survives any number of compactions.
func Invoked(s *agent.Session) []Invocation {
	var out []Invocation
	for key, raw := range s.State {
		var v Invocation
		if strings.HasPrefix(key, invokedKey) && json.Unmarshal(raw, &v) == nil {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b Invocation) int {
		if a.Seq != b.Seq {
			return int(max(-1, min(1, b.Seq-a.Seq)))
		}
		if a.Nth != b.Nth {
			return b.Nth - a.Nth
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}

// Forget is the State that an event has to carry so that a session knows of no invoked skill any more, as after /clear.
func Forget(s *agent.Session) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	for key := range s.State {
		if strings.HasPrefix(key, Name+"/") {
			if out == nil {
				out = map[string]json.RawMessage{}
			}
			out[key] = json.RawMessage("null")
		}
	}
	return out
}

// Reattach is the text about invoked skills that belongs into the conversation after a compaction; empty if there are
// none. The last invoked come first and go in whole up to 5,000 tokens each, 25,000 together; of the others the names are
// told.
func Reattach(s *agent.Session) string {
	list := Invoked(s)
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<invoked_skills>\nThese skills were loaded before and still hold.\n")
	left := togetherMost * tokenBytes
	var rest []string
	for _, v := range list {
		text := headBytes(v.Text, min(left, eachTokens*tokenBytes))
		if text == "" && v.Text != "" {
			rest = append(rest, v.Name)
			continue
		}
		left -= len(text)
		b.WriteString("\n<skill name=" + strconv.Quote(v.Name) + " path=" + strconv.Quote(v.Path) + ">\n" + text)
		if len(text) < v.Size {
			b.WriteString("\n[the rest of this skill was left out; load it again to see it]")
		}
		b.WriteString("\n</skill>\n")
	}
	if len(rest) > 0 {
		b.WriteString("\nAlso loaded before, load again when needed: " + strings.Join(rest, ", ") + "\n")
	}
	b.WriteString("</invoked_skills>")
	return b.String()
}

// Active lists the skills that were invoked since the person last spoke: what their headers ask for holds now.
func Active(s *agent.Session) []Invocation {
	since := max(spoke(s), turnOf(s))
	return slices.DeleteFunc(Invoked(s), func(v Invocation) bool { return v.Seq < since })
}

// spoke is the number of the person's last message in the window.
func spoke(s *agent.Session) int64 {
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if m := &s.Messages[i]; m.Role == agent.User && m.From == "" {
			return m.Seq
		}
	}
	return 0
}

const turnKey = Name + "/turn"

func turnOf(s *agent.Session) (seq int64) {
	_ = json.Unmarshal(s.State[turnKey], &seq) // nothing yet: 0
	return seq
}

// turned remembers when the person last spoke, in a conversation with a skill whose header asks for something: that message
// may leave the window, and then what a skill of an earlier turn asks for must not hold again.
func turned(s *agent.Session, n *agent.Note) *agent.Note {
	at := spoke(s)
	asks := func(v Invocation) bool {
		return len(v.Allowed)+len(v.Disallowed) > 0 || v.Model != "" || v.Effort != ""
	}
	if at <= turnOf(s) || !slices.ContainsFunc(Invoked(s), asks) {
		return n
	}
	if n == nil {
		n = &agent.Note{}
	}
	n.State = join(n.State, map[string]json.RawMessage{turnKey: json.RawMessage(strconv.FormatInt(at, 10))})
	return n
}

// present says whether the whole text of an invocation stands in the conversation.
func (v *Invocation) present(s *agent.Session) bool {
	has := func(parts []agent.Part) bool {
		return slices.ContainsFunc(parts, func(p agent.Part) bool {
			return p.Kind == agent.Text && len(p.Text) == v.Size && hash(p.Text) == v.Hash
		})
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		if has(m.Parts) || m.Role == agent.ToolRole && has(m.Result().Parts) {
			return true
		}
	}
	return false
}
