package cli

import (
	"io"
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// textView shows a conversation to a person: the answer on out, what happens on err.
type textView struct {
	out, err io.Writer
	msg      msg.Catalogue
	quiet    bool
	// live shows deltas as they come; otherwise the answer is printed once, when the run has ended.
	live bool
	// erase allows escape codes that take back what was shown; size gives columns and rows for that.
	erase bool
	size  func() (cols, rows int)
	file  func(sha string) string   // of a blob
	fit   func(lines string) string // see [Std.fitted]
	look  command.Look
	chat  bool // answers are marked as the face marks them
	step  int  // of the run
	pairs []pair

	shown strings.Builder // deltas of the message that is being streamed
	mid   bool            // the cursor is not at the start of a line
	moved bool            // something else was printed since the first of these deltas
	fault error           // the first failure to write the answer
}

func (v *textView) event(e agent.Event, f *follower) error {
	switch e.Type {
	case agent.EvChunk:
		v.chunk(e.Chunk)
	case agent.EvRetry:
		v.retry(e.Text)
	case agent.EvNotice:
		v.tell(oneLine(e.Text))
	case agent.EvProgress:
		for _, line := range latest(e.Text) {
			v.activity("    " + line)
		}
	case agent.EvMessage:
		v.message(e, f)
	case agent.EvCall:
		v.called(e.Call, f)
	case agent.EvCompact:
		if e.Run != "" { // else it is a command's, which tells of it
			v.activity(command.Compacted(v.msg, e.Trim))
		}
	case agent.EvStep, agent.EvEnd:
		v.count(e)
	case agent.EvAsk, agent.EvAnswer, agent.EvVoid, agent.EvSetup, agent.EvState:
	}
	v.changed(e)
	return v.fault
}

func (v *textView) chunk(c *agent.Chunk) {
	if v.live && c != nil && c.Part != nil && c.Part.Kind == agent.Text {
		v.delta(c.Part.Text)
	}
}

// retry takes back what is shown. Without a reason there was no failure: it has turned out to be something else.
func (v *textView) retry(reason string) {
	v.withdraw()
	if reason != "" {
		v.activity(v.msg.Text(msg.Retrying, oneLine(reason)))
	}
}

func (v *textView) message(e agent.Event, f *follower) {
	m := e.Message
	if m != nil && m.Answers() {
		v.plan(m)
		defer v.made(m) // below what it says
	}
	switch {
	case m == nil:
	case m.Answers() && v.live:
		v.settle(textOf(*m))
	case m.Role == agent.ToolRole && len(m.Parts) > 0 && m.Parts[0].Result != nil:
		if v.paired() {
			v.settled(*m.Parts[0].Result)
			break
		}
		v.activity("  " + resultLine(v.msg, *m.Parts[0].Result, f))
	case m.Role == agent.User && m.From != "":
		for _, line := range command.Heard(v.msg, *m) {
			v.activity(cut(oneLine(line), 2*lineWidth))
		}
	}
}

// made says where the pictures and sounds are that a model has made: they are in the store, and no terminal shows them.
func (v *textView) made(m *agent.Message) {
	for _, p := range m.Parts {
		if b := p.Blob; p.Kind == agent.BlobKind && b != nil && b.SHA256 != "" && v.file != nil {
			what := msg.AttachFile
			switch kind, _, _ := strings.Cut(b.MIME, "/"); kind {
			case "image":
				what = msg.AttachImage
			case "audio":
				what = msg.AttachSound
			}
			v.say(v.msg.Text(msg.AttachMade, v.msg.Text(what), b.MIME, v.file(b.SHA256)))
		}
	}
}

// delta shows a piece of the answer.
func (v *textView) delta(text string) {
	if text == "" {
		return
	}
	if v.shown.Len() == 0 {
		v.moved = false
		v.lead()
	}
	v.shown.WriteString(text)
	v.write(visible(text))
}

// settle makes what is shown equal to what was stored, and ends the line.
func (v *textView) settle(text string) {
	shown := v.shown.String()
	rest, ok := strings.CutPrefix(text, shown)
	if !ok {
		v.withdraw()
		rest, shown = text, ""
	}
	if shown == "" && rest != "" {
		v.lead()
	}
	v.write(visible(rest))
	v.shown.Reset()
	v.newline()
}

// withdraw takes back what was shown of a message that does not count: it erases it where that is possible, else it says so.
func (v *textView) withdraw() {
	shown := v.shown.String()
	v.shown.Reset()
	if shown == "" {
		return
	}
	cols, rows := 0, 0
	if v.size != nil {
		cols, rows = v.size()
	}
	lines := linesUsed(v.answerMark()+visible(shown), cols)
	if !v.erase || v.moved || cols <= 0 || lines >= rows {
		v.say(v.msg.Text(msg.Withdrawn))
		return
	}
	code := "\r\x1b[J"
	if lines > 0 {
		code = "\r" + strings.Repeat("\x1b[A", lines) + "\x1b[J"
	}
	v.put(code)
	v.mid = false
}

func (v *textView) end(r result) error {
	v.newline()
	if !v.live && r.Text != "" && r.Stop != agent.RunCancelled {
		text := r.Text
		if len(r.Data) > 0 {
			text = string(r.Data)
		}
		v.put(text)
		if !strings.HasSuffix(text, "\n") {
			v.put("\n")
		}
	}
	if r.Stop == agent.RunSteps && v.look.Steps != "" {
		v.put(v.answerMark() + v.look.Steps + "\n")
		return v.fault
	}
	if line := whyStopped(v.msg, r); line != "" {
		v.tell(line)
	}
	if v.live && v.look.Answer == "" {
		v.activity(command.Spent(v.msg, r.Usage))
	}
	return v.fault
}

func (v *textView) fail(err error) error {
	v.newline()
	v.tell(v.msg.Err(err))
	return nil
}

// say prints a line for the person, also when it shall be quiet.
func (v *textView) say(line string) {
	if line == "" {
		return
	}
	v.newline()
	v.moved = true
	_, _ = io.WriteString(v.err, strings.TrimRight(visible(line), "\n")+"\n") // nowhere to report it
}

// tell says something in our own words.
func (v *textView) tell(line string) { v.say(v.fitted(line)) }

// fitted is a text as it is shown best where this view is.
func (v *textView) fitted(lines string) string {
	if v.fit == nil {
		return lines
	}
	return v.fit(lines)
}

// reply prints to where answers go.
func (v *textView) reply(text string) error {
	v.newline()
	if text = strings.TrimRight(visible(text), "\n"); text != "" {
		v.moved = true
		v.put(text + "\n")
	}
	return v.fault
}

// activity prints a line about what is going on.
func (v *textView) activity(line string) {
	if !v.quiet && strings.TrimSpace(line) != "" {
		v.say(line)
	}
}

func (v *textView) newline() {
	if v.mid {
		v.write("\n")
	}
}

func (v *textView) write(text string) {
	if text != "" {
		v.mid = !strings.HasSuffix(text, "\n")
		v.put(text)
	}
}

func (v *textView) put(text string) {
	if v.fault == nil {
		_, v.fault = io.WriteString(v.out, text)
	}
}
