package responses

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/provider/providertest"
	"react-agent/provider/wire"
)

// Whatever stands in a history, a strict server takes the request: also with calls that were never answered, results of
// nobody's call, ids used twice, reasoning of others, reasoning alone.
func TestAnyHistoryIsTaken(t *testing.T) {
	m := newTest(wire.Preset{Name: "v"})
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t: t, origin: m.Info().Origin()}
		var msgs []agent.Message
		for range rapid.IntRange(0, 8).Draw(t, "messages") {
			msgs = append(msgs, g.message())
		}
		msgs = append(msgs, agent.TextMessage(agent.User, "And then?"))
		without := uint32(rapid.IntRange(0, 31).Draw(t, "without"))
		body := m.encode(&agent.Request{System: "s", Messages: msgs, Tools: testTools()}, without)
		if _, err := providertest.CheckPath("/v1/responses", body); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
	})
}

// generator draws messages.
type generator struct {
	t      *rapid.T
	origin string
}

func (g generator) message() agent.Message {
	switch rapid.IntRange(0, 4).Draw(g.t, "role") {
	case 0:
		return agent.TextMessage(agent.User, g.text())
	case 1:
		return resultOf(g.id(), agent.TextPart(g.text()))
	case 2:
		return agent.Message{Role: agent.User, Parts: []agent.Part{blob("image/png", "a.png", g.text(), "")}}
	}
	msg := agent.Message{Role: agent.Assistant}
	for range rapid.IntRange(0, 4).Draw(g.t, "parts") {
		msg.Parts = append(msg.Parts, g.part())
	}
	return msg
}

func (g generator) part() agent.Part {
	switch rapid.IntRange(0, 2).Draw(g.t, "kind") {
	case 0:
		return agent.Part{Kind: agent.Text, Text: g.text(), Opaque: g.opaque(`{"phase":"commentary"}`)}
	case 1:
		return agent.Part{Kind: agent.Thinking, Text: g.text(), Opaque: g.opaque(rapid.SampledFrom([]string{
			sealedItem, `{"type":"reasoning","id":"rs_2","summary":[]}`, `{"type":"reasoning","encrypted_content":"e"}`, `{"field":"reasoning"}`, `7`,
		}).Draw(g.t, "item"))}
	}
	args := rapid.SampledFrom([]string{`{}`, `{"command":"ls"}`, `"no object"`, `[1]`, ``}).Draw(g.t, "args")
	c := callPart(g.id(), "bash", args)
	if rapid.Bool().Draw(g.t, "keyed") {
		c.Call.Key = fmt.Sprintf("s/%d.1", rapid.IntRange(1, 3).Draw(g.t, "key"))
	}
	return c
}

func (g generator) opaque(data string) *agent.Opaque {
	switch rapid.IntRange(0, 2).Draw(g.t, "origin") {
	case 0:
		return nil
	case 1:
		return &agent.Opaque{Origin: "chat/other/m", Data: json.RawMessage(data)}
	}
	return &agent.Opaque{Origin: g.origin, Data: json.RawMessage(data)}
}

func (g generator) id() string {
	return rapid.SampledFrom([]string{"", "call_0", "call_1", "functions.bash:0", sealedItem}).Draw(g.t, "id")
}

func (g generator) text() string {
	return rapid.SampledFrom([]string{"", " ", "\n", "word", "\xff\x00", "[DONE]"}).Draw(g.t, "text")
}
