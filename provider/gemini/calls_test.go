package gemini

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// A reply may have as many calls as a message has room for; of more nothing is kept or compared, and the calls that count
// stay what they are.
func TestMoreCallsThanCount(t *testing.T) {
	const most = agent.MaxParts / 2
	one := `{"functionCall":{"name":"bash","args":{"c":"ls"}}}`
	signed := `{"functionCall":{"name":"now"},"thoughtSignature":"s"}`
	body := events(said(strings.Repeat(one+",", most-1)+signed+","+signed), said(strings.Repeat(one+",", 3*most)+signed), ended("STOP"))
	got, msg := collect(t, newTest(wire.Config{}), http.StatusOK, strings.NewReader(body), testTools())
	if want := strings.Repeat(`bash{"c":"ls"}`, most-1) + `now{}{"thoughtSignature":"s"}`; got.Parts != want || got.Stop != agent.StopCalls || got.Kind != "" {
		t.Errorf("%d calls, stop %s, error %s", len(msg.Calls()), got.Stop, got.Kind)
	}

	m := newTest(wire.Config{})
	d := m.newDecoder(nil)
	d.calls = most
	_ = d.call(gjson.Parse(one), &piece{call: gjson.Parse(one).Get("functionCall"), signature: "s"})
	if d.calls != most || len(d.seen) != 0 {
		t.Errorf("%d calls, %d remembered", d.calls, len(d.seen))
	}
}
