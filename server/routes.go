package server

import (
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/store"
)

// route is one thing that can be asked for.
type route struct {
	method, path string // as Gin writes it
	run          http.HandlerFunc
	stream       bool // it answers with events, for as long as it takes
	takes        bool // a look changes something
	work         bool // it may make a session work
	bare         bool // its body may be missing
	waits        bool // for the end of a run: it takes a seat among the streams, so that those of requests stay free to steer
	watch        bool // whoever watches over the program asks: it needs no seat
}

// routes are all but the page's files.
func (s *Server) routes() []route {
	return []route{
		{method: http.MethodGet, path: "/", run: s.page.ServeHTTP},
		{method: http.MethodGet, path: pathHealth, run: s.health, watch: true},
		{method: http.MethodGet, path: pathReady, run: s.ready, watch: true},
		{method: http.MethodGet, path: "/metrics", run: s.metrics},
		{method: http.MethodGet, path: "/openapi.json", run: serveDocument},

		{method: http.MethodPost, path: "/chat", run: s.chat.Chat, stream: true, work: true},
		{method: http.MethodPost, path: "/compact", run: s.chat.Compact, work: true, bare: true, waits: true},
		{method: http.MethodGet, path: "/tasks", run: s.chat.Tasks},
		{method: http.MethodGet, path: "/team", run: s.chat.Team},
		{method: http.MethodGet, path: "/inbox", run: s.chat.Inbox, takes: true},

		{method: http.MethodGet, path: "/sessions", run: s.native.Sessions},
		{method: http.MethodGet, path: "/sessions/:id", run: s.native.Session},
		{method: http.MethodDelete, path: "/sessions/:id", run: s.native.Delete},
		{method: http.MethodPost, path: "/sessions/:id/input", run: s.native.Input, work: true},
		{method: http.MethodGet, path: "/sessions/:id/events", run: s.native.Events, stream: true},
		{method: http.MethodGet, path: "/sessions/:id/context", run: s.native.Context},
		{method: http.MethodPost, path: "/blobs", run: s.native.PutBlob},
		{method: http.MethodGet, path: "/blobs/:id", run: s.native.GetBlob},
		{method: http.MethodGet, path: "/board", run: s.native.Board},
		{method: http.MethodGet, path: "/about", run: s.native.About},
	}
}

// serve makes a handler for Gin: the request has been let in, but not its session and its body.
func (s *Server) serve(x route) gin.HandlerFunc {
	return func(c *gin.Context) {
		w, r := http.ResponseWriter(c.Writer), c.Request
		session, ok := s.named(c, x)
		if !ok {
			return
		}
		if r.Method == http.MethodHead && x.stream {
			w.Header().Set("Content-Type", "text/event-stream")
			return
		}
		body := s.body(c, x)
		defer body.done()
		if !body.ok {
			return
		}
		if session == "" && x.work { // the older interface names it in the body
			var err error
			if session, err = store.CleanID(body.session()); err != nil {
				session = "" // its handler says what is wrong
			}
		}
		x := x
		x.waits = x.waits || x.work && body.command()
		leave, why := s.rooms.enter(x, session)
		if why != "" {
			s.busy(w, why)
			return
		}
		defer leave()
		if !s.mayWork(w, x, session) {
			return
		}
		if x.stream {
			s.figures.streams.Add(1)
			defer s.figures.streams.Add(-1)
		} else {
			w = s.timed(w)
		}
		x.run(w, r)
	}
}

// named checks the id in the path and hands it on in its one spelling.
func (s *Server) named(c *gin.Context, x route) (session string, ok bool) {
	id, has := c.Params.Get("id")
	if !has {
		return "", true
	}
	if strings.HasPrefix(x.path, "/sessions/") {
		clean, err := store.CleanID(id)
		if err != nil {
			s.refuse(c.Writer, http.StatusBadRequest, msg.ServerSession, err)
			return "", false
		}
		id, session = clean, clean
	}
	c.Request.SetPathValue("id", id)
	return session, true
}

// mayWork refuses what would make one session more work than there may be. What is already at work can always be steered,
// answered and stopped.
func (s *Server) mayWork(w http.ResponseWriter, x route, session string) bool {
	if !x.work || s.o.Load == nil {
		return true
	}
	if working, here := s.o.Load(session); working < s.o.Limits.Sessions || here {
		return true
	}
	s.busy(w, msg.ServerSessions)
	return false
}

func (s *Server) busy(w http.ResponseWriter, why msg.Key) {
	after := 1 * time.Second
	if why != msg.ServerRequests {
		after = 5 * time.Second
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(after.Seconds())))
	s.refuse(w, http.StatusTooManyRequests, why)
}

func (s *Server) refuse(w http.ResponseWriter, status int, k msg.Key, args ...any) {
	httpx.Refuse(w, status, s.o.Msg.Text(k, args...))
}

// noMethod is for a path that is known under another method; Gin has set Allow.
func (s *Server) noMethod(c *gin.Context) {
	allow := c.Writer.Header().Get("Allow")
	if c.Request.Method == http.MethodOptions {
		c.Writer.Header().Set("Allow", allow+", OPTIONS")
		c.Status(http.StatusNoContent)
		return
	}
	s.refuse(c.Writer, http.StatusMethodNotAllowed, msg.ServerMethod, c.Request.Method, c.Request.URL.Path, allow)
}

// noRoute looks for a file of the page.
func (s *Server) noRoute(c *gin.Context) {
	switch c.Request.Method {
	case http.MethodGet, http.MethodHead:
		w := &pageWriter{ResponseWriter: s.timed(c.Writer)}
		s.page.ServeHTTP(w, c.Request)
		if !w.absent {
			return
		}
	case http.MethodOptions:
		c.Writer.Header().Set("Allow", "GET, HEAD, OPTIONS")
		c.Status(http.StatusNoContent)
		return
	}
	s.refuse(c.Writer, http.StatusNotFound, msg.ServerNothing, c.Request.URL.Path)
}

// pageWriter holds back the words with which package net/http says that there is no such file.
type pageWriter struct {
	http.ResponseWriter
	absent bool
}

func (w *pageWriter) WriteHeader(status int) {
	if w.absent = status == http.StatusNotFound; !w.absent {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *pageWriter) Write(p []byte) (int, error) {
	if w.absent {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// caught keeps the server going when a handler panics.
func (s *Server) caught(c *gin.Context) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v)
		default:
			s.o.Logger.Error("a request has met a fault in the program", "path", c.Request.URL.Path, "fault", v, "stack", string(debug.Stack()))
			if !c.Writer.Written() {
				s.refuse(c.Writer, http.StatusInternalServerError, msg.ServerFault)
			}
			c.Abort()
		}
	}()
	c.Next()
}

// headed sets the headers that every answer has.
func (*Server) headed(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy)
	if c.FullPath() != "" {
		h.Set("Cache-Control", "no-store")
	}
}

// policy lets the page load from here, and nobody put it into a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// timed gives each write of an answer its time.
type timed struct {
	http.ResponseWriter
	control *http.ResponseController
	time    time.Duration
}

func (s *Server) timed(w http.ResponseWriter) *timed {
	return &timed{ResponseWriter: w, control: http.NewResponseController(w), time: s.times.write}
}

func (w *timed) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.time)) // a writer without deadlines is one of a test
	return w.ResponseWriter.Write(p)
}

// Unwrap is for [http.ResponseController].
func (w *timed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// methods are those that any route knows.
func (s *Server) methods() []string { return s.known }

func methods(table []route) []string {
	all := []string{http.MethodHead, http.MethodOptions}
	for _, x := range table {
		if !slices.Contains(all, x.method) {
			all = append(all, x.method)
		}
	}
	slices.Sort(all)
	return all
}
