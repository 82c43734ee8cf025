package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"react-agent/agent"
)

//go:embed http_request.md
var httpDoc string

//go:embed http_get.md
var httpGetDoc string

type httpArgs struct {
	URL     string            `json:"url"`
	Method  string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS" doc:"default GET"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Timeout int               `json:"timeout,omitempty" doc:"seconds, default 30"`
}

// httpGetArgs does not call the url required: the face has its own words for a call without.
type httpGetArgs struct {
	URL string `json:"url,omitempty"`
}

const (
	httpTime  = 30 * time.Second // of a request that names no time
	maxHTTP   = time.Hour        // a model may ask for
	getTime   = 5 * time.Second  // of the face that knows only a url
	getCut    = 1000             // characters
	userAgent = "Mozilla/5.0 (compatible; react-agent)"
)

// HTTPRequest makes the tool that sends one HTTP request, with Texts.HTTP.Got set the small one that knows only a url. It
// is Shared, and may also be called http_get.
//
// The address that is really connected to decides: one that is not on the public internet needs Env.Private or the person,
// also when a redirect or a changed look-up leads there. A proxy named in Env.Vars is used; then the name or address in the
// URL decides. An "always" holds for this tool until the program ends. A request to another host after a redirect
// carries neither the model's headers nor a body. Cookies are not kept. Any status is a result and no failure; at most 5 MiB
// of a body are read.
func HTTPRequest(e Env) agent.Tool {
	e = e.withDefaults()
	known := newGrants()
	var t agent.Tool
	if e.Texts.HTTP.Got != "" {
		t = agent.NewTool("http_request", strings.TrimSpace(httpGetDoc), agent.Executes,
			func(ctx context.Context, a httpGetArgs) (agent.Result, error) {
				return e.request(ctx, httpArgs{URL: a.URL}, getTime, known)
			})
	} else {
		t = agent.NewTool("http_request", strings.TrimSpace(httpDoc), agent.Executes,
			func(ctx context.Context, a httpArgs) (agent.Result, error) {
				limit := httpTime
				if a.Timeout > 0 {
					limit = min(time.Duration(min(a.Timeout, maxSeconds))*time.Second, maxHTTP)
				}
				return e.request(ctx, a, limit, known)
			})
	}
	t.Aliases = []string{"http_get"}
	t.Shared = true
	return t
}

func (e Env) request(ctx context.Context, a httpArgs, limit time.Duration, known *grants) (agent.Result, error) {
	words := e.Texts.HTTP
	if strings.TrimSpace(a.URL) == "" {
		return agent.ErrorResult(words.NoURL), nil
	}
	r, err := e.newRequest(a)
	if err != nil {
		return agent.ErrorResult(fmt.Sprintf(words.BadRequest, err.Error())), nil
	}
	rep, err := e.travel(ctx, r, limit, known)
	if err == nil && rep.broken != nil && (words.Got != "" || e.Texts.Bare) {
		err = fmt.Errorf("reading the body: %w", rep.broken)
	}
	if err != nil {
		if _, slow := errors.AsType[slowError](err); slow && words.Timeout != "" {
			return agent.ErrorResult(words.Timeout), ctx.Err()
		}
		return agent.ErrorResult(fmt.Sprintf(words.Failed, err.Error())), ctx.Err()
	}
	if words.Got != "" {
		return agent.TextResult(fmt.Sprintf(words.Got, rep.code, firstRunes(rep.text(), getCut))), nil
	}
	out := agent.TextResult(rep.show(e.Cut))
	if notes := rep.notes(); len(notes) > 0 && !e.Texts.Bare {
		out.Parts = append(out.Parts, agent.TextPart("\n["+strings.Join(notes, "]\n[")+"]"))
	}
	out.Error = rep.broken != nil
	return out, nil
}

// newRequest checks what the model asks for.
func (e Env) newRequest(a httpArgs) (request, error) {
	u, err := readURL(a.URL, nil)
	if err != nil {
		return request{}, err
	}
	r := request{method: strings.ToUpper(a.Method), url: u, header: http.Header{}, body: a.Body}
	if r.method == "" {
		r.method = http.MethodGet
	}
	for name, value := range a.Headers {
		if err := r.set(name, value); err != nil {
			return request{}, err
		}
	}
	if r.body != "" && r.header.Get("Content-Type") == "" {
		r.header.Set("Content-Type", "application/json")
	}
	if r.header.Get("User-Agent") == "" {
		r.header.Set("User-Agent", userAgent)
	}
	return r, nil
}

// set takes over one header of the model. Those that net/http writes itself may only say what it will write.
func (r *request) set(name, value string) error {
	name = strings.TrimSpace(name)
	if !httpguts.ValidHeaderFieldName(name) {
		return fmt.Errorf("header name %q is not allowed: a name has letters, digits and -", name)
	}
	value = strings.TrimSpace(value)
	if !httpguts.ValidHeaderFieldValue(value) {
		return fmt.Errorf("header %s: the value holds a line break or another control character", name)
	}
	own := false
	switch key := http.CanonicalHeaderKey(name); key {
	case "Host":
		own = strings.EqualFold(value, r.url.Host)
	case "Content-Length":
		own = value == strconv.Itoa(len(r.body))
	case "Connection":
		own = strings.EqualFold(value, "close") || strings.EqualFold(value, "keep-alive")
	case "Accept-Encoding":
		own = true // what is compressed is unpacked
	case "Transfer-Encoding", "Upgrade", "Trailer", "Te", "Keep-Alive", "Expect", "Proxy-Authorization", "Proxy-Connection":
	default:
		if _, twice := r.header[key]; twice {
			return fmt.Errorf("header %s is given twice", key)
		}
		r.header.Set(key, value)
		return nil
	}
	if !own {
		return fmt.Errorf("header %s cannot be set: it follows from the url and the body", name)
	}
	return nil
}
