package server

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"react-agent/internal/msg"
)

// noToken turns away who has no token. A person in a browser who opens the page gets a field for it, everybody else JSON.
func (s *Server) noToken(c *gin.Context) {
	w, r := c.Writer, c.Request
	w.Header().Set("WWW-Authenticate", "Bearer")
	if r.URL.Path != "/" || r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.turnAway(c, http.StatusUnauthorized, msg.ServerToken)
		return
	}
	c.Abort()
	lang := langOf(r, s.o.Msg.Lang())
	say := func(k msg.Key) string { return html.EscapeString(msg.For(lang).Text(k)) }
	wrong := ""
	if r.URL.Query().Get("token") != "" {
		wrong = "<p role=\"alert\">" + say(msg.LoginWrong) + "</p>\n"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Add("Vary", "Accept, Accept-Language")
	w.WriteHeader(http.StatusUnauthorized)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = io.WriteString(w, fmt.Sprintf(login, lang, say(msg.LoginTitle), wrong, say(msg.LoginText), say(msg.LoginToken), say(msg.LoginGo)))
}

// login is the page with the field: without a script, and without a file that would want the token itself.
const login = `<!doctype html>
<html lang="%[1]s">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>react-agent</title></head>
<body>
<h1>%[2]s</h1>
%[3]s<p>%[4]s</p>
<form method="get" action="/"><label>%[5]s <input type="password" name="token" required autofocus autocomplete="off"></label> <button>%[6]s</button></form>
</body>
</html>
`

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
