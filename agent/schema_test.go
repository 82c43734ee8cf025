package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
)

type base struct {
	Path string `json:"path" doc:"a <path> & \"more\""`
	Note string `json:"note,omitempty"`
}

type Named struct {
	Inner int `json:"inner"`
}

type edit struct {
	Old string  `json:"old"`
	New *string `json:"new"`
}

type everything struct {
	base
	Named   `json:"named"`
	Mode    string            `json:"mode" enum:"r,w"`
	Level   int               `json:"level,omitzero" enum:"1,2"`
	Flags   []string          `json:"flags,omitempty" enum:"x,y"`
	Edits   []edit            `json:"edits"`
	Env     map[string]string `json:"env"`
	Ratio   float64
	On      *bool           `json:"on"`
	Raw     json.RawMessage `json:"raw"`
	Any     any             `json:"any"`
	When    time.Time       `json:"when"`
	Bytes   []byte          `json:"bytes"`
	Address netip.Addr      `json:"address"`
	Note    string          `json:"note"` // hides the embedded one
	Dropped string          `json:"-"`
	private int
}

func TestNewToolSchema(t *testing.T) {
	_ = everything{private: 1}
	const want = `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"a <path> & \"more\""},` +
		`"named":{"type":"object","properties":{"inner":{"type":"integer"}},"required":["inner"]},` +
		`"mode":{"type":"string","enum":["r","w"]},"level":{"type":"integer","enum":[1,2]},` +
		`"flags":{"type":"array","items":{"type":"string","enum":["x","y"]}},` +
		`"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"new":{"type":"string"}},"required":["old"]}},` +
		`"env":{"type":"object","additionalProperties":{"type":"string"}},"Ratio":{"type":"number"},"on":{"type":"boolean"},` +
		`"raw":{},"any":{},"when":{"type":"string"},"bytes":{"type":"string"},"address":{"type":"string"},"note":{"type":"string"}},` +
		`"required":["path","named","mode","edits","env","Ratio","raw","any","when","bytes","address","note"]}`
	var got everything
	tl := agent.NewTool("all", "doc", agent.Reads, func(_ context.Context, in everything) (agent.Result, error) {
		got = in
		return agent.Result{}, nil
	})
	if string(tl.Schema) != want {
		t.Errorf("schema:\n%s\nwant:\n%s", tl.Schema, want)
	}
	for range 20 { // the same bytes every time, or the prompt cache is lost
		again := agent.NewTool("all", "doc", agent.Reads, func(context.Context, everything) (agent.Result, error) { return agent.Result{}, nil })
		if string(again.Schema) != want {
			t.Fatal("the schema differs from build to build")
		}
	}
	// What the check lets pass, the decoder takes, and the other way round.
	args := `{"path":"p","named":{"inner":1},"mode":"w","level":2,"flags":["y"],"edits":[{"old":"o"}],"env":{"A":"b"},"Ratio":1,"raw":[1],"any":{},` +
		`"when":"2026-01-02T03:04:05Z","bytes":"aGk=","address":"::1","note":"outer"}`
	if err := agent.CheckArgs(tl.Schema, json.RawMessage(args)); err != nil {
		t.Fatal(err)
	}
	if _, err := tl.Run(t.Context(), agent.Call{Args: json.RawMessage(args)}); err != nil {
		t.Fatal(err)
	}
	if got.Path != "p" || got.Inner != 1 || got.Note != "outer" || got.base.Note != "" || string(got.Bytes) != "hi" || got.Level != 2 || !got.Address.IsValid() {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{`{"flags":["z"]}`, `{"level":3}`, `{"bytes":[1]}`, `{"mode":"x"}`} {
		if err := agent.CheckArgs(tl.Schema, json.RawMessage(bad)); err == nil || !strings.Contains(err.Error(), "must be") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := tl.Run(t.Context(), agent.Call{Args: json.RawMessage(`{"path":7}`)}); err == nil || !strings.Contains(err.Error(), "invalid arguments") {
		t.Errorf("run with unchecked arguments: %v", err)
	}
}

func TestNewToolBounds(t *testing.T) {
	type in struct {
		N int      `json:"n" min:"0" max:"9"`
		F *float64 `json:"f" min:"-1"`
		S string   `json:"s" min:"1"`
		L []string `json:"l" enum:"a,b" max:"2"`
		B bool     `json:"b" min:"1"` // nothing to bound
	}
	tool := agent.NewTool("x", "", agent.Reads, func(context.Context, in) (agent.Result, error) { return agent.Result{}, nil })
	const want = `{"type":"object","properties":{"n":{"type":"integer","minimum":0,"maximum":9},"f":{"type":"number","minimum":-1},` +
		`"s":{"type":"string","minLength":1},"l":{"type":"array","maxItems":2,"items":{"type":"string","enum":["a","b"]}},"b":{"type":"boolean"}},` +
		`"required":["n","s","l","b"]}`
	if string(tool.Schema) != want {
		t.Errorf("%s\nwant %s", tool.Schema, want)
	}
	err := agent.CheckArgs(tool.Schema, json.RawMessage(`{"n":-1,"f":-2,"s":"","l":["a","c","a"],"b":true}`))
	if err == nil || strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("five faults: %v", err)
	}
}

func TestNewToolEmpty(t *testing.T) {
	tl := agent.NewTool("none", "", agent.Reads, func(context.Context, struct{}) (agent.Result, error) { return agent.Result{}, nil })
	if string(tl.Schema) != `{"type":"object","properties":{},"required":[]}` {
		t.Errorf("%s", tl.Schema)
	}
}

type loop struct {
	Next []loop `json:"next"`
}

func newBad[In any]() (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	agent.NewTool("bad", "", agent.Reads, func(context.Context, In) (agent.Result, error) { return agent.Result{}, nil })
	return ""
}

func TestNewToolPanicsOnMistakes(t *testing.T) {
	for want, got := range map[string]string{
		"must be a struct, not string":   newBad[string](),
		"contains itself":                newBad[loop](),
		"field C: chan int has no JSON":  newBad[struct{ C chan int }](),
		"field M: map[int]string has no": newBad[struct{ M map[int]string }](),
		"field F: field G: func() has":   newBad[struct{ F struct{ G func() } }](),
		`field N: bound "x" is no whole number`: newBad[struct {
			N int `min:"x"`
		}](),
		`field L: enum value "a" is no integer`: newBad[struct {
			L int `enum:"a,b"`
		}](),
	} {
		if !strings.Contains(got, want) || !strings.Contains(got, `NewTool("bad")`) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
