package server_test

import (
	"strings"
	"testing"

	"react-agent/server"
)

// A browser without the token gets a field for it, in its language; everybody else JSON.
func TestTokenPage(t *testing.T) {
	r := newRig(t, func(o *server.Options) { o.Token = token })
	const page = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, c := range []struct{ path, lang, want, not string }{
		{"/", "zh-CN,zh;q=0.9,en;q=0.8", "此服务器需要口令", "This token"},
		{"/", "de, en-GB;q=0.7", "This server wants its token", "not right"},
		{"/?token=wrong", "en", "This token is not right", "wrong\""},
		{"/?token=%3Cscript%3E", "zh", "这个口令不对", "<script>"},
	} {
		status, head, body := r.ask("GET", c.path, "", "Accept", page, "Accept-Language", c.lang)
		if status != 401 || head.Get("WWW-Authenticate") != "Bearer" || !strings.HasPrefix(head.Get("Content-Type"), "text/html") ||
			!strings.Contains(body, c.want) || strings.Contains(body, c.not) || !strings.Contains(body, `name="token"`) || head.Get("Set-Cookie") != "" {
			t.Errorf("%s %s: %d %v %s", c.path, c.lang, status, head, body)
		}
		for _, bad := range []string{"<script", "<style", " style=", " onclick", "http:"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %s, which its own policy forbids", c.path, bad)
			}
		}
		if policy := head.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self'") {
			t.Error(policy)
		}
	}
	if status, _, body := r.ask("GET", "/?token="+token, "", "Accept", page); status != 200 || !strings.Contains(body, `url=/"`) {
		t.Errorf("%d %s", status, body)
	}
	for _, q := range [][2]string{{"/", "*/*"}, {"/", "application/json"}, {"/sessions", page}, {"/about", page}} {
		if status, head, body := r.ask("GET", q[0], "", "Accept", q[1]); status != 401 || !strings.HasPrefix(head.Get("Content-Type"), "application/json") || !saysWhy(body) {
			t.Errorf("%v: %d %v %s", q, status, head, body)
		}
	}
	if status, _, body := r.ask("POST", "/", "{}", "Accept", page); status != 401 || !saysWhy(body) {
		t.Errorf("%d %s", status, body)
	}
}
