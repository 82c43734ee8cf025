package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// mark is a cache mark, as the last field of a block.
const mark = `,"cache_control":{"type":"ephemeral"}}`

// answer is the tool whose arguments are the answer, for models that know no formats.
const answer = "answer"

// answerTool is the name of that tool in a request, "" if the answer comes as text.
func (m *model) answerTool(req *agent.Request) string {
	if len(req.Schema) == 0 || m.can.format {
		return ""
	}
	name := answer
	for slices.ContainsFunc(req.Tools, func(t agent.Tool) bool { return t.Shown() == name }) {
		name += "_"
	}
	return name
}

// encode writes the body of a request.
func (m *model) encode(req *agent.Request) []byte {
	answer := m.answerTool(req)
	choice, forced := toolChoice(req, answer)
	think := m.thinkingOf(req, forced)
	b := wire.NewBody(m.Extra, req.Extra)
	if !m.Preset.ModelInPath() {
		b.Text("model", m.Model)
	}
	b.Raw("max_tokens", strconv.AppendInt(nil, int64(think.max), 10))
	b.Raw("stream", []byte("true"))
	var format []byte
	if len(req.Schema) > 0 && answer == "" {
		format = strict(req.Schema)
	}
	think.write(b, format)
	if list := tools(req, answer); len(list) > 0 {
		b.Raw("tools", list)
		if choice != nil {
			b.Raw("tool_choice", choice)
		}
	}
	if strings.TrimSpace(req.System) != "" {
		out := wire.AppendString([]byte(`[{"type":"text","text":`), req.System)
		b.Raw("system", append(append(out, mark...), ']'))
	}
	return b.End("messages", func(out []byte) []byte { return m.messages(out, req) })
}

// toolChoice writes the choice, nil = the default. forced: a tool has to be called.
func toolChoice(req *agent.Request, answer string) (raw []byte, forced bool) {
	switch choice := req.Choice; {
	case answer != "" && (len(req.Tools) == 0 || choice == "none"):
		return named(answer), true
	case answer != "" && (choice == "" || choice == "auto"):
		return []byte(`{"type":"any"}`), true
	case choice == "":
		return nil, false
	case choice == "none", choice == "auto":
		return []byte(`{"type":"` + choice + `"}`), false
	case choice == "required":
		return []byte(`{"type":"any"}`), true
	default:
		return named(choice), true
	}
}

func named(tool string) []byte {
	return append(wire.AppendString([]byte(`{"type":"tool","name":`), tool), '}')
}

// tools writes the definitions, nil = none.
func tools(req *agent.Request, answer string) []byte {
	list := req.Tools
	if answer != "" {
		list = append(slices.Clone(list), agent.Tool{Name: answer, Doc: "Gives the final answer. Call it when the work is done.", Schema: req.Schema})
	}
	if len(list) == 0 {
		return nil
	}
	out := []byte{'['}
	for i, t := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = wire.AppendString(append(out, `{"name":`...), t.Shown())
		if t.Doc != "" {
			out = wire.AppendString(append(out, `,"description":`...), t.Doc)
		}
		out = append(append(out, `,"input_schema":`...), wire.Schema(&t)...)
		if i == len(list)-1 {
			out = append(out, mark...)
		} else {
			out = append(out, '}')
		}
	}
	return append(out, ']')
}
