package texttag

import (
	"encoding/json"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// history is what was said so far, for a model that knows no tools.
func (m *model) history(req *agent.Request) []agent.Message {
	messages := wire.Outbound(m.mend(req.Messages), wire.OutboundOptions{Origin: m.Model.Info().Origin(), UserLast: true})
	if m.o.OneText {
		return []agent.Message{agent.TextMessage(agent.User, m.oneText(messages))}
	}
	var out []agent.Message
	for i := range messages {
		msg := m.plain(&messages[i])
		if n := len(out); n > 0 && out[n-1].Role == msg.Role && msg.Role != agent.System {
			out[n-1].Parts = append(out[n-1].Parts, msg.Parts...)
			continue
		}
		out = append(out, msg)
	}
	return out
}

// ours marks messages that this package has made of results.
const ours = "texttag"

// mend turns calls that could not be read into what the model wrote, and their results into what was wrong with it.
func (m *model) mend(messages []agent.Message) []agent.Message {
	faults := map[string]string{}
	for i := range messages {
		for _, c := range messages[i].Calls() {
			if unreadable(c) {
				faults[callKey(c.Key, c.ID)] = m.fault(c)
			}
		}
	}
	if len(faults) == 0 {
		return messages
	}
	out := make([]agent.Message, 0, len(messages))
	for _, msg := range messages {
		if r := msg.Result(); r != nil && msg.Role == agent.ToolRole {
			if fault, ok := faults[callKey(r.Key, r.CallID)]; ok {
				msg = agent.TextMessage(agent.User, fault)
				msg.From = ours
			}
		} else if msg.Role == agent.Assistant {
			msg.Parts = slices.Clone(msg.Parts)
			for j, p := range msg.Parts {
				if p.Kind == agent.CallKind && p.Call != nil && unreadable(*p.Call) {
					msg.Parts[j] = agent.TextPart(openCall + rawText(*p.Call) + closeCall)
				}
			}
		}
		out = append(out, msg)
	}
	return out
}

func callKey(key, id string) string {
	if key != "" {
		return key
	}
	return "id " + id
}

// fault says what is wrong with a call that could not be read.
func (m *model) fault(c agent.Call) string {
	raw := unfence(rawText(c))
	why := "args"
	var v any
	err := json.Unmarshal([]byte(raw), &v)
	o, ok := v.(map[string]any)
	name, _ := o["name"].(string)
	switch {
	case err != nil:
		why = err.Error()
	case !ok:
		why = `{"name":…,"args":{…}}`
	case name == "":
		why = "name"
	}
	return m.words.say(m.words.broken, why) + "\n" + m.words.fix
}

func offered(name string, tools []agent.Tool) bool {
	_, ok := wire.ToolName(name, tools)
	return ok
}

// tag writes a call as the model does.
func tag(c agent.Call) string {
	return openCall + `{"name":` + quoted(c.Name) + `,"args":` + string(wire.Object(c.Args)) + `}` + closeCall
}

// plain is a message without calls and results. From is ours when it was a result.
func (m *model) plain(msg *agent.Message) agent.Message {
	out := agent.Message{Role: msg.Role, From: msg.From, Model: msg.Model, Stop: msg.Stop}
	var calls []string
	for _, p := range msg.Parts {
		switch {
		case p.Kind == agent.CallKind && p.Call != nil:
			calls = append(calls, tag(*p.Call))
		case p.Kind == agent.ResultOf && p.Result != nil:
			out.Role, out.From = agent.User, ours
			out.Parts = append(out.Parts, agent.TextPart(resultPrefix+indent(p.Result.Text())))
			for _, b := range p.Result.Parts {
				if b.Kind == agent.BlobKind {
					out.Parts = append(out.Parts, b)
				}
			}
		case p.Kind == agent.Text && p.Opaque == nil:
			p.Text = indent(p.Text)
			if msg.From == ours {
				p.Text = resultPrefix + p.Text
			}
			out.Parts = append(out.Parts, p)
		default:
			out.Parts = append(out.Parts, p)
		}
	}
	if len(calls) > 0 {
		out.Parts = append(out.Parts, agent.TextPart(strings.Join(calls, "\n")))
		out.Stop = agent.StopEnd
	}
	return out
}

// indent sets in the lines of a text that begin like those of a history.
func indent(text string) string {
	marks := []string{strings.TrimSpace(userPrefix), strings.TrimSpace(assistantPrefix), "[工具结果]"}
	found := false
	for _, mark := range marks {
		found = found || strings.Contains(text, mark)
	}
	if !found {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, mark := range marks {
			if strings.HasPrefix(line, mark) {
				lines[i] = " " + line
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// oneText makes lines of the messages.
func (m *model) oneText(messages []agent.Message) string {
	var lines []string
	for i := range messages {
		msg := m.plain(&messages[i])
		text := m.lineText(msg.Parts)
		switch {
		case text == "":
		case msg.Role == agent.Assistant:
			lines = append(lines, assistantPrefix+text)
		case msg.From == ours:
			lines = append(lines, text)
		default:
			lines = append(lines, userPrefix+text)
		}
	}
	return strings.Join(lines, "\n")
}

// lineText is the text of parts; an attachment is named.
func (m *model) lineText(parts []agent.Part) string {
	var list []string
	for _, p := range parts {
		switch p.Kind {
		case agent.Text:
			list = append(list, strings.TrimSpace(p.Text))
		case agent.BlobKind:
			if text, ok := wire.InWords(p.Blob); ok {
				list = append(list, text)
			} else {
				list = append(list, m.words.say(m.words.attachment, strings.TrimSpace(p.Blob.Name+" "+p.Blob.MIME)))
			}
		case agent.Thinking, agent.CallKind, agent.ResultOf:
		}
	}
	return strings.Join(list, "\n")
}
