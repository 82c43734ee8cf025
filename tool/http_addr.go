package tool

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// kindOf says what an address is that is not on the public internet; "" when it is.
func kindOf(ip netip.Addr) msg.Key {
	switch httpx.NetOf(ip) {
	case httpx.Public:
		return ""
	case httpx.Loopback:
		return msg.WebLoopback
	case httpx.Lan:
		return msg.WebLan
	case httpx.Link:
		return msg.WebLink
	case httpx.Metadata:
		return msg.WebMetadata
	case httpx.Carrier:
		return msg.WebCarrier
	case httpx.Multicast:
		return msg.WebMulticast
	case httpx.Reserved:
	}
	return msg.WebReserved
}

// numericHost reads a host as the address it is, in every spelling that some program on the way would take for one: 127.1,
// 2130706433, 0x7f.0.0.1, 0177.0.0.1, with a dot at the end. ok is false for a name. What looks like a number and is no
// address is an error: nobody knows what another program would make of it.
func numericHost(host string) (ip netip.Addr, ok bool, err error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true, nil
	}
	trimmed := strings.TrimSuffix(host, ".")
	parts := strings.Split(trimmed, ".")
	last := parts[len(parts)-1]
	if _, isNumber := number(last); !isNumber && !allDigits(last) {
		return netip.Addr{}, false, nil
	}
	bad := fmt.Errorf("%q looks like an address and is none", host)
	if len(parts) > 4 {
		return netip.Addr{}, false, bad
	}
	var v uint64
	for i, p := range parts {
		n, isNumber := number(p)
		rest := 8
		if i == len(parts)-1 {
			rest = 8 * (5 - len(parts))
		}
		if !isNumber || n >= 1<<rest {
			return netip.Addr{}, false, bad
		}
		v = v<<rest | n
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true, nil
}

// number reads decimal, octal (0 in front) and hexadecimal (0x), as inet_aton does.
func number(s string) (uint64, bool) {
	base, digits := 10, s
	switch low := strings.ToLower(s); {
	case strings.HasPrefix(low, "0x"):
		base, digits = 16, s[2:]
		if digits == "" {
			return 0, true // so do browsers
		}
	case len(s) > 1 && s[0] == '0':
		base, digits = 8, s[1:]
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, base, 40)
	return n, err == nil
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// readURL reads a URL that a model or a server wrote and brings its host into one form: lower case, ASCII, addresses in
// their usual spelling. Its errors never show a password.
func readURL(raw string, base *url.URL) (*url.URL, error) {
	u, err := parseURL(strings.TrimSpace(raw), base)
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "http", "https":
	case "":
		return nil, errors.New("the url has no scheme; write https://HOST/PATH")
	default:
		return nil, fmt.Errorf("the url's scheme is %q; only http and https are fetched", u.Scheme)
	}
	host := strings.ToLower(u.Hostname())
	if host == "" {
		return nil, errors.New("the url has no host")
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return nil, errors.New("the host in the url is no valid name")
		}
	}
	ip, ok, err := numericHost(host)
	if err != nil {
		return nil, err
	}
	if ok {
		host = ip.String()
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("the url's port %s is none", port)
		}
		u.Host = net.JoinHostPort(host, port)
	} else if u.Host = host; strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func parseURL(raw string, base *url.URL) (*url.URL, error) {
	var u *url.URL
	var err error
	if base == nil {
		u, err = url.Parse(raw)
	} else {
		u, err = base.Parse(raw)
	}
	if err == nil {
		return u, nil
	}
	if inner, ok := errors.AsType[*url.Error](err); ok && !strings.Contains(raw, "@") {
		return nil, fmt.Errorf("the url cannot be read: %w", inner.Err)
	}
	return nil, errors.New("the url cannot be read")
}

// shownURL is a URL as people and models may see it: without user and password, in plain ASCII, not too long.
func shownURL(u *url.URL) string {
	c := *u
	c.User = nil
	var b strings.Builder
	for _, ch := range []byte(c.String()) {
		if ch <= ' ' || ch >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", ch)
			continue
		}
		b.WriteByte(ch)
	}
	const most = 500
	if s := b.String(); len(s) > most {
		return s[:most] + "..."
	}
	return b.String()
}

// internalName reports that a name is one of a machine or a local network by its form.
func internalName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range [...]string{
		".localhost", ".localdomain", ".local", ".internal", ".intranet", ".private", ".lan", ".home", ".corp", ".home.arpa",
	} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// portOf is the port that a request to u goes to.
func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// sameOrigin reports that two URLs lead to the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && portOf(a) == portOf(b)
}
