package command

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/internal/text"
	"react-agent/provider/wire"
)

// answer is what an output says.
type answer struct {
	text   string
	fault  string // what went wrong, in the program's words
	failed bool   // it says that something did
	cut    bool   // it ends in the middle
	odd    string // the beginning of JSON without an answer in it
}

// finish ends the message, well or not.
func (m *model) finish(d *draft, res *shell.Result) {
	a := d.settle()
	usage := usageOf(d.talk.result, d.talk.usage)
	err := m.verdict(&a, res)
	if err == nil {
		d.talk.begins = -1 // what was shown is held against what counts
		d.talk.text = []byte(a.text)
		d.show()
	}
	if usage != nil && err != nil {
		d.send(agent.Chunk{Usage: usage}) // what failed was paid for as well
	}
	if err != nil {
		if !d.left {
			d.yield(agent.Chunk{}, err)
		}
		return
	}
	d.send(agent.Chunk{Usage: usage, Stop: stopOf(&d.talk)})
}

func stopOf(t *talk) agent.StopReason {
	word := t.stop
	if s := t.result.Get("stop_reason").Str; s != "" {
		word = s
	}
	switch e := wire.EndingOf(word); {
	case word == "" || e.Fail != "" || e.Odd || e.Stop == agent.StopCalls || e.Stop == agent.StopPause:
		return agent.StopEnd // the program has ended well, and has dealt with the rest
	default:
		return e.Stop
	}
}

// settle reads the whole output.
func (d *draft) settle() answer {
	shown := d.talk.thoughts.String()
	list := documents(d.all)
	d.talk = talk{}
	var plain []document // objects without a kind
	for _, doc := range list {
		for _, v := range items(doc.value) {
			if v.Get("type").Type == gjson.String {
				d.talk.take(v)
			} else if v.IsObject() {
				plain = append(plain, document{v, doc.alone, doc.last})
			}
		}
	}
	if len(shown) > d.talk.thoughts.Len() {
		d.thoughts = d.talk.thoughts.Len()
	}
	switch {
	case d.talk.result.Exists():
		return d.talk.ending()
	case len(d.talk.errors) > 0:
		return answer{failed: true, fault: strings.Join(d.talk.errors, "; ")}
	case len(d.talk.text) > 0:
		return answer{text: string(d.talk.text), cut: d.talk.partial}
	}
	return d.untyped(plain, list)
}

// items are the elements of a list, or the value itself.
func items(v gjson.Result) []gjson.Result {
	if v.IsArray() {
		return v.Array()
	}
	return []gjson.Result{v}
}

// ending is what the item says that ends everything.
func (t *talk) ending() answer {
	r := t.result
	kind := r.Get("subtype").Str
	status := r.Get("status").Str
	failed := r.Get("is_error").Bool() || strings.HasPrefix(kind, "error") || status == "error" || status == "failed" ||
		wire.IsFailure(r.Get("error")) || r.Get("type").Str == "turn.failed"
	if failed {
		fault := failureText(r)
		if fault == "" {
			fault = strings.Join(t.errors, "; ")
		}
		if strings.HasPrefix(kind, "error") && !strings.Contains(fault, kind) {
			fault = strings.TrimSuffix(kind+": "+fault, ": ")
		}
		return answer{failed: true, fault: fault}
	}
	if s := textOf(r); s != "" {
		return answer{text: s}
	}
	if s := r.Get("structured_output"); s.IsObject() || s.IsArray() {
		return answer{text: s.Raw}
	}
	return answer{text: string(t.text)}
}

// untyped reads an output whose objects do not say what they are, or that has none.
func (d *draft) untyped(plain []document, list []document) answer {
	for _, doc := range slices.Backward(plain) {
		v := doc.value
		if !doc.envelope() {
			continue // an object in somebody's text
		}
		if !d.talk.result.Exists() {
			d.talk.result = v // its counts
		}
		if wire.IsFailure(v.Get("error")) || v.Get("is_error").Bool() {
			return answer{failed: true, fault: failureText(v)}
		}
		if s := textOf(v); s != "" {
			return answer{text: s}
		}
	}
	return d.bare(list)
}

// envelope reports whether an object is the program's own.
func (doc document) envelope() bool {
	return doc.alone || doc.last || doc.value.Get("session_id").Exists() || doc.value.Get("stats").IsObject()
}

// bare reads an output in which no object has an answer.
func (d *draft) bare(list []document) answer {
	all := clean(d.all)
	switch alone := len(list) == 1 && list[0].alone; {
	case alone && isCall(list[0].value):
		return answer{text: string(all)}
	case alone || d.talk.items > 0:
		return answer{odd: text.Head(strings.Join(strings.Fields(string(all)), " "), 200)}
	case len(list) == 0 && begun(all):
		return answer{cut: true}
	}
	return answer{text: strings.TrimSpace(text.Clean(all))}
}

// isCall reports whether an object is a call that a model wrote, and no envelope of the program.
func isCall(v gjson.Result) bool {
	return v.Get("name").Type == gjson.String && (v.Get("args").Exists() || v.Get("arguments").Exists())
}

// failureText is what an object says of a failure.
func failureText(v gjson.Result) string {
	var parts []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && !strings.Contains(strings.Join(parts, "\n"), s) {
			parts = append(parts, s)
		}
	}
	e := v.Get("error")
	if e.Type == gjson.String {
		add(e.Str)
	} else if e.IsObject() {
		add(e.Get("message").String())
		for _, key := range []string{"type", "code"} {
			add(e.Get(key).String())
		}
	}
	v.Get("errors").ForEach(func(_, one gjson.Result) bool {
		if one.IsObject() {
			one = one.Get("message")
		}
		add(one.String())
		return true
	})
	for _, key := range []string{"result", "message", "response"} {
		add(textIn(v.Get(key)))
	}
	return strings.Join(parts, ": ")
}

// verdict is the error that an output and the way the program ended come to; nil = it has answered.
func (m *model) verdict(a *answer, res *shell.Result) *agent.ModelError {
	if res.Code != 0 || res.Signal != "" {
		return m.exited(a, res)
	}
	switch {
	case a.failed:
		return m.classify(a.fault, res)
	case a.cut:
		e := m.fail(agent.ErrTruncated, withErrors(msg.Errorf(msg.ProgramCut), res.Errors))
		e.Retryable = true
		return e
	case a.odd != "":
		return m.fail(agent.ErrInvalidResponse, withErrors(msg.Errorf(msg.ProgramOdd, a.odd), res.Errors))
	case strings.TrimSpace(a.text) == "":
		e := m.classify("", res) // programs say on standard error alone, and with status 0, that nobody has logged in
		if e.Kind == agent.ErrServer && e.Status == 0 {
			e.Kind, e.Retryable = agent.ErrInvalidResponse, true
		}
		e.Err = withErrors(msg.Errorf(msg.ProgramNothing), res.Errors)
		return e
	}
	return nil
}

// exited is the error of a program that did not end well.
func (m *model) exited(a *answer, res *shell.Result) *agent.ModelError {
	said := a.fault
	if said == "" && !a.failed && a.odd == "" {
		said = text.Head(strings.TrimSpace(a.text), 1000)
	}
	e := m.classify(said, res)
	if kind, ok := m.CLI.Exits[res.Code]; ok && (e.Kind == agent.ErrServer || kind == agent.ErrAuth || kind == agent.ErrConfig) {
		e.Kind, e.Retryable = kind, false
	}
	if res.Signal != "" { // somebody else has ended it: that says nothing about the request
		e.Kind, e.Retryable = agent.ErrServer, true
	}
	e.Err = fmt.Errorf("%s: %w", res.Status(), e.Err)
	return e
}

// statusWord finds the HTTP status that programs repeat in their words. Like those below it is made when a program has
// failed, not at each start.
func statusWord() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:API Error|status(?: code)?|HTTP(?:/[\d.]+)?)[:= ]+\(?([45]\d\d)\b`)
}

// loginWord is how programs say that nobody has logged in.
func loginWord() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:please|must|need to) (?:run .{0,40})?log ?in\b|/login\b|\blogin required|not logged in|\bauth(?:entication)? method|未登录|请先?登录|重新登录`)
}

// networkWord is how programs say that they could not reach their server.
func networkWord() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bE(?:CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)\b|fetch failed|network error|socket hang up|connection (?:error|refused|reset|closed)|no such host|网络(?:错误|异常)`)
}

// passingWord is how they say that the server could not answer.
func passingWord() *regexp.Regexp {
	return regexp.MustCompile(`(?i)internal (?:server )?error|overloaded|unavailable|try again|bad gateway|gateway time|timed out|upstream|disconnected|服务不可用|稍后`)
}

// classify finds out what a failure is, by the words of the program; what it wrote to standard error counts where the
// others say nothing.
func (m *model) classify(said string, res *shell.Result) *agent.ModelError {
	noise := strings.TrimSpace(text.Clean(res.Errors))
	evidence := joined(said, noise)
	status := 0
	if hit := statusWord().FindStringSubmatch(evidence); hit != nil {
		status, _ = strconv.Atoi(hit[1])
	}
	var e *agent.ModelError
	switch {
	case said == "" && noise == "":
		e = m.fail(agent.ErrServer, msg.Errorf(msg.ProgramSilent))
	case said == "":
		e = m.judge(tail(noise), status)
	default:
		e = m.judge(said, status)
		if e.Kind == agent.ErrServer && !e.Retryable && noise != "" {
			more := m.judge(tail(noise), status)
			e.Kind, e.Retryable, e.RetryAfter = more.Kind, more.Retryable, more.RetryAfter
		}
		e.Err = withErrors(e.Err, res.Errors)
	}
	if loginWord().MatchString(evidence) {
		e.Kind, e.Retryable = agent.ErrAuth, false
	}
	if e.Kind == agent.ErrAuth {
		e.Err = m.check(e.Err)
	}
	return e
}

// judge reads a failure from words; status is the one that stands in them, 0 = none.
func (m *model) judge(body string, status int) *agent.ModelError {
	known := status
	if status == 0 {
		known = 400 // so that what nobody knows is not taken for a server that is busy
	}
	e := wire.Classify(wire.Failure{Provider: m.name(), Status: known, Body: []byte(body)})
	if e.Kind == agent.ErrBadRequest && status == 0 {
		e.Kind, e.Retryable = agent.ErrServer, passingWord().MatchString(body)
		if networkWord().MatchString(body) {
			e.Kind, e.Retryable = agent.ErrNetwork, true
		}
	}
	e.Status = status
	return e
}

// check says how to try the program without us. It is put around what the program said.
func (m *model) check(said error) error {
	alone := ""
	if m.CLI.Install != "" { // one of those that take -p
		alone = ": " + m.CLI.Command[0] + ` -p "Hello"`
	}
	if len(m.Preset.KeyEnv) > 0 {
		return msg.Errorf(msg.ProgramLogin, said, m.Preset.KeyEnv[0], alone)
	}
	return msg.Errorf(msg.ProgramAlone, said, alone)
}

const tailBytes = 2000

func tail(s string) string {
	if len(s) > tailBytes {
		s = "…" + strings.ToValidUTF8(s[len(s)-tailBytes:], "")
	}
	return s
}

// withErrors adds the end of what a program wrote to standard error, with keys masked.
func withErrors(err error, raw []byte) error {
	noise := strings.TrimSpace(text.Clean(raw))
	if noise == "" {
		return err
	}
	masked := wire.Classify(wire.Failure{Status: 400, Body: []byte(tail(noise))}).Err
	return msg.Errorf(msg.ProgramStderr, err, masked)
}
