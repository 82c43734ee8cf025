package tool

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"react-agent/agent"
)

// web is a world whose tools may reach this machine.
func web(t *testing.T) Env {
	t.Helper()
	e := world(t)
	e.Vars = []string{}
	e.Private = func(string, netip.Addr) bool { return true }
	return e
}

// asker answers every question in the same way and keeps the questions.
type asker struct {
	mu     sync.Mutex
	answer agent.Answer
	asked  []string
}

func (a *asker) ask(_ context.Context, q agent.Ask) (agent.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, q.Text)
	return a.answer, nil
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// raw is a server that writes bytes and closes.
func raw(t *testing.T, answer string) string {
	t.Helper()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := io.WriteString(c, answer); err != nil {
			t.Error(err)
		}
		c.Close()
	})
	return s.URL
}

// names is a resolver that answers from a function; no address at all is "no such host".
func names(t *testing.T, answer func(name string, v6 bool) []string) *net.Resolver {
	t.Helper()
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(theirs, size[:]); err != nil {
					return
				}
				q := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(theirs, q); err != nil {
					return
				}
				out, err := dnsReply(q, answer)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := theirs.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...)); err != nil {
					return
				}
			}
		}()
		return ours, nil
	}}
}

func dnsReply(q []byte, answer func(string, bool) []string) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(q); err != nil {
		return nil, err
	}
	m.Response, m.Additionals = true, nil
	m.RecursionAvailable = true
	ask := m.Questions[0]
	list := answer(strings.TrimSuffix(ask.Name.String(), "."), ask.Type == dnsmessage.TypeAAAA)
	if len(list) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, text := range list {
		ip := netip.MustParseAddr(text)
		h := dnsmessage.ResourceHeader{Name: ask.Name, Type: ask.Type, Class: dnsmessage.ClassINET}
		switch {
		case ip.Is4() && ask.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: ip.As4()}})
		case !ip.Is4() && ask.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	return m.Pack()
}

// hide takes the changing port out of a text.
func hide(s, url string) string {
	return strings.ReplaceAll(s, strings.TrimPrefix(url, "http://"), "HOST")
}
