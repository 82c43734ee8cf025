package skill

import (
	"fmt"
	"strconv"
	"strings"

	"react-agent/agent"
)

// Entrance says how a skill came into a conversation.
type Entrance string

// The entrances: its text, by the person's call; a word to the model to read it; the answer of the sub-agent that has worked
// on it, or why that failed; nothing, since it cannot be read or is gone; and its text, as it fits what the person says.
const (
	EnteredText   Entrance = "text"
	EnteredName   Entrance = "name"
	EnteredAnswer Entrance = "answer"
	EnteredFault  Entrance = "fault"
	EnteredNot    Entrance = "not"
	EnteredRouted Entrance = "routed"
)

// How the messages begin that bring skills in; the verb is the name.
const (
	saysText    = "The person has called the skill %q. These are its instructions. Carry them out now, in full and in their order:"
	saysCommand = "The person has called the command %q. This is what it asks of you:"
	saysName    = "The person has called the skill %q. Read it with the tool "
	saysAnswer  = "The person has called the skill %q. A sub-agent has carried it out; this is its answer. Tell the person what it found:"
	saysFault   = "The person has called the skill %q. A sub-agent was to carry it out and failed:"
	saysUnread  = "The skill %q that the person called cannot be read: "
	saysGone    = "The skill %q that the person called is not there any more. Known skills: "
	saysFits    = "The skill %q fits what the person says. "
)

// Entered reads from a message of the hook which skill it brought in, and how; rest is what follows: the answer, or the fault.
// It is "" for a message that brings the text of a skill which the model itself has called.
func Entered(m *agent.Message) (how Entrance, name, rest string) {
	if m.From != Name || len(m.Parts) == 0 {
		return "", "", ""
	}
	first := m.Parts[0].Text
	for _, x := range []struct {
		says string
		how  Entrance
	}{
		{saysText, EnteredText},
		{saysCommand, EnteredText},
		{saysName, EnteredName},
		{saysAnswer, EnteredAnswer},
		{saysFault, EnteredFault},
		{saysUnread, EnteredNot},
		{saysGone, EnteredNot},
		{saysFits, EnteredRouted},
	} {
		name, rest, ok := begins(x.says, first)
		if !ok {
			continue
		}
		if x.how == EnteredAnswer || x.how == EnteredFault {
			rest = ""
			for _, p := range m.Parts[1:] {
				rest += p.Text
			}
		}
		return x.how, name, strings.TrimSpace(rest)
	}
	return "", "", ""
}

// begins takes the name out of a text that begins as says does.
func begins(says, text string) (name, rest string, ok bool) {
	before, _, _ := strings.Cut(says, "%q")
	text, ok = strings.CutPrefix(text, before)
	if !ok {
		return "", "", false
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", false
	}
	if name, err = strconv.Unquote(quoted); err != nil { // it is quoted well
		return "", "", false
	}
	rest, ok = strings.CutPrefix(before+text, fmt.Sprintf(says, name))
	return name, rest, ok
}
