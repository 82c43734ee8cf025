package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"react-agent/internal/msg"
)

// noToken turns away who has no token. A person in a browser who opens the page gets a field for it, everybody else JSON.
func (s *Server) noToken(c *gin.Context) {
	w, r := c.Writer, c.Request
	w.Header().Set("WWW-Authenticate", "Bearer")
	s.guessed(r)
	if r.URL.Path != "/" || r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.turnAway(c, http.StatusUnauthorized, msg.ServerToken)
		return
	}
	c.Abort()
	lang := langOf(r, s.o.Msg.Lang())
	say := func(k msg.Key) string { return html.EscapeString(msg.For(lang).Text(k)) }
	hidden := " hidden"
	if r.URL.Query().Get("token") != "" {
		hidden = ""
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", inlinePolicy(loginStyle, loginScript))
	w.Header().Add("Vary", "Accept, Accept-Language")
	w.WriteHeader(http.StatusUnauthorized)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = io.WriteString(w, fmt.Sprintf(login, lang, say(msg.LoginTitle), hidden, say(msg.LoginWrong), say(msg.LoginText), say(msg.LoginToken), say(msg.LoginGo), loginStyle, loginScript))
}

// guessed logs that a token was wrong, so that whoever runs the server sees somebody who guesses; once a second at most.
func (s *Server) guessed(r *http.Request) {
	if r.Header.Get("Authorization") == "" && r.Header.Get("X-Api-Key") == "" && (r.URL.Path != "/" || r.URL.Query().Get("token") == "") {
		return
	}
	last, now := s.guess.Load(), time.Now().UnixNano()
	if now-last >= int64(time.Second) && s.guess.CompareAndSwap(last, now) {
		s.o.Logger.Warn("a wrong token was given", "from", r.RemoteAddr, "path", r.URL.Path)
	}
}

// login is the page with the field. All of it stands in it: a file of its own would want the token. The token goes out in a
// request of its script, so that it comes into no address and no history, and what the address names (#ID) stays.
const login = `<!doctype html>
<html lang="%[1]s">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>react-agent</title>
<style>%[8]s</style></head>
<body>
<main>
<h1>%[2]s</h1>
<p>%[5]s</p>
<form method="post"><label for="token">%[6]s</label><div><input id="token" type="password" required autofocus autocomplete="off"><button>%[7]s</button></div></form>
<p id="wrong" role="alert"%[3]s>%[4]s</p>
</main>
<script>%[9]s</script>
</body>
</html>
`

// The colours are those of page/css/base.css.
const loginStyle = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f7f7f5,#16181c);color:light-dark(#1d1f23,#e6e7ea);font:15px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif}
main{box-sizing:border-box;width:min(440px,100vw - 32px);padding:28px;background:light-dark(#fff,#1d2025);border:1px solid light-dark(#e2e2de,#2e3239);border-radius:14px}
h1{margin:0;font-size:1.15rem}
p{margin:8px 0 18px;color:light-dark(#5d626b,#a0a6b0)}
label{font-weight:600}
div{display:flex;gap:8px;margin-top:4px}
input,button{font:inherit;padding:8px 12px;border-radius:10px;border:1px solid light-dark(#c9c9c4,#454b55);color:inherit;background:transparent}
input{flex:1;min-width:0}
button{border-color:transparent;background:light-dark(#3f51c4,#9aa8ff);color:light-dark(#fff,#12141f);font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid light-dark(#3f51c4,#9aa8ff);outline-offset:2px}
#wrong{margin:14px 0 0;color:light-dark(#b3261e,#ff9d94)}`

const loginScript = `const wrong = document.getElementById('wrong'), no = wrong.textContent, field = document.getElementById('token');
document.forms[0].addEventListener('submit', async (e) => {
	e.preventDefault();
	wrong.hidden = true;
	try {
		const res = await fetch('/?token=' + encodeURIComponent(field.value.trim()), {cache: 'no-store'});
		if (res.ok) {
			history.replaceState(null, '', '/' + location.hash);
			return location.reload();
		}
		wrong.textContent = res.status === 401 ? no : res.status + ' ' + res.statusText;
	} catch (err) {
		wrong.textContent = err.message;
	}
	wrong.hidden = false;
	field.select();
});`

// handed leads a browser that has got its cookie to the page: what the address names stays, the token does not.
const (
	handed       = `<!doctype html><title>react-agent</title><script>` + handedScript + `</script><noscript><meta http-equiv="refresh" content="0;url=/"></noscript><a href="/">react-agent</a>` + "\n"
	handedScript = `location.replace('/' + location.hash);`
)

// inlinePolicy lets a page have these scripts and styles, which stand in it, and ask this server.
func inlinePolicy(own ...string) string {
	var hashes strings.Builder
	for _, text := range own {
		sum := sha256.Sum256([]byte(text))
		hashes.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return "default-src 'none'; script-src" + hashes.String() + "; style-src" + hashes.String() +
		"; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// langOf is the first of our languages that a browser names; def when it names none.
func langOf(r *http.Request, def msg.Lang) msg.Lang {
	for tag := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), ";")
		for _, lang := range []msg.Lang{msg.Zh, msg.En} {
			if main, _, _ := strings.Cut(tag, "-"); main == string(lang) {
				return lang
			}
		}
	}
	return def
}
