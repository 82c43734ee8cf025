package tool

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"pgregory.net/rapid"

	"react-agent/agent"
)

const page = `<!doctype html><html><head><title>The
 title</title><base href="/docs/"><style>p{}</style><script>evil()</script></head><body>
<nav><a href="../home">home</a></nav>
<p>Hello <b>bold</b>, <a href="a b?q=1#x">link</a>, <a href="javascript:alert(1)">js</a>, [x](y) a*b_c</p>
<p hidden>unseen</p><p style="display: none">unseen</p><noscript>unseen</noscript><svg><text>unseen</text></svg>
<img src="pic.png" alt="a picture"><img src="data:image/png;base64,AAAA">
<ul><li>one<ul><li>deep</li></ul></li></ul><ol><li>x</li></ol><ul><li>y</li></ul>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>two<br>lines</td></tr></table>
<pre><code class="language-go">if a &lt; b {
	x()
}</code></pre><blockquote>said</blockquote></body></html>`

func TestFetchMarkdown(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	})
	got, r := call(t, WebFetch(web(t)), args{"url": s.URL + "/x/y"})
	if r.Error || strings.Contains(got, "unseen") || strings.Contains(got, "evil") || strings.Contains(got, "javascript") || strings.Contains(got, "base64") {
		t.Errorf("%q", got)
	}
	for _, want := range []string{
		"# The title\n\n[home](" + s.URL + "/home)", "Hello **bold**, [link](" + s.URL + "/docs/a%20b?q=1#x)", "[x](y) a*b_c",
		"![a picture](" + s.URL + "/docs/pic.png)", "- one\n  \n  - deep", "| A | B |\n|---|---|\n| 1 | two<br />lines |", "```go\nif a < b {\n\tx()\n}\n```", "> said",
	} {
		if !strings.Contains(strings.ReplaceAll(got, "two  <br />", "two<br />"), want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestFetchArticle(t *testing.T) {
	text := strings.Repeat("<p>The main text of this page has many words, and commas, and says something about gophers.</p>", 20)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/empty" {
			return
		}
		fmt.Fprint(w, `<html><head><title>T</title></head><body><div class="sidebar menu"><a href=/1>clutter</a></div><article>`+text+`<a href="next">on</a></article><div class="footer">clutter</div></body></html>`)
	})
	got, r := call(t, WebFetch(web(t)), args{"url": s.URL + "/a/b", "article": true})
	if r.Error || strings.Contains(got, "clutter") || strings.Count(got, "gophers") != 20 || !strings.HasPrefix(got, "# T\n") || !strings.Contains(got, "[on]("+s.URL+"/a/next)") {
		t.Errorf("%q", got)
	}
	if got, _ := call(t, WebFetch(web(t)), args{"url": s.URL}); !strings.Contains(got, "clutter") {
		t.Errorf("%q", got)
	}
	if got, r := call(t, WebFetch(web(t)), args{"url": s.URL + "/empty", "article": true}); got != "(empty)" || r.Error {
		t.Errorf("%q", got)
	}
}

func TestFetchKinds(t *testing.T) {
	answers := map[string]struct{ kind, body, want string }{
		"/json":   {"application/json", `{"a":  1}`, `{"a":  1}`},
		"/text":   {"text/plain; charset=utf-8", "a\r\nb\x1b[31mc", "a\nbc"},
		"/md":     {"text/markdown", "# <b>x</b>", "# <b>x</b>"},
		"/xml":    {"application/rss+xml", "<rss/>", "<rss/>"},
		"/js":     {"application/javascript", "x<1", "x<1"},
		"/none":   {"", "plain words", "plain words"},
		"/sniff":  {"", "<html><body><p>hi</body></html>", "hi"},
		"/octet":  {"application/octet-stream", "just text", "just text"},
		"/pdf":    {"application/pdf", "%PDF-1.7 xxx", "[application/pdf, 12 bytes: not text, so it is not shown."},
		"/png":    {"image/png", "\x89PNG\r\n\x1a\n", "[image/png, 8 bytes: not text"},
		"/svg":    {"image/svg+xml", "<svg/>", "[image/svg+xml, 6 bytes: not text"},
		"/zip":    {"application/octet-stream", "PK\x03\x04zz", "[application/zip, 6 bytes: not text"},
		"/lie":    {"text/plain", "a\x00b", "[text/plain with zero bytes, 3 bytes: not text"},
		"/lie2":   {"text/html", "<p>a\x00b", "[text/html with zero bytes, 6 bytes: not text"},
		"/utf16":  {"text/plain", "\xff\xfeh\x00i\x00", "hi"},
		"/bom":    {"text/plain", "\xef\xbb\xbfhi", "hi"},
		"/broken": {"text/html;;; =", "<p>hi", "hi"},
		"/blank":  {"text/html", "<html><body><script>x</script></body></html>", "(the page has no text)"},
		"/nested": {"text/html", strings.Repeat("<div>", 600) + "<p>deep <b>in</b>side</p><p>next", "[too much structure for Markdown; this is the bare text]\n\ndeep inside\nnext"},
		"/many":   {"text/html", "<title>T</title><script>no</script>" + strings.Repeat("<p>x", maxTags+1), "[too much structure for Markdown; this is the bare text]\n\nx\nx\n"},
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.Path]
		w.Header()["Content-Type"] = nil
		if a.kind != "" {
			w.Header().Set("Content-Type", a.kind)
		}
		fmt.Fprint(w, a.body)
	})
	for path, a := range answers {
		got, r := call(t, WebFetch(web(t)), args{"url": s.URL + path})
		if !strings.HasPrefix(got, a.want) || r.Error || len(a.want) < 30 && !strings.HasPrefix(a.want, "[") && got != a.want {
			t.Errorf("%s: %.200q, want %q", path, got, a.want)
		}
	}
}

func TestFetchFailures(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/404":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "gone")
		case "/202":
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, "soon")
		case "/300":
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusMultipleChoices)
			fmt.Fprint(w, "choose")
		}
	})
	for path, want := range map[string]string{
		"/404": "[HTTP 404 Not Found]\ngone", "/202": "[HTTP 202 Accepted]\nsoon", "/300": "[HTTP 300 Multiple Choices, Location: /elsewhere]\nchoose",
	} {
		if got, r := call(t, WebFetch(web(t)), args{"url": s.URL + path}); got != want || r.Error != (path == "/404") {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"url": s.URL, "offset": -1}, "Error: offset -1 is negative"},
		{args{"url": s.URL + "/404", "offset": 4}, "Error: offset 4 is behind the end: the text has 4 characters"},
		{args{"url": "mailto:x@y"}, `Error: the url's scheme is "mailto"`},
	} {
		if got, r := call(t, WebFetch(web(t)), c.a); !r.Error || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q", c.a, got)
		}
	}
	cut := raw(t, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>half a pa")
	if got, r := call(t, WebFetch(web(t)), args{"url": cut}); !r.Error || got != "[the body ends early, after 12 bytes: unexpected EOF]\nhalf a pa" {
		t.Errorf("%q", got)
	}
}

// The parts of a long page make up the whole.
func TestFetchPaging(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("第 %d 行", i))
	}
	whole := strings.Join(lines, "\n") + strings.Repeat("长", 2500)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, whole)
	})
	e := web(t)
	e.Cut = 1000
	got, offset, n := "", 0, 0
	for ; n < 100; n++ {
		part, r := call(t, WebFetch(e), args{"url": s.URL, "offset": offset})
		if r.Error || utf8.RuneCountInString(part) > 1100 {
			t.Fatalf("%q", part)
		}
		text, foot, more := strings.Cut(part, "\n[characters ")
		got += text
		if !more {
			break
		}
		var from, to, total, next int
		if _, err := fmt.Sscanf(foot, "%d to %d of %d; go on with offset %d]", &from, &to, &total, &next); err != nil || from != offset || to != next || total != utf8.RuneCountInString(whole) {
			t.Fatalf("%q: %v", foot, err)
		}
		if utf8.RuneCountInString(got) < next {
			got += "\n"
		}
		offset = next
	}
	if got != whole || n < 20 {
		t.Errorf("%d parts, %d bytes instead of %d", n, len(got), len(whole))
	}
}

func TestFetchBounds(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/10mb":
			w.Header().Set("Content-Type", "text/html")
			for range 160 {
				fmt.Fprint(w, strings.Repeat("word ", 13107))
			}
		case "/bomb":
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := make([]byte, 1<<20)
			for range 20 {
				if _, err := z.Write(zeros); err != nil {
					return // the reader has had enough
				}
			}
			z.Close()
		}
	})
	if got, r := call(t, WebFetch(web(t)), args{"url": s.URL + "/10mb"}); r.Error || !strings.HasPrefix(got, "[the body is longer than 5 MiB; the rest was not read]\nword word") || len(got) > 51_000 {
		t.Errorf("%d bytes, %.100q", len(got), got)
	}
	if got, r := call(t, WebFetch(web(t)), args{"url": s.URL + "/bomb"}); r.Error || !strings.Contains(got, "[image/png, more than 5 MiB: not text") {
		t.Errorf("%.300q", got)
	}
}

// Pages that are made to cost memory or time cost neither.
func TestHostilePages(t *testing.T) {
	at, err := url.Parse("http://h/")
	if err != nil {
		t.Fatal(err)
	}
	many := func(s string) string { return strings.Repeat(s, maxTags/4/strings.Count(s, "<")) }
	for name, h := range map[string]string{
		"spans":        "<table>" + many("<tr><td colspan=1000 rowspan=1000>y</td></tr>"),
		"few spans":    "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=65000>y</td></tr>", 1000),
		"wide table":   "<table><tr>" + strings.Repeat("<td>x", 20_000) + "</tr>" + strings.Repeat("<tr><td>y</tr>", 20_000),
		"fat cell":     "<table><tr><td>" + strings.Repeat("x ", 1<<18) + "</tr>" + strings.Repeat("<tr><td>y</tr>", 10_000),
		"deep quotes":  strings.Repeat("<blockquote>", 400) + many("x<br>"),
		"deep lists":   strings.Repeat("<ul><li>", 200) + strings.Repeat("<li>x", 10_000),
		"quoted lines": strings.Repeat("<blockquote>", 400) + "<pre>" + strings.Repeat("x\n", 1<<18),
		"tables":       strings.Repeat(strings.Repeat("<table><tr><td>", 50)+"x"+strings.Repeat("</table>", 50), 500),
		"brackets":     strings.Repeat("*_`[#", 1<<17),
		"attributes":   "<a " + strings.Repeat("x=y ", 1<<18) + ">t</a>",
		"less":         strings.Repeat("<", 1<<20),
		"comment":      "<!--" + strings.Repeat("-", 1<<20),
		"data":         "<img src=data:" + strings.Repeat("x", 1<<20) + ">",
	} {
		start := time.Now()
		s, err := toMarkdown([]byte(h), at, false)
		if took := time.Since(start); err != nil || len(s) > 16<<20 || took > 20*time.Second {
			t.Errorf("%s: %v, %d bytes after %s", name, err, len(s), took)
		}
	}
}

func TestCharsets(t *testing.T) {
	const zh, ja, ru, de = "中文网页的内容，全部都是汉字。", "日本語のページです。ひらがな", "Русский текст страницы", "Grüße aus Köln, süß"
	meta := func(label string) string {
		return `<html><head><meta charset="` + label + `"><title>t</title></head><body>`
	}
	for _, c := range []struct{ text, encoding, header, head string }{
		{zh, "gbk", "text/html; charset=gbk", "<body>"},
		{zh, "gbk", "text/html; charset=GB2312", "<body>"},
		{zh, "gb18030", "text/html", meta("gb18030")},
		{zh, "gbk", "text/html", meta("gb2312")},
		{zh, "gbk", "text/html", `<html><head><meta http-equiv="Content-Type" content="text/html; charset=gbk"></head><body>`},
		{zh, "gbk", "text/html", "<body>"},
		{zh, "gbk", "text/html; charset=utf-8", "<body>"},
		{zh, "gbk", "text/plain", ""},
		{zh, "gbk", "text/html; charset=nonsense", "<body>"},
		{zh, "big5", "text/html; charset=big5", "<body>"},
		{ja, "shift_jis", "text/html", meta("Shift_JIS")},
		{ja, "euc-jp", "text/html; charset=euc-jp", "<body>"},
		{ru, "windows-1251", "text/html", meta("windows-1251")},
		{ru, "koi8-r", "text/plain; charset=koi8-r", ""},
		{de, "windows-1252", "text/html", "<body>"},
		{de, "iso-8859-15", "text/html", meta("iso-8859-15")},
		{de, "windows-1252", "text/plain", ""},
		{zh, "utf-8", "text/html", "<body>" + strings.Repeat("ascii ", 1000)},
		{zh, "utf-8", "text/html", meta("utf-8")},
		{zh, "utf-8", "text/plain", ""},
		{zh, "utf-8", "text/plain", "\xef\xbb\xbf"},
		{zh, "utf-16le", "text/plain", "\xff\xfe"},
		{zh, "utf-16be", "text/html", "\xfe\xff"},
	} {
		want := c.text
		if c.encoding == "big5" {
			want = "繁體中文網頁"
		}
		enc, err := htmlindex.Get(c.encoding)
		if err != nil {
			t.Fatal(err)
		}
		b, err := enc.NewEncoder().Bytes([]byte(want))
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&reply{header: http.Header{"Content-Type": {c.header}}, body: append([]byte(c.head), b...), url: &url.URL{}}).page(false)
		if err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%s as %q after %.60q: %q, %v", c.encoding, c.header, c.head, got, err)
		}
	}
	if got := toUTF8([]byte("a \xff broken \x80 byte, 中"), "text/plain; charset=utf-8", false); string(got) != "a \xff broken \x80 byte, 中" {
		t.Errorf("%q", got)
	}
	if got := toUTF8([]byte("a\x00\xff\xfe"), "", false); string(got) != "a\x00\xff\xfe" {
		t.Errorf("%q", got)
	}
}

// Valid UTF-8 is never changed, whatever is said of it, unless somebody says it is something else.
func TestUTF8Stays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		if strings.HasPrefix(s, bom) {
			return
		}
		kind := rapid.SampledFrom([]string{"", "text/plain", "text/plain; charset=utf-8", "text/html; charset=UTF8", "x;;"}).Draw(t, "kind")
		if got := toUTF8([]byte(s), kind, false); string(got) != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// Whatever the bytes, the result is text.
func FuzzPage(f *testing.F) {
	f.Add([]byte(page), "text/html", true)
	f.Add([]byte("\xff\xfea"), "", false)
	f.Add([]byte("<table><td rowspan=-1><table><li>"), "text/html; charset=gbk", false)
	f.Fuzz(func(t *testing.T, b []byte, kind string, article bool) {
		rep := &reply{header: http.Header{"Content-Type": {kind}}, body: b, url: &url.URL{Scheme: "http", Host: "h"}}
		s, err := rep.page(article)
		if err != nil || !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b") {
			t.Errorf("%q, %v", s, err)
		}
		if s := rep.show(100); !utf8.ValidString(s) {
			t.Errorf("%q", s)
		}
	})
}

func TestEffects(t *testing.T) {
	for name, tool := range map[string]agent.Tool{"http_request": HTTPRequest(web(t)), "web_fetch": WebFetch(web(t)), "run_script": RunScript(web(t))} {
		if tool.Name != name || tool.Effect != agent.Executes || !tool.Shared || tool.Doc == "" {
			t.Errorf("%+v", tool)
		}
	}
}
