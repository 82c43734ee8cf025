package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"react-agent/internal/msg"
)

// Paths that need no token: whoever watches over the program has none.
const (
	pathHealth = "/healthz"
	pathReady  = "/readyz"
)

// door knows who may come in.
type door struct {
	hosts, origins []string
	token          [sha256.Size]byte
	locked         bool
	cookie, pass   string // the cookie's name and value
}

func newDoor(o Options) door {
	d := door{locked: o.Token != ""}
	for _, h := range o.Hosts {
		d.hosts = append(d.hosts, bareHost(h))
	}
	for _, x := range o.Origins {
		d.origins = append(d.origins, strings.ToLower(strings.TrimSuffix(x, "/")))
	}
	if d.locked {
		d.token = sha256.Sum256([]byte(o.Token))
		mac := hmac.New(sha256.New, []byte(o.Token)) // whoever reads the cookie does not have the token
		_, _ = mac.Write([]byte("react-agent cookie"))
		d.pass = hex.EncodeToString(mac.Sum(nil))
		d.cookie = "react_agent_" + d.pass[:8] // cookies know no ports: two servers on one machine would share one name
	}
	return d
}

// admit refuses who may not come in.
func (s *Server) admit(c *gin.Context) {
	w, r := c.Writer, c.Request
	if r.ContentLength != 0 { // whatever comes of it, the body has its time, also where nobody reads it
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.times.body))
	}
	if !s.door.knowsHost(r) {
		s.turnAway(c, http.StatusForbidden, msg.ServerHost, r.Host)
		return
	}
	if !s.admitPage(c) {
		return
	}
	watched := r.URL.Path == pathHealth || r.URL.Path == pathReady
	switch {
	case r.URL.Path == "/" && looks(r) && s.door.locked && s.door.fits(r.URL.Query().Get("token")):
		c.Abort()
		s.door.hand(w)
	case !watched && !s.door.opens(r):
		s.noToken(c)
	case !watched && s.stopping.Load():
		w.Header().Set("Retry-After", "5")
		w.Header().Set("Connection", "close")
		s.turnAway(c, http.StatusServiceUnavailable, msg.ServerStopping)
	}
}

// looks reports whether a request only asks for something.
func looks(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// turnAway ends a request before anything has come of it.
func (s *Server) turnAway(c *gin.Context, status int, k msg.Key, args ...any) {
	c.Abort()
	s.refuse(c.Writer, status, k, args...)
}

// admitPage looks at the page that a browser says is behind the request, and answers a browser that asks whether it may.
func (s *Server) admitPage(c *gin.Context) bool {
	w, r, from := c.Writer, c.Request, strings.Join(c.Request.Header.Values("Origin"), ", ") // two of them are no origin
	switch {
	case from != "" && s.door.knowsOrigin(from):
	case from != "" && !ownOrigin(from, r.Host):
		s.turnAway(c, http.StatusForbidden, msg.ServerOrigin, from)
		return false
	case crossSite(r):
		s.turnAway(c, http.StatusForbidden, msg.ServerSite)
		return false
	default:
		return true
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", from)
	h.Set("Access-Control-Expose-Headers", "Input-Id, Retry-After, Session-Born")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return true
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(s.methods(), ", "))
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID, X-Api-Key")
	h.Set("Access-Control-Max-Age", "600")
	c.AbortWithStatus(http.StatusNoContent)
	return false
}

// bareHost is a host without its port, as names are compared.
func bareHost(s string) string {
	if h, _, err := net.SplitHostPort(s); err == nil {
		s = h
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	return strings.ToLower(strings.TrimSuffix(s, "."))
}

// wellFormed reports whether a host is written as one: a name whose labels are not empty or an address, an IPv6 one in
// brackets, and perhaps a port.
func wellFormed(s string) bool {
	var name, port string
	if strings.HasPrefix(s, "[") {
		var closed bool
		if name, port, closed = strings.Cut(s[1:], "]"); !closed || port != "" && port[0] != ':' {
			return false
		}
		if ip, err := netip.ParseAddr(name); err != nil || !ip.Is6() {
			return false
		}
		port = strings.TrimPrefix(port, ":")
	} else {
		name, port, _ = strings.Cut(s, ":")
		for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
			if label == "" || len(label) > 63 {
				return false
			}
		}
	}
	_, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil
}

// knowsHost reports whether the name that the client asked for is ours. A name of another site that leads here is none,
// and neither is no name. The very address that the connection came to is: nobody can make it lead elsewhere.
func (d *door) knowsHost(r *http.Request) bool {
	if !wellFormed(r.Host) {
		return false
	}
	host := bareHost(r.Host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || host != "" && slices.Contains(d.hosts, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if ip.Unmap().IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().WithZone("").Unmap() == ip.WithZone("").Unmap()
}

// knowsOrigin reports whether the page that asks is named in the configuration.
func (d *door) knowsOrigin(origin string) bool {
	return slices.Contains(d.origins, strings.ToLower(origin))
}

// ownOrigin reports whether a page is one that this server has served.
func ownOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Host, host) &&
		strings.EqualFold(origin, u.Scheme+"://"+u.Host)
}

// crossSite reports whether a browser says that another page is behind a request: a picture, say, whose address is one of
// ours. A link to the page is none.
func crossSite(r *http.Request) bool {
	own := func(site string) bool { return site == "" || site == "none" || site == "same-origin" }
	sites := r.Header.Values("Sec-Fetch-Site")
	if !slices.ContainsFunc(sites, func(site string) bool { return !own(site) }) {
		return false
	}
	link := len(sites) == 1 && r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	return !link
}

// opens reports whether the client has the key.
func (d *door) opens(r *http.Request) bool {
	if !d.locked {
		return true
	}
	if kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "Bearer") && d.fits(strings.TrimSpace(token)) {
		return true
	}
	if token := r.Header.Get("X-Api-Key"); token != "" && d.fits(token) {
		return true
	}
	cookie, err := r.Cookie(d.cookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(d.pass)) == 1
}

// fits compares a token in a time that says nothing about it.
func (d *door) fits(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], d.token[:]) == 1
}

// hand gives the browser the cookie and leads it to the page. It is no redirect: a browser that comes from a link elsewhere
// would not send the cookie along then.
func (d *door) hand(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}) //nolint:gosec // no Secure: it speaks plain HTTP
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", inlinePolicy(handedScript))
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, handed)
}
