package command

import (
	"bytes"

	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// draft is the answer while it comes. What it shows early it takes back if the program ends up saying something else.
type draft struct {
	yield func(agent.Chunk, error) bool
	left  bool // the consumer has gone

	all   []byte // everything that came
	line  int    // where the line begins that is not whole yet
	talk  talk
	ended bool // the program has said how it all ended

	shown    []byte // of the answer
	begins   int    // of the talk, when that was shown
	thoughts int    // bytes of them that were shown
	next     int    // index of the next part
	textAt   int    // index of the answer's part, counted from 1; 0 = there is none
	thinkAt  int    // likewise
	model    string
}

// feed takes what came. Lines that are events are acted upon, everything else is looked at when all is there.
func (d *draft) feed(p []byte) {
	from := len(d.all)
	d.all = append(d.all, p...)
	for {
		i := bytes.IndexByte(d.all[from:], '\n')
		if i < 0 {
			return
		}
		end := from + i
		line := bytes.TrimSpace(d.all[d.line:end])
		from, d.line = end+1, end+1
		if len(line) == 0 || line[0] != '{' || !gjson.ValidBytes(line) {
			continue
		}
		v := gjson.ParseBytes(line)
		switch kind := v.Get("type"); {
		case kind.Type != gjson.String:
			continue
		case kind.Str == "result":
			d.ended = true
			continue // how it all ends is told with the exit status in hand
		}
		d.talk.take(v)
		if d.show(); d.left {
			return
		}
	}
}

// show yields what is new.
func (d *draft) show() {
	if n := d.talk.thoughts.Len(); n > d.thoughts {
		if d.thinkAt == 0 {
			d.next++
			d.thinkAt = d.next
		}
		piece := d.talk.thoughts.String()[d.thoughts:]
		d.thoughts = n
		d.send(agent.Chunk{Index: d.thinkAt - 1, Part: &agent.Part{Kind: agent.Thinking, Text: piece}})
	}
	if d.begins == d.talk.begins {
		d.say(string(d.talk.text[len(d.shown):]))
		return
	}
	d.begins = d.talk.begins
	d.want(d.talk.text)
}

// want makes the answer that is shown equal to text.
func (d *draft) want(text []byte) {
	rest, ok := bytes.CutPrefix(text, d.shown)
	if !ok {
		d.send(agent.Chunk{Reset: true})
		d.next, d.textAt, d.thinkAt, d.model = 0, 0, 0, ""
		d.thoughts = d.talk.thoughts.Len() // those of what was said before are gone with it
		d.shown, rest = nil, text
	}
	d.say(string(rest))
}

// say goes on with the answer.
func (d *draft) say(text string) {
	if text == "" {
		return
	}
	d.shown = append(d.shown, text...)
	if d.textAt == 0 {
		d.next++
		d.textAt = d.next
	}
	d.send(agent.Chunk{Index: d.textAt - 1, Part: &agent.Part{Kind: agent.Text, Text: text}})
}

func (d *draft) send(c agent.Chunk) {
	if d.left {
		return
	}
	if d.model == "" && d.talk.model != "" && !c.Reset {
		d.model = d.talk.model
		c.Model = d.model
	}
	d.left = !d.yield(c, nil)
}
