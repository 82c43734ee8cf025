package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/provider/anthropic"
	"react-agent/provider/completions"
	"react-agent/provider/gemini"
	"react-agent/provider/responses"
	"react-agent/provider/wire"
)

// A wireCase is one file of a corpus: a reply as it came over the wire and what it has to come to.
type wireCase struct {
	Format        int
	Name          string
	Type          string // decode, retry, echo
	API           string // chat, responses, anthropic, gemini; text = chat with calls written as text
	Vendor        string
	Kind          string
	Why           string
	Client        caseClient
	HTTP          caseReply   // decode
	Replies       []caseReply // retry
	Steps         []caseStep  // echo
	Expect        caseExpect
	ExpectRequest struct {
		Checks     []caseCheck
		ExampleOK  json.RawMessage                  `json:"example_ok"`
		ExampleBad []struct{ Body json.RawMessage } `json:"example_bad"`
	} `json:"expect_request"`

	step int // the distance between two places at which a small body is cut
}

// caseClient are settings of the client under test; nil is the default of the format.
type caseClient struct {
	Tools         *[]string
	ContextWindow int      `json:"context_window"`
	IdleTimeoutMS *int     `json:"idle_timeout_ms"`
	MaxRetryAfter *float64 `json:"max_retry_after_s"`
	VendorAtStart string   `json:"vendor_at_start"`
	APIAtStart    string   `json:"api_at_start"`
}

// idle is the idle timeout of the client.
func (c caseClient) idle() time.Duration {
	if c.IdleTimeoutMS != nil {
		return time.Duration(*c.IdleTimeoutMS) * time.Millisecond
	}
	return 5 * time.Second
}

// maxRetryAfter is the longest wait the client puts up with.
func (c caseClient) maxRetryAfter() time.Duration {
	if c.MaxRetryAfter != nil {
		return time.Duration(*c.MaxRetryAfter * float64(time.Second))
	}
	return time.Minute
}

// caseReply is one HTTP reply.
type caseReply struct {
	Status     int
	Headers    map[string]string
	BodyChunks []caseChunk `json:"body_chunks"`
	End        string      // eof, cut, hang
}

// body is the whole body in one piece.
func (r caseReply) body() []byte {
	var all []byte
	for _, c := range r.BodyChunks {
		all = append(all, c.data...)
	}
	return all
}

// caseChunk is one write, or a pause.
type caseChunk struct {
	data []byte
	glue bool // belongs to the same write as its neighbours
	wait time.Duration
}

// UnmarshalJSON reads a string, {"b64"}, {"repeat","times"} or {"wait_ms"}.
func (c *caseChunk) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		c.data = []byte(text)
		return nil
	}
	var o struct {
		B64    string
		Repeat string
		Times  int
		WaitMS int `json:"wait_ms"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("body chunk %s: %w", raw, err)
	}
	switch {
	case o.B64 != "":
		data, err := base64.StdEncoding.DecodeString(o.B64)
		c.data = data
		return err
	case o.Repeat != "":
		c.data, c.glue = []byte(strings.Repeat(o.Repeat, o.Times)), true
		return nil
	case o.WaitMS > 0:
		c.wait = time.Duration(o.WaitMS) * time.Millisecond
		return nil
	}
	return fmt.Errorf("body chunk %s is of no known form", raw)
}

// caseStep is one step of an echo case; exactly one field is set.
type caseStep struct {
	User   *string
	Reply  *caseReply
	Abort  bool // beside Reply: the user cancels after the last chunk
	Result *struct {
		Call    int
		Content string
		IsError bool `json:"is_error"`
	}
	Cancel bool
	Switch *struct{ API, Vendor, Model string }
	Trim   *struct {
		KeepLastMessages int `json:"keep_last_messages"`
	}
}

// caseCheck is one check of an echo case's last request.
type caseCheck struct {
	Path, Op string
	Value    json.RawMessage
}

// caseExpect is what a reply has to come to; nil fields are not checked.
type caseExpect struct {
	Text      *string
	Reasoning *string
	ToolCalls *[]caseCall `json:"tool_calls"`
	Finish    *string
	Usage     map[string]*int64
	Error     *struct {
		Kind       string
		Retryable  bool
		RetryAfter *float64 `json:"retry_after_s"`
	}
	Action      string
	Requests    int
	MinWaitS    []float64 `json:"min_wait_s"`
	NextRequest string    `json:"next_request"`
}

// caseCall is one expected call.
type caseCall struct {
	Name             string
	ID               string
	Arguments        json.RawMessage
	ArgumentsInvalid bool `json:"arguments_invalid"`
	Run              *bool
}

// outcome is what became of one case.
type outcome struct {
	faults []string
	skip   string // why it could not be tried: only an API that is not built yet
}

// fault notes a difference.
func (o *outcome) fault(format string, args ...any) {
	o.faults = append(o.faults, fmt.Sprintf(format, args...))
}

// play tries one case.
func play(t *testing.T, c *wireCase) outcome {
	switch c.Type {
	case "decode":
		return playDecode(t, c)
	case "retry":
		return playRetry(t, c)
	case "echo":
		return playEcho(t, c)
	}
	return outcome{faults: []string{fmt.Sprintf("unknown type %q", c.Type)}}
}

// TestWireCorpus plays every case of the directory that WIRE_CASES names, else of a corpus beside this repository, whose replies
// it then cuts at every seventh byte: the step "corpus" of .ci/run names it, and cuts at every one.
// It ends with "N passed, N failed, N skipped".
func TestWireCorpus(t *testing.T) {
	dir, step := os.Getenv("WIRE_CASES"), 1
	if dir == "" {
		step = 7
		dir = filepath.Join("..", "..", "shared", "cases", "wire", "open")
		if _, err := os.Stat(dir); err != nil {
			t.Skip("needs ../shared beside the repository, or WIRE_CASES: no corpus to play")
		}
	}
	playAll(t, dir, step)
}

// TestWireCases plays the cases of this repository; it cuts their replies at every byte, in short runs at every seventh.
func TestWireCases(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	playAll(t, filepath.Join("testdata", "wire"), step)
}

// playAll plays every *.json below dir, in parallel, and sums up.
func playAll(t *testing.T, dir string, step int) {
	cases, err := loadCases(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("no *.json in %s", dir)
	}
	results := make([]outcome, len(cases))
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			c.step = step
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				results[i] = play(t, c)
				if results[i].skip != "" {
					t.Skip("not here: " + results[i].skip)
				}
			})
		}
	})
	var passed, failed, skipped int
	for i, r := range results {
		switch {
		case r.skip != "":
			skipped++
		case len(r.faults) > 0:
			failed++
			t.Errorf("FAIL %s (%s %s): %s", cases[i].Name, cases[i].Type, cases[i].API, strings.Join(r.faults, "; "))
		default:
			passed++
		}
	}
	t.Logf("%d passed, %d failed, %d skipped", passed, failed, skipped)
	// Verbose or not, the closing line is part of the output.
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
}

// loadCases reads every case of a directory, in the order of their names.
func loadCases(dir string) ([]*wireCase, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	cases := make([]*wireCase, 0, len(files))
	var errs []error
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := new(wireCase)
		if err := json.Unmarshal(data, c); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
			continue
		}
		if c.Format != 1 {
			errs = append(errs, fmt.Errorf("%s: format %d, this runner reads 1", file, c.Format))
			continue
		}
		cases = append(cases, c)
	}
	return cases, errors.Join(errs...)
}

// caseTools are fakes of the tools the format names. Each run is noted, never done.
func caseTools(only *[]string, ran func(agent.Call)) []agent.Tool {
	var tools []agent.Tool
	for _, d := range []struct{ name, schema string }{
		{"bash", `{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer"}},"required":["command"]}`},
		{"read_file", `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`},
		{"write_file", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`},
		{"get_time", `{"type":"object","properties":{}}`},
	} {
		if only != nil && !slices.Contains(*only, d.name) {
			continue
		}
		tools = append(tools, agent.Tool{Name: d.name, Doc: "A fake.", Schema: json.RawMessage(d.schema), Run: record(ran)})
	}
	return tools
}

// wires are the wires over HTTP by api, as a case names it.
func wires() map[string]func(wire.Config) agent.Model {
	return map[string]func(wire.Config) agent.Model{
		"anthropic": anthropic.New,
		"chat":      completions.New,
		"gemini":    gemini.New,
		"responses": responses.New,
		"text":      completions.New, // calls written as text
	}
}

// openModel makes the model a case is about, without retries. False: its wire is not built yet.
func openModel(api, vendor, model string, client caseClient, at endpoint) (agent.Model, bool) {
	open, ok := wires()[api]
	if !ok {
		return nil, false
	}
	return open(wire.Config{
		BaseURL: at.url, Key: "k", Model: model, Preset: presetOf(api, vendor), HTTP: at.http, IdleTimeout: client.idle(),
	}), true
}

// presetOf is a vendor's preset as it is with a wire. What the table does not know is a plain server of that wire.
func presetOf(api, vendor string) wire.Preset {
	if api == "text" {
		api = "chat"
	}
	p, ok := wire.Lookup(vendor)
	if !ok {
		return wire.Preset{Name: vendor, API: api}
	}
	of, err := p.For(api)
	if err != nil {
		of.API, of.Path, of.KeyHeader, of.Header, of.Body = api, "", "", nil, nil
	}
	return of
}

// TestMain lets garbage pile up: hundreds of thousands of short replies are decoded here, and little of it lives.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
