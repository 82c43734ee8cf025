package server_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"react-agent/server"
)

// allowedByItself sees that a page has what its policy allows, and that this is no more than that.
func allowedByItself(t *testing.T, policy, body string) {
	t.Helper()
	for _, bad := range []string{" style=", " onclick", "http:", "src=", `rel="stylesheet"`} {
		if strings.Contains(body, bad) {
			t.Errorf("%s stands in a page that may not have it", bad)
		}
	}
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
	inline := regexp.MustCompile(`(?s)<(script|style)>(.*?)</`).FindAllStringSubmatch(body, -1)
	if len(inline) == 0 {
		t.Error("no script")
	}
	for _, m := range inline {
		sum := sha256.Sum256([]byte(m[2]))
		if _, rest, ok := strings.Cut(policy, m[1]+"-src"); !ok || !strings.Contains(rest, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("the %s of a page is not allowed by %s", m[1], policy)
		}
	}
}

// A browser without the token gets a field for it, in its language; everybody else JSON.
func TestTokenPage(t *testing.T) {
	r := newRig(t, func(o *server.Options) { o.Token = token })
	const page = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, c := range []struct{ path, lang, want, not string }{
		{"/", "zh-CN,zh;q=0.9,en;q=0.8", "此服务器需要令牌", "role=\"alert\">"},
		{"/", "de, en-GB;q=0.7", "This server wants its token", "role=\"alert\">"},
		{"/?token=wrong", "en", "role=\"alert\">This token is not right", "hidden>"},
		{"/?token=%3Cscript%3E", "zh", "这个令牌不对", "<script></"},
	} {
		status, head, body := r.ask("GET", c.path, "", "Accept", page, "Accept-Language", c.lang)
		if status != 401 || head.Get("WWW-Authenticate") != "Bearer" || !strings.HasPrefix(head.Get("Content-Type"), "text/html") ||
			!strings.Contains(body, c.want) || strings.Contains(body, c.not) || !strings.Contains(body, `id="token"`) || head.Get("Set-Cookie") != "" {
			t.Errorf("%s %s: %d %v %s", c.path, c.lang, status, head, body)
		}
		allowedByItself(t, head.Get("Content-Security-Policy"), body)
	}
	status, head, body := r.ask("GET", "/?token="+token, "", "Accept", page)
	if status != 200 || !strings.Contains(body, `url=/"`) || !strings.Contains(body, "location.hash") {
		t.Errorf("%d %s", status, body)
	}
	allowedByItself(t, head.Get("Content-Security-Policy"), body)
	for _, q := range [][2]string{{"/", "*/*"}, {"/", "application/json"}, {"/sessions", page}, {"/about", page}} {
		if status, head, body := r.ask("GET", q[0], "", "Accept", q[1]); status != 401 || !strings.HasPrefix(head.Get("Content-Type"), "application/json") || !saysWhy(body) {
			t.Errorf("%v: %d %v %s", q, status, head, body)
		}
	}
	if status, _, body := r.ask("POST", "/", "{}", "Accept", page); status != 401 || !saysWhy(body) {
		t.Errorf("%d %s", status, body)
	}
}
