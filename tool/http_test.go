package tool

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func TestRequestForm(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.Header().Add("Set-Cookie", "a=1")
			w.Header().Add("Set-Cookie", "b=2; Path=/")
			w.Header().Set("X-Other", "no")
			fmt.Fprint(w, `{"b":[1,2,{}],"a":"<&> 日本","e":[]}`)
		case "/created":
			w.Header().Set("Location", "/things/7")
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, "made\n")
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/odd":
			w.Header()["Content-Type"] = nil
			w.WriteHeader(799)
			fmt.Fprint(w, "odd")
		case "/broken.json":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"a":`)
		}
	})
	for _, c := range []struct{ path, method, want string }{
		{"/json", "GET", "HTTP 200 OK\nContent-Type: application/json; charset=utf-8\nContent-Length: 38\nSet-Cookie: a=1\nSet-Cookie: b=2; Path=/\n\n" +
			"{\n  \"b\": [\n    1,\n    2,\n    {}\n  ],\n  \"a\": \"<&> 日本\",\n  \"e\": []\n}"},
		{"/created", "POST", "HTTP 201 Created\nContent-Type: text/plain\nContent-Length: 5\nLocation: /things/7\n\nmade\n"},
		{"/none", "DELETE", "HTTP 204 No Content\n\n"},
		{"/json", "HEAD", "HTTP 200 OK\nContent-Type: application/json; charset=utf-8\nContent-Length: 38\nSet-Cookie: a=1\nSet-Cookie: b=2; Path=/\n\n"},
		{"/odd", "GET", "HTTP 799 status code 799\nContent-Length: 3\n\nodd"},
		{"/broken.json", "GET", "HTTP 400 Bad Request\nContent-Type: application/problem+json\nContent-Length: 5\n\n{\"a\":"},
	} {
		got, r := call(t, HTTPRequest(web(t)), args{"url": s.URL + c.path, "method": c.method})
		if got != c.want || r.Error {
			t.Errorf("%s %s: %q\nwant %q", c.method, c.path, got, c.want)
		}
	}
}

// echo answers with what came.
func echo(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	user, password, _ := r.BasicAuth()
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "%s %s|type=%s|x=%s|auth=%s|user=%s:%s|cookie=%s|agent=%t|%s", r.Method, r.URL.Path, r.Header.Get("Content-Type"),
		r.Header.Get("X-Key"), r.Header.Get("Authorization"), user, password, r.Header.Get("Cookie"), r.UserAgent() != "", b)
}

// body is the part after the empty line.
func body(s string) string {
	_, b, _ := strings.Cut(s, "\n\n")
	return b
}

func TestRequestIsSent(t *testing.T) {
	s := serve(t, echo)
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"url": s.URL + "/a#part"}, "GET /a|type=|x=|auth=|user=:|cookie=|agent=true|"},
		{args{"url": s.URL, "method": "POST", "body": `{"a":1}`}, `POST /|type=application/json|x=|auth=|user=:|cookie=|agent=true|{"a":1}`},
		{args{"url": s.URL, "method": "PUT", "body": "x", "headers": args{"content-type": "text/x", "x-key": " v "}}, "PUT /|type=text/x|x=v|auth=|user=:|cookie=|agent=true|x"},
		{args{"url": s.URL, "method": "OPTIONS", "headers": args{"Accept-Encoding": "br", "Connection": "keep-alive"}}, "OPTIONS /|type=|x=|auth=|user=:|cookie=|agent=true|"},
		{args{"url": strings.Replace(s.URL, "//", "//me:geheim@", 1)}, "GET /|type=|x=|auth=Basic bWU6Z2VoZWlt|user=me:geheim|cookie=|agent=true|"},
		{args{"url": s.URL, "method": "PATCH", "body": "ab", "headers": args{"Content-Length": "2", "Host": strings.TrimPrefix(s.URL, "http://")}}, "PATCH /|type=application/json|x=|auth=|user=:|cookie=|agent=true|ab"},
	} {
		if got, r := call(t, HTTPRequest(web(t)), c.a); body(got) != c.want || r.Error {
			t.Errorf("%v: %q\nwant %q", c.a, got, c.want)
		}
	}
}

func TestBadRequests(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	for _, c := range []struct {
		a                 args
		want, mini, large string
	}{
		{args{"url": ""}, "Error: url is required", "错误：缺少参数 url", ""},
		{args{"url": "ftp://x/"}, "Error creating request: the url's scheme is \"ftp\"; only http and https are fetched", "工具内部错误：the url's scheme is \"ftp\"; only http and https are fetched", ""},
		{args{"url": s.URL, "headers": args{"X": "a\r\nEvil: 1"}}, "Error creating request: header X: the value holds a line break or another control character", "", ""},
		{args{"url": s.URL, "headers": args{"X: y\r\nEvil": "1"}}, "", "", "Error creating request: header name"},
		{args{"url": s.URL, "headers": args{"": "1"}}, "", "", "Error creating request: header name"},
		{args{"url": s.URL, "headers": args{"Host": "other"}}, "", "", "Error creating request: header Host cannot be set"},
		{args{"url": s.URL, "headers": args{"transfer-encoding": "chunked"}}, "", "", "Error creating request: header transfer-encoding cannot be set"},
		{args{"url": s.URL, "headers": args{"Content-Length": "7"}}, "", "", "Error creating request: header Content-Length cannot be set"},
		{args{"url": s.URL, "headers": args{"Connection": "Upgrade"}}, "", "", "Error creating request: header Connection cannot be set"},
		{args{"url": s.URL, "headers": args{"a": "1", "A": "2"}}, "", "", "Error creating request: header A is given twice"},
	} {
		got, r := call(t, HTTPRequest(web(t)), c.a)
		if c.want != "" && got != c.want || !strings.HasPrefix(got, c.large) || !r.Error {
			t.Errorf("%v: %q", c.a, got)
		}
		if c.mini == "" {
			continue
		}
		e := web(t)
		e.Texts = Mini()
		if got, r := call(t, HTTPRequest(e), args{"url": c.a["url"]}); got != c.mini || !r.Error {
			t.Errorf("mini, %v: %q", c.a, got)
		}
	}
	if got, r := call(t, WebFetch(web(t)), args{"url": " "}); got != "Error: url is required" || !r.Error {
		t.Errorf("%q", got)
	}
}

// The kernel's check goes first, and the tool answers to its other name.
func TestRequestThroughTheKernel(t *testing.T) {
	s := serve(t, echo)
	mini := web(t)
	mini.Texts = Mini()
	for _, c := range []struct {
		e                Env
		name, args, want string
	}{
		{web(t), "http_get", `{"url":"` + s.URL + `/x"}`, "GET /x|"},
		{web(t), "http_request", `{"url":"` + s.URL + `","method":"TRACE"}`, "method: must be one of"},
		{web(t), "http_request", `{}`, "url: is required"},
		{mini, "http_get", `{}`, "错误：缺少参数 url"},
	} {
		a := &agent.Agent{Tools: []agent.Tool{HTTPRequest(c.e)}, Model: agenttest.NewModel(agenttest.CallTool(c.name, c.args), agenttest.Say("done"))}
		events, err := agenttest.Collect(a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, ev := range events {
			if ev.Type == agent.EvMessage && ev.Message.Result() != nil {
				got += ev.Message.Result().Text()
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q", c.name, c.args, got)
		}
	}
}

func TestHTTPGetFace(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			fmt.Fprint(w, strings.Repeat("日", 1500))
			return
		}
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "100%s gone")
	})
	e := web(t)
	e.Texts = Mini()
	tool := HTTPRequest(e)
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(tool.Schema, &schema); err != nil || len(schema.Properties) != 1 || len(schema.Required) != 0 {
		t.Errorf("%s: %v", tool.Schema, err)
	}
	if got, r := call(t, tool, args{"url": s.URL + "/long"}); got != "请求成功（状态码：200）:\n"+strings.Repeat("日", 1000) || r.Error {
		t.Errorf("%q", got)
	}
	if got, _ := call(t, tool, args{"url": s.URL}); got != "请求成功（状态码：404）:\n100%s gone" {
		t.Errorf("%q", got)
	}
	s.Close()
	if got, r := call(t, tool, args{"url": s.URL}); !strings.HasPrefix(got, "请求失败：dial tcp ") || !r.Error {
		t.Errorf("%q", got)
	}
	if got, r := call(t, HTTPRequest(web(t)), args{"url": s.URL}); !strings.HasPrefix(got, "Error: dial tcp ") || !r.Error {
		t.Errorf("%q", got)
	}
}

func TestRequestLongBodies(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		switch r.URL.Path {
		case "/exact":
			fmt.Fprint(w, strings.Repeat("日", 50_000))
		case "/over":
			fmt.Fprint(w, strings.Repeat("日", 50_001))
		case "/10mb":
			for range 160 {
				fmt.Fprint(w, strings.Repeat("x", 64<<10))
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := make([]byte, 1<<20)
			for range 20 {
				if _, err := z.Write(zeros); err != nil {
					return // the reader has had enough
				}
			}
			z.Close()
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, "unpacked")
			z.Close()
		case "/deep":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, strings.Repeat("[", 9000)+strings.Repeat("]", 9000))
		case "/number":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"n":12345678901234567890.123456789}`)
		}
	})
	get := func(path string) (string, agent.Result) {
		return call(t, HTTPRequest(web(t)), args{"url": s.URL + path})
	}
	if got, _ := get("/exact"); body(got) != strings.Repeat("日", 50_000) {
		t.Errorf("%d bytes", len(got))
	}
	if got, _ := get("/over"); body(got) != strings.Repeat("日", 50_000)+"... (truncated)" {
		t.Errorf("%d bytes, %q", len(got), got[len(got)-40:])
	}
	if got, r := get("/10mb"); !strings.HasPrefix(body(got), strings.Repeat("x", 50_000)+"... (truncated)\n[the body is longer than 5 MiB; the rest was not read]") || r.Error {
		t.Errorf("%d bytes, %q", len(got), got[max(0, len(got)-90):])
	}
	if got, _ := get("/bomb"); len(got) > 300_000 || !strings.Contains(got, "longer than 5 MiB") {
		t.Errorf("%d bytes", len(got))
	}
	if got, _ := get("/gzip"); body(got) != "unpacked" {
		t.Errorf("%q", got)
	}
	if got, _ := get("/deep"); len(got) > 250_000 || !strings.HasSuffix(got, "... (truncated)") {
		t.Errorf("%d bytes", len(got))
	}
	if got, _ := get("/number"); body(got) != "{\n  \"n\": 12345678901234567890.123456789\n}" {
		t.Errorf("%q", got)
	}
}

func TestRequestBrokenBodies(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort":                                 "short\n[the body ends early, after 5 bytes: unexpected EOF]",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\nzz":               "short\n[the body ends early, after 5 bytes: ",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\nplain text":   "\n[the body ends early, after 0 bytes: gzip: invalid header]",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n":        "whole",
		"HTTP/1.1 200 OK\r\n\r\nuntil the end":                                                "until the end",
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlonger":                                  "long",
		"HTTP/1.0 200 \x1b[31mred\x1b[0m\r\nContent-Type: text/plain\r\n\r\nx":                "x",
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=gbk\r\n\r\n\xc4\xe3\xba\xc3":    "你好",
		"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n\x00\x00\xff\xfe": "",
	} {
		got, r := call(t, HTTPRequest(web(t)), args{"url": raw(t, answer)})
		if !strings.HasPrefix(body(got), want) || r.Error != strings.Contains(want, "early") {
			t.Errorf("%q: %q, failed %v, want %q", answer, got, r.Error, want)
		}
		if strings.ContainsAny(got, "\x00\x1b\ufffd") {
			t.Errorf("%q: %q", answer, got)
		}
		e := web(t)
		e.Texts = Server()
		got, r = call(t, HTTPRequest(e), args{"url": raw(t, answer)})
		if r.Error != strings.Contains(want, "early") || r.Error && !strings.HasPrefix(got, "Error: reading the body: ") {
			t.Errorf("server face, %q: %q", answer, got)
		}
	}
	for _, answer := range []string{"", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 2<<20) + "\r\n\r\n"} {
		if got, r := call(t, HTTPRequest(web(t)), args{"url": raw(t, answer)}); !r.Error || !strings.HasPrefix(got, "Error: ") || len(got) > 300 {
			t.Errorf("%.30q: %.300q", answer, got)
		}
	}
}

// A cancel ends a request that waits, at once.
func TestRequestCancelled(t *testing.T) {
	begun := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	raw, err := json.Marshal(args{"url": s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := HTTPRequest(web(t)).Run(ctx, agent.Call{Args: raw}); err == nil || !r.Error {
		t.Errorf("%v, %v", r, err)
	}
}

func TestIndentAsJSONDoes(t *testing.T) {
	for _, c := range []string{`{}`, `[]`, `[[],{}]`, `{"a":{"b":[1,"x\"],{",null]},"c":[]}`, ` [ 1 , "a b\\" ] `, `"s"`, `12.50`, `{"":""}`} {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(strings.TrimSpace(c)), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := indent([]byte(c), 1000); got != want.String() {
			t.Errorf("%s: %q, want %q", c, got, want.String())
		}
	}
}
