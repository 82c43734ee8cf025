package wire

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// Bounds of what is read of a failure.
const (
	maxFailure = 64 << 10 // bytes that are looked at
	maxNesting = 8
	maxPieces  = 64  // codes, and texts
	maxMessage = 500 // runes of the error's text
)

// evidence is what a failure says.
type evidence struct {
	raw    []byte
	html   bool
	status int      // a status named in the body, 0 = none
	codes  []string // letters and digits only, in lower case
	shown  string   // the first code, as it came
	texts  []string // as they came
	around []string // what stood before and behind JSON in a text
	text   string   // all of both, made simple for comparison
	number int64    // the first code that is a number and no status
	family string   // which vendor's numbers they must be, by the shape of the body
	waits  []time.Duration
	resets []string // values of limit headers that a gateway passed on in the body
	name   string   // of the status
	places []string // of the request that the server complains about
}

// readFailure collects everything that may tell what happened.
func readFailure(f *Failure) *evidence {
	v := &evidence{raw: bytes.TrimSpace(bytes.TrimPrefix(f.Body, []byte("\ufeff")))}
	v.name = http.StatusText(f.Status)
	if len(v.raw) > maxFailure {
		v.raw = v.raw[:maxFailure]
	}
	for _, key := range []string{"X-Amzn-Errortype", "X-Error-Code"} {
		code, _, _ := strings.Cut(f.Header.Get(key), ":")
		v.code(code)
	}
	text := strings.ToValidUTF8(string(v.raw), "\ufffd")
	switch {
	case isPage(text):
		v.html = true
		v.texts = append(v.texts, title(text))
	case !v.inner(text, 0):
		v.texts = append(v.texts, plain(text))
	}
	if len(v.texts) == 0 && len(v.codes) == 0 {
		v.texts = append(v.texts, text)
	}
	v.text = simple(strings.Join(append(v.around, v.texts...), "\n"))
	if !v.html {
		v.numberInText()
	}
	return v
}

// isPage reports whether a text is a web page, or XML.
func isPage(text string) bool {
	if !strings.HasPrefix(text, "<") {
		return false
	}
	low := strings.ToLower(text[:min(len(text), 1024)])
	for _, mark := range []string{"<!doctype", "<html", "<head", "<body", "<?xml", "<title", "<center", "<h1", "<error", "<!--"} {
		if strings.Contains(low, mark) {
			return true
		}
	}
	return false
}

// title is what a page is called.
func title(page string) string {
	low := strings.ToLower(page)
	if len(low) != len(page) {
		page = low // lower case of some letters has another length
	}
	for _, tag := range []string{"title", "h1", "message", "h2"} {
		i := strings.Index(low, "<"+tag)
		if i < 0 {
			continue
		}
		open := strings.IndexByte(low[i:], '>')
		end := strings.Index(low[i:], "</"+tag)
		if open < 0 || end <= open {
			continue
		}
		if t := strings.TrimSpace(page[i+open+1 : i+end]); t != "" {
			return "a web page: " + t
		}
	}
	return "a web page"
}

// plain is a text without the framing of an event stream.
func plain(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "data:"); ok {
			line = strings.TrimSpace(rest)
		}
		if line == "" || line == "[DONE]" || strings.HasPrefix(line, "event:") || strings.HasPrefix(line, "id:") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// inner reads JSON that a text is, or that stands in it. False: there is none.
func (v *evidence) inner(text string, depth int) bool {
	text = strings.TrimSpace(text)
	if depth > maxNesting || len(text) < 2 {
		return false
	}
	if gjson.Valid(text) {
		before := len(v.texts) + len(v.codes)
		r := gjson.Parse(text)
		if r.Type == gjson.String {
			v.say(r.Str, depth+1)
		} else {
			v.walk(r, depth+1)
		}
		return len(v.texts)+len(v.codes) > before
	}
	i := strings.IndexByte(text, '{')
	j := strings.LastIndexByte(text, '}')
	if i < 0 || j <= i || i == 0 && j == len(text)-1 {
		return false
	}
	at := len(v.texts)
	if !v.inner(text[i:j+1], depth+1) {
		return false
	}
	v.around = append(v.around, text[:i], text[j+1:])
	if lead := strings.Trim(text[:i], " :-[\n"); lead != "" && !strings.HasPrefix(lead, "data") && !strings.HasPrefix(lead, "event") {
		v.texts = slices.Insert(v.texts, at, lead)
	}
	return true
}

// walk reads the fields of an object that vendors use for errors, and of the objects in it.
func (v *evidence) walk(r gjson.Result, depth int) {
	if depth > maxNesting || len(v.texts) >= maxPieces || len(v.codes) >= maxPieces {
		return
	}
	switch {
	case r.Get("base_resp").IsObject():
		v.family = "minimax"
	case r.Get("error_msg").Exists() && r.Get("error_code").Type == gjson.Number:
		v.family = "qianfan"
	}
	r.ForEach(func(key, f gjson.Result) bool {
		name := letters(key.Str)
		switch {
		case name == "loc":
			v.place(f)
		case isContent(name):
		case f.Type == gjson.JSON:
			if name == "retrydelay" {
				v.delay(f, time.Second)
			}
			v.walk(f, depth+1)
		case r.IsArray():
			v.say(f.String(), depth)
		default:
			v.field(name, f, depth)
		}
		return len(v.texts) < maxPieces && len(v.codes) < maxPieces
	})
}

// place notes which field of the request a complaint is about. It is no word of the complaint: fields are named after what
// kinds of errors are named after.
func (v *evidence) place(f gjson.Result) {
	var path []string
	f.ForEach(func(_, step gjson.Result) bool {
		path = append(path, step.String())
		return len(path) < maxNesting
	})
	if at := strings.Join(path, "."); at != "" && len(v.places) < 3 && !slices.Contains(v.places, at) {
		v.places = append(v.places, at)
	}
}

// isContent reports whether a field holds what a model wrote, or what was sent.
func isContent(name string) bool {
	switch name {
	case "choices", "usage", "candidates", "output", "content", "failedgeneration", "messages", "input", "tools", "usagemetadata", "body", "ctx":
		return true
	}
	return false
}

// field reads one simple field.
func (v *evidence) field(name string, f gjson.Result, depth int) {
	switch name {
	case "message", "msg", "error", "detail", "details", "errormsg", "errormessage", "errmsg", "statusmsg", "statusmessage", "description", "raw",
		"errordescription", "title", "errors", "reason", "cause", "finishmessage", "errorinfo":
		if name == "reason" || name == "error" {
			v.code(f.Str)
		}
		if f.Type == gjson.String && (name != "reason" || strings.Contains(f.Str, " ")) {
			v.say(f.Str, depth)
		}
		if name == "error" && f.Type == gjson.Number {
			v.numeric(f)
		}
	case "code", "type", "status", "statuscode", "errorcode", "errortype", "httpcode", "httpstatus", "errcode", "quotaid", "blockreason":
		if !v.numeric(f) {
			v.code(f.String())
		}
	default:
		v.clock(name, f)
	}
}

// clock reads a field that says when to come back.
func (v *evidence) clock(name string, f gjson.Result) {
	switch name {
	case "retrydelay", "retryafter", "retryafterseconds", "retryafters", "retryin":
		v.delay(f, time.Second)
	case "retryafterms", "retrydelayms":
		v.delay(f, time.Millisecond)
	case "xratelimitreset", "ratelimitreset":
		v.resets = append(v.resets, f.String())
	}
}

// say takes a text, and JSON that stands in it.
func (v *evidence) say(text string, depth int) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if !v.inner(text, depth+1) {
		v.texts = append(v.texts, text)
	}
}

// code takes a code.
func (v *evidence) code(code string) {
	c := letters(code)
	if c == "" || len(c) > 120 || c == "error" || c == "null" || c == "none" || c == "typegoogleapiscomgooglerpcerrorinfo" {
		return
	}
	if v.shown == "" && !strings.ContainsAny(code, " \n") {
		v.shown = code
	}
	v.codes = append(v.codes, c)
}

// numeric takes a code that is a number: a status, or a vendor's own.
func (v *evidence) numeric(f gjson.Result) bool {
	n, err := strconv.ParseInt(strings.TrimSpace(f.String()), 10, 64)
	if err != nil {
		return false
	}
	switch {
	case n >= 400 && n < 600:
		if v.status == 0 {
			v.status = int(n)
		}
	case n != 0 && n != http.StatusOK && v.number == 0:
		v.number = n
	}
	return true
}

// numberInText takes a vendor's number that stands in brackets at the end of its text.
func (v *evidence) numberInText() {
	if v.number != 0 {
		return
	}
	for _, t := range v.texts {
		t = strings.TrimRight(t, " .")
		i := strings.LastIndexByte(t, '(')
		if i < 0 || !strings.HasSuffix(t, ")") {
			continue
		}
		if n, err := strconv.ParseInt(t[i+1:len(t)-1], 10, 64); err == nil && n >= 1000 && n < 10000 {
			v.number = n
			return
		}
	}
}

// numberKind gives what a vendor's own number means. "" = nothing that is known.
func (v *evidence) numberKind(provider string) agent.ErrorKind {
	if v.number == 0 {
		return ""
	}
	family := v.family
	if p, ok := Lookup(provider); ok && p.Numbers != "" {
		family = p.Numbers
	}
	return numbers(family)[v.number]
}

// letters is a name with its letters and digits only, in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '@' {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// simple is a text in lower case, with plain quotes gone and every run of space, - and _ as one space.
func simple(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range strings.ToLower(s) {
		if unicode.IsSpace(r) || strings.ContainsRune("_-\u2010\u2011", r) {
			space = true
			continue
		}
		if strings.ContainsRune("'\"`*\u2018\u2019\u201c\u201d", r) {
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// message is the error's text for a person.
func (v *evidence) message() string {
	var parts []string
	all := ""
	for _, t := range v.texts {
		t = strings.Join(strings.Fields(t), " ")
		if t == "" || strings.Contains(all, t) || len(parts) >= 4 {
			continue
		}
		parts = append(parts, t)
		all += t + "\n"
	}
	text := strings.Join(parts, ": ")
	switch {
	case text == "" && v.shown != "":
		text = v.shown
	case text == "" && v.name != "":
		text = "the server said nothing more than " + v.name
	case text == "":
		text = "the server gave no reason"
	case v.shown != "" && !strings.Contains(simple(text), simple(v.shown)) && !v.html:
		text = fmt.Sprintf("%s [%s]", cut(text, maxMessage-40), cut(v.shown, 36))
	}
	if len(v.places) > 0 {
		text = cut(text, maxMessage-100) + " (" + cut(strings.Join(v.places, ", "), 96) + ")"
	}
	return cut(mask(text), maxMessage)
}

// cut bounds a text to a number of runes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// mask hides what looks like a key. Some vendors repeat the key they refuse.
func mask(s string) string {
	keys := regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"',;]+|` +
		`\b(sk|ck|pk|rk|gsk|xai|hf|ghp|gho|ghu|ghs|csk|nvapi|fw|r8|key|tgp_v1|aiza|akia|asia|eyj|bce-v3|github_pat)([-_/])?[a-z0-9*][a-z0-9*_.\-/+=]{7,}|` +
		`((?:api[-_ ]?key|access[-_ ]?token|secret|authorization|x-api-key)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}|` +
		`\b[a-z0-9]{20,}\.[a-z0-9_\-.]{8,}|` +
		`\b[0-9a-f]{32,}\b`)
	return keys.ReplaceAllStringFunc(s, func(hit string) string {
		m := keys.FindStringSubmatch(hit)
		switch {
		case m == nil:
			return "…"
		case m[1] != "" || m[4] != "":
			return m[1] + m[4] + "…"
		}
		return m[2] + m[3] + "…"
	})
}
