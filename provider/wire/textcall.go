package wire

import (
	"strings"

	"react-agent/agent"
)

// TextCall is a call that a model wrote into its text, because its server did not turn it into a structured one.
type TextCall struct {
	ID   string // only where the markup has one
	Name string
	Args string // as written: JSON, or what was meant to be
}

// TextCalls finds such calls while the text streams, in the dialects of about twenty families of models, and keeps their
// markup out of the text. It is only to be used when tools are offered.
//
//   - Tagged forms count for any name: an unknown one gets its error from the loop. Forms without a wrapper, and a
//     message that is nothing but one JSON object, count only for the names of offered tools.
//   - What stands in code (see [Code]) is an example and stays text. So does markup that turns out to be no call.
//   - Nothing is held back but what may be the beginning of a marker, a block that has begun, and white space until a
//     text follows it. Where the text is cut makes no difference.
//
// The zero value is not ready; use [NewTextCalls]. A TextCalls is for one message and not safe for concurrent use.
type TextCalls struct {
	tools   []agent.Tool
	special bool // only markers that no one types: for thoughts

	state  callState
	held   string // the beginning of a marker, or of a message that may be one bare call
	space  []byte // white space that no text has followed yet; in callStart, what came before held
	code   Code
	block  dialect
	buf    []byte // the block so far, with its marker
	quotes Quotes // at the end of buf
	first  byte   // of what stands in the block, 0 = not looked at
	tries  int    // closing tags so far that were found by reading a block to stand in a string
	undone int    // blocks that only the end of the message has closed
	calls  []TextCall
	raw    []byte // thoughts only: the markup of calls
	behind bool   // only white space since the last block
}

// maxTries bounds what is read more than once in a message. A block is read at each of its closing tags, until it is one
// that stands in no string; from then on only the quotes are followed. Of blocks that only the end of the message closes,
// what stands behind their first closing tag is looked at again; from then on a closing tag closes wherever it stands.
const maxTries = 50

type callState int

const (
	callStart callState = iota // nothing but white space yet: the message may be one bare call
	callText
	callBlock
	callBare // the message is a bare call as far as one can see
)

// dialect is a kind of block: how it begins and how it ends.
type dialect struct {
	open, close string
	bare        bool // no wrapper: only for names that are offered
	special     bool // made of tokens that no one types
}

func dialects() []dialect {
	return []dialect{
		{open: "<tool_call>", close: "</tool_call>"},
		{open: "<tool_calls>", close: "</tool_calls>"},
		{open: "<toolcall>", close: "</toolcall>"},
		{open: "<TOOLCALL>", close: "</TOOLCALL>"},
		{open: "<tool_use>", close: "</tool_use>"},
		{open: "<function_call>", close: "</function_call>"},
		{open: "<function_calls>", close: "</function_calls>"},
		{open: "<minimax:tool_call>", close: "</minimax:tool_call>"},
		{open: "<seed:tool_call>", close: "</seed:tool_call>"},
		{open: "<longcat_tool_call>", close: "</longcat_tool_call>"},
		{open: "<|tool_call|>", close: "<|/tool_call|>", special: true},
		{open: "<|tool_call_start|>", close: "<|tool_call_end|>", special: true},
		{open: "<|tools_prefix|>", close: "<|tools_suffix|>", special: true},
		{open: "<|action_start|>", close: "<|action_end|>", special: true},
		{open: "<|START_ACTION|>", close: "<|END_ACTION|>", special: true},
		{open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>", special: true},
		{open: "<|tool_call_section_begin|>", close: "<|tool_call_section_end|>", special: true},
		{open: "<|tool_call_begin|>", close: "<|tool_call_end|>", special: true},
		{open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>", special: true},
		{open: "<｜tool▁call▁begin｜>", close: "<｜tool▁call▁end｜>", special: true},
		{open: "<｜DSML｜tool_calls>", close: "</｜DSML｜tool_calls>", special: true},
		{open: "<｜DSML｜function_calls>", close: "</｜DSML｜function_calls>", special: true},
		{open: "<|python_start|>", close: "<|python_end|>", special: true},
		{open: "<|python_tag|>", special: true},
		{open: "[TOOL_CALLS]"},
		{open: "<|channel|>commentary to=", close: "<|call|>", special: true},
		{open: "<｜DSML｜invoke ", close: "</｜DSML｜invoke>", bare: true},
		{open: "<function=", close: "</function>", bare: true},
		{open: "<invoke ", close: "</invoke>", bare: true},
	}
}

// NewTextCalls makes a recogniser for a message in answer to a request that offered these tools.
func NewTextCalls(tools []agent.Tool) *TextCalls { return &TextCalls{tools: tools} }

// NewThoughtCalls makes a recogniser for thoughts. There only blocks of special tokens count, and only if they end the
// thoughts.
func NewThoughtCalls(tools []agent.Tool) *TextCalls {
	return &TextCalls{tools: tools, special: true, state: callText}
}

// Add takes the next piece of the text and emits what is certain to be text.
func (t *TextCalls) Add(s string, emit func(string)) {
	for s != "" {
		switch t.state {
		case callStart:
			s = t.start(s)
		case callText:
			s = t.text(s, emit)
		case callBlock:
			s = t.inBlock(s, emit)
		case callBare:
			t.buf = append(t.buf, s...)
			return
		}
	}
}

// Finish ends the message: it emits what turned out to be text and gives the calls. cut says that the output limit ended
// the message: a call that is not whole then has arguments that cannot be read.
func (t *TextCalls) Finish(cut bool, emit func(string)) []TextCall {
	switch t.state {
	case callBare:
		if calls := bareCalls(string(t.buf), t.tools); len(calls) > 0 && !cut {
			return calls
		}
		t.emit(string(t.buf), emit)
	case callBlock:
		t.endBlock(cut, emit)
	case callStart, callText:
		t.emit(t.takeHeld(), emit)
	}
	t.held, t.buf, t.state = "", nil, callText
	if len(t.calls) == 0 {
		t.emitSpace(emit)
	}
	t.space = nil
	return t.calls
}

// Pause says that a part of the text ends here: its white space stays with it, and no marker goes on behind it.
func (t *TextCalls) Pause(emit func(string)) {
	if t.state != callText {
		return
	}
	t.emit(t.takeHeld(), emit)
	if len(t.calls) == 0 {
		t.emitSpace(emit)
	}
}

// Found reports whether a call was found or may yet be.
func (t *TextCalls) Found() bool { return len(t.calls) > 0 || t.state == callBlock }

// Release gives up all calls and emits their markup: something has followed that shows that they were none.
func (t *TextCalls) Release(emit func(string)) {
	raw := string(t.raw) + t.takeHeld()
	if t.state == callBlock {
		raw += string(t.buf)
	}
	t.calls, t.raw, t.buf, t.state = nil, nil, nil, callText
	t.emit(raw, emit)
}

// emit passes on text, with the white space before it.
func (t *TextCalls) emit(s string, emit func(string)) {
	if s == "" {
		return
	}
	if len(t.raw) > 0 && strings.TrimSpace(s) != "" { // thoughts go on: the block before was an example
		s = string(t.raw) + string(t.space) + s
		t.space, t.raw, t.calls = nil, nil, nil
	}
	t.code.Feed(s)
	body := strings.TrimRight(s, " \t\r\n")
	if body == "" {
		t.space = append(t.space, s...)
		return
	}
	t.behind = false
	t.emitSpace(emit)
	t.space = append(t.space, s[len(body):]...)
	emit(body)
}

// emitSpace passes on the white space.
func (t *TextCalls) emitSpace(emit func(string)) {
	if len(t.space) > 0 {
		emit(string(t.space))
		t.space = t.space[:0]
	}
}

// takeHeld is what was not decided, which it now is.
func (t *TextCalls) takeHeld() string {
	s := t.held
	if t.state == callStart {
		s = string(t.space) + s
		t.space = nil
	}
	t.held = ""
	return s
}

// maxBareHead bounds how much of a message is looked at to see whether it may be one bare call, in bytes.
const maxBareHead = 4096

// start decides whether the message may be one bare call. The white space before it is looked at once.
func (t *TextCalls) start(s string) string {
	if t.held == "" {
		body := strings.TrimLeft(s, " \t\r\n")
		t.space = append(t.space, s[:len(s)-len(body)]...)
		s = body
	}
	t.held += s
	if t.held == "" {
		return ""
	}
	verdict := bareStart(t.held[:min(len(t.held), maxBareHead)], t.tools)
	if verdict == bareMore && len(t.held) < maxBareHead {
		return ""
	}
	s = t.takeHeld()
	if verdict == bareCall {
		t.state, t.buf = callBare, append(t.buf, s...)
		return ""
	}
	t.state = callText
	return s
}

// text looks for the next marker.
func (t *TextCalls) text(s string, emit func(string)) string {
	s = t.held + s
	t.held = ""
	code := t.code     // at from; t.code itself is fed by emit
	behind := t.behind // at from, like it
	for from := 0; ; {
		i := strings.IndexAny(s[from:], "<[")
		if i < 0 {
			t.emit(s, emit)
			return ""
		}
		code.Feed(s[from : from+i])
		behind = behind && strings.TrimSpace(s[from:from+i]) == ""
		from += i
		var d dialect
		var more bool
		if !code.In() {
			d, more = t.marker(s[from:])
		}
		drop, moreDrop := 0, false
		if behind {
			drop, moreDrop = orphan(s[from:])
		}
		switch {
		case d.open != "":
			t.emit(s[:from], emit)
			t.state, t.block, t.quotes, t.first = callBlock, d, Quotes{}, 0
			return s[from:]
		case drop > 0:
			t.emit(s[:from], emit)
			return s[from+drop:]
		case more || moreDrop:
			t.emit(s[:from], emit)
			t.held = s[from:]
			return ""
		}
		code.Feed(s[from : from+1])
		behind = false
		from++
	}
}

// marker looks for a dialect's opening at the start of s. more: s is the beginning of one.
func (t *TextCalls) marker(s string) (d dialect, more bool) {
	for _, d := range dialects() {
		if t.special && !d.special {
			continue
		}
		if len(s) < len(d.open) {
			more = more || d.open[:len(s)] == s
			continue
		}
		if !strings.HasPrefix(s, d.open) {
			continue
		}
		if !d.bare {
			return d, false
		}
		name, whole := bareName(s[len(d.open):])
		if _, ok := ToolName(name, t.tools); ok && whole {
			return d, false
		}
		return dialect{}, !whole
	}
	return dialect{}, more
}

// bareName reads the name of an opening tag: NAME> or name="NAME">. whole: nothing can follow that changes it.
func bareName(s string) (name string, whole bool) {
	const most = 100
	end := strings.IndexAny(s, ">\n<")
	if end < 0 {
		return "", len(s) > most
	}
	if s[end] != '>' || end > most {
		return "", true
	}
	s = s[:end]
	if i := strings.Index(s, "name="); i >= 0 {
		s = s[i+len("name="):]
		if len(s) > 0 && (s[0] == '"' || s[0] == '\'') {
			s, _, _ = strings.Cut(s[1:], s[:1])
		}
	}
	return strings.TrimSpace(s), true
}

// orphan is the length of a closing tag at the start of a text that follows a block: its opening tag was missing, or the
// block was one of several in it. more: the text is the beginning of one.
func orphan(rest string) (n int, more bool) {
	for _, d := range dialects() {
		switch {
		case d.close == "":
		case strings.HasPrefix(rest, d.close):
			return len(d.close), false
		case len(rest) < len(d.close) && d.close[:len(rest)] == rest:
			more = true
		}
	}
	return 0, more
}

// inBlock collects the block up to its end and gives what stands behind it.
func (t *TextCalls) inBlock(s string, emit func(string)) string {
	for s != "" {
		n, found := t.closing(s)
		t.buf = append(t.buf, s[:n]...)
		t.quotes.Feed(s[:n])
		s = s[n:]
		if !found {
			continue
		}
		if calls, whole := t.readBlock(); whole {
			t.close(string(t.buf), calls, emit)
			return s
		}
	}
	return ""
}

// closing is how much of s belongs to the block up to its next closing tag, all of it if none is found. The tag may have
// begun in what came before.
func (t *TextCalls) closing(s string) (n int, found bool) {
	end := t.block.close
	if end == "" {
		return len(s), false
	}
	before := t.buf[max(0, len(t.buf)-len(end)+1):] // no tag overlaps with itself
	if i := strings.Index(string(before)+s[:min(len(s), len(end)-1)], end); i >= 0 {
		return i + len(end) - len(before), true
	}
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end), true
	}
	return len(s), false
}

// readBlock reads the block at a closing tag. whole is false if the tag stands in a string.
func (t *TextCalls) readBlock() (calls []TextCall, whole bool) {
	switch {
	case t.undone >= maxTries:
		return parseOpen(t.block, string(t.buf), t.tools, false), true
	case t.tries >= maxTries && t.quotes.Open() && t.quoting():
		return nil, false
	}
	calls, whole = parseBlock(t.block, string(t.buf), t.tools)
	if !whole {
		t.tries++
	}
	if !whole && t.tries > maxTries { // the quotes do not tell, and it was read often enough
		return parseOpen(t.block, string(t.buf), t.tools, false), true
	}
	return calls, whole
}

// quoting reports whether the block is of a form in which a closing tag may stand in a string. Its first closing tag shows.
func (t *TextCalls) quoting() bool {
	if t.first == 0 {
		body := strings.TrimSpace(inner(t.block, string(t.buf)))
		t.first = (body + " ")[0]
	}
	return t.first == '{' || t.first == '['
}

// close ends a block.
func (t *TextCalls) close(raw string, calls []TextCall, emit func(string)) {
	t.state, t.buf = callText, t.buf[:0]
	if len(calls) == 0 {
		t.emit(raw, emit)
		return
	}
	t.calls = append(t.calls, calls...)
	t.behind = true
	if t.special {
		t.raw = append(append(t.raw, t.space...), raw...)
		t.space = t.space[:0]
	}
}

// endBlock ends a block that the message left open.
func (t *TextCalls) endBlock(cut bool, emit func(string)) {
	raw := string(t.buf)
	if i := strings.Index(raw, t.block.close); t.block.close != "" && i >= 0 { // it only seemed to stand in a string
		end := i + len(t.block.close)
		t.undone++
		t.close(raw[:end], parseOpen(t.block, raw[:end], t.tools, false), emit)
		t.Add(raw[end:], emit)
		if t.state == callBlock {
			t.endBlock(cut, emit)
		}
		return
	}
	calls := parseOpen(t.block, raw, t.tools, cut)
	if len(calls) == 0 && cut {
		t.state = callText // half a marker is nothing to show
		return
	}
	t.close(raw, calls, emit)
}
