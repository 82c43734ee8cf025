package provider_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
)

// endpoint is where a model sends its requests.
type endpoint struct {
	url  string
	http *http.Client
}

// seenRequest is one request as it arrived.
type seenRequest struct {
	Path   string
	Header http.Header
	Body   []byte
	At     time.Time
}

// caseServer plays replies over TCP exactly as a case writes them: every chunk one write, with the pauses and the end
// of the case. It speaks HTTP by hand because no server library drops a connection in mid-body on request.
type caseServer struct {
	ln      net.Listener
	mu      sync.Mutex
	replies []caseReply
	seen    []seenRequest
	conns   []net.Conn
	done    chan struct{}
	wg      sync.WaitGroup
}

// newCaseServer starts a server that plays the replies in turn, the last one again and again.
func newCaseServer(t *testing.T, replies ...caseReply) *caseServer {
	t.Helper()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &caseServer{ln: ln, replies: replies, done: make(chan struct{})}
	s.wg.Go(s.accept)
	t.Cleanup(s.close)
	return s
}

// endpoint is the address of the server, with a client of its own.
func (s *caseServer) endpoint() endpoint {
	return endpoint{url: "http://" + s.ln.Addr().String(), http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
}

// requests lists what has arrived so far.
func (s *caseServer) requests() []seenRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func (s *caseServer) close() {
	close(s.done)
	_ = s.ln.Close()
	s.mu.Lock()
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *caseServer) accept() {
	for {
		conn, err := s.ln.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns = append(s.conns, conn)
		s.mu.Unlock()
		s.wg.Go(func() { s.serve(conn) })
	}
}

// serve answers the requests of one connection. After a reply that ends in eof the connection stays open.
func (s *caseServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		reply, ok := s.next(seenRequest{Path: req.URL.Path, Header: req.Header, Body: body, At: time.Now()})
		if !ok || !s.answer(conn, reply) {
			return
		}
	}
}

// next notes a request and picks its reply.
func (s *caseServer) next(r seenRequest) (caseReply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r)
	if len(s.replies) == 0 {
		return caseReply{}, false
	}
	return s.replies[min(len(s.seen), len(s.replies))-1], true
}

// answer writes one reply. False: the connection is over.
func (s *caseServer) answer(conn net.Conn, r caseReply) bool {
	head := bytes.NewBufferString(fmt.Sprintf("HTTP/1.1 %d %s\r\n", r.Status, http.StatusText(r.Status)))
	for k, v := range r.Headers {
		fmt.Fprintf(head, "%s: %s\r\n", k, v)
	}
	head.WriteString("Transfer-Encoding: chunked\r\n\r\n")
	if _, err := conn.Write(head.Bytes()); err != nil {
		return false
	}
	for i := 0; i < len(r.BodyChunks); i++ {
		c := r.BodyChunks[i]
		if c.wait > 0 {
			if !s.pause(c.wait) {
				return false
			}
			continue
		}
		data := c.data
		for i+1 < len(r.BodyChunks) && r.BodyChunks[i+1].wait == 0 && (r.BodyChunks[i+1].glue || r.BodyChunks[i].glue) {
			i++
			data = slices.Concat(data, r.BodyChunks[i].data)
		}
		if len(data) == 0 {
			continue
		}
		if _, err := conn.Write(slices.Concat(fmt.Appendf(nil, "%x\r\n", len(data)), data, []byte("\r\n"))); err != nil {
			return false
		}
	}
	switch r.End {
	case "hang":
		<-s.done
		return false
	case "cut":
		return false
	}
	_, err := conn.Write([]byte("0\r\n\r\n"))
	return err == nil
}

// pause waits as a case asks. False: the test is over.
func (s *caseServer) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.done:
		return false
	}
}

// pieces is an endpoint without a network: every request gets the given reply, its body read in the given pieces, and
// then end as the error of the read (io.EOF is a clean end).
func pieces(r caseReply, end error, body ...[]byte) endpoint {
	p := &pieceTransport{reply: r}
	p.set(end, body...)
	return p.endpoint()
}

// pieceTransport answers one request after the other; what it answers may be set anew before each.
type pieceTransport struct {
	reply caseReply
	end   error
	body  [][]byte
}

func (p *pieceTransport) set(end error, body ...[]byte) { p.end, p.body = end, body }

func (p *pieceTransport) endpoint() endpoint {
	return endpoint{url: "http://pieces.invalid", http: &http.Client{Transport: p}}
}

func (p *pieceTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	h := make(http.Header, len(p.reply.Headers))
	for k, v := range p.reply.Headers {
		h.Set(k, v)
	}
	return &http.Response{
		StatusCode: p.reply.Status, Status: fmt.Sprint(p.reply.Status, " ", http.StatusText(p.reply.Status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, ContentLength: -1, Request: req, Body: io.NopCloser(&pieceReader{pieces: slices.Clone(p.body), end: p.end}),
	}, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// pieceReader gives one piece per read, as far as it fits.
type pieceReader struct {
	pieces [][]byte
	end    error
}

func (r *pieceReader) Read(p []byte) (int, error) {
	for len(r.pieces) > 0 && len(r.pieces[0]) == 0 {
		r.pieces = r.pieces[1:]
	}
	if len(r.pieces) == 0 {
		return 0, r.end
	}
	n := copy(p, r.pieces[0])
	r.pieces[0] = r.pieces[0][n:]
	return n, nil
}

// record makes a tool's Run that only tells.
func record(ran func(agent.Call)) func(context.Context, agent.Call) (agent.Result, error) {
	return func(_ context.Context, c agent.Call) (agent.Result, error) {
		ran(c)
		return agent.TextResult("done"), nil
	}
}
