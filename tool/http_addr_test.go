package tool

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"react-agent/internal/msg"
)

func TestKindOf(t *testing.T) {
	for text, want := range map[string]msg.Key{
		"127.0.0.1": msg.WebLoopback, "127.255.255.254": msg.WebLoopback, "0.0.0.0": msg.WebLoopback, "0.1.2.3": msg.WebLoopback,
		"10.0.0.1": msg.WebLan, "172.16.0.1": msg.WebLan, "172.31.255.255": msg.WebLan, "172.32.0.1": "", "172.15.0.1": "",
		"192.168.1.1": msg.WebLan, "192.169.0.1": "", "169.254.169.254": msg.WebLink, "100.64.0.1": msg.WebCarrier,
		"100.100.100.200": msg.WebCarrier, "100.128.0.1": "", "224.0.0.1": msg.WebMulticast, "239.1.1.1": msg.WebMulticast,
		"240.0.0.1": msg.WebReserved, "255.255.255.255": msg.WebReserved, "192.0.0.192": msg.WebReserved,
		"198.18.0.1": msg.WebReserved, "203.0.113.9": msg.WebReserved, "168.63.129.16": msg.WebMetadata,
		"8.8.8.8": "", "1.1.1.1": "", "168.63.129.17": "",

		"::1": msg.WebLoopback, "::": msg.WebLoopback, "fe80::1": msg.WebLink, "fe80::1%eth0": msg.WebLink, "fec0::1": msg.WebLan,
		"fc00::1": msg.WebLan, "fd00:ec2::254": msg.WebLan, "ff02::1": msg.WebMulticast, "2001:db8::1": msg.WebReserved,
		"2001:4860:4860::8888": "", "2606:4700::1111": "", "100::1": msg.WebReserved, "4000::1": msg.WebReserved,
		"2001:0:1:2::": msg.WebReserved, "3fff::1": msg.WebReserved,

		"::ffff:127.0.0.1": msg.WebLoopback, "::ffff:8.8.8.8": "", "::ffff:a9fe:a9fe": msg.WebLink,
		"::127.0.0.1": msg.WebLoopback, "::8.8.8.8": msg.WebReserved, "::ffff:0:10.0.0.1": msg.WebLan,
		"64:ff9b::7f00:1": msg.WebLoopback, "64:ff9b::8.8.8.8": "", "64:ff9b::169.254.169.254": msg.WebLink, "64:ff9b:1::1": msg.WebReserved,
		"2002:7f00:1::": msg.WebLoopback, "2002:c0a8:101::1": msg.WebLan, "2002:808:808::": "",
		"2606:4700::5efe:10.0.0.1": msg.WebLan, "2606:4700::200:5efe:127.0.0.1": msg.WebLoopback, "2606:4700::5efe:8.8.8.8": "",
	} {
		if got := kindOf(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if kindOf(netip.Addr{}) == "" {
		t.Error("no address counts as a public one")
	}
}

func TestHostSpellings(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1",
		"0X7F.1": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "017700000001": "127.0.0.1", "0x7f.0x0.0x0.0x1": "127.0.0.1",
		"127.0.0.1.": "127.0.0.1", "127.1.": "127.0.0.1", "0": "0.0.0.0", "0x": "0.0.0.0", "169.254.43518": "169.254.169.254",
		"0251.0376.0251.0376": "169.254.169.254", "2852039166": "169.254.169.254", "1.2.3.4": "1.2.3.4",
		"[::1]": "::1", "[0:0:0:0:0:0:0:1]": "::1", "[::ffff:127.0.0.1]": "::ffff:127.0.0.1", "[fe80::1%25eth0]": "fe80::1%eth0",
		"１２７.0.0.1": "127.0.0.1", "127。0。0。1": "127.0.0.1", "①②⑦.⓪.⓪.①": "127.0.0.1", "LOCALHOST": "localhost", "ⓛocalhost": "localhost",
		"Example.COM": "example.com", "bücher.example": "xn--bcher-kva.example", "a_b.example": "a_b.example", "1e100.net": "1e100.net",
		"0x7f.example": "0x7f.example",
	} {
		u, err := readURL("http://"+host+"/p", nil)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		if u.Hostname() != want {
			t.Errorf("%s: %s, want %s", host, u.Hostname(), want)
		}
		with, err := readURL("http://"+host+":8080/p", nil)
		if err != nil || with.Hostname() != want || with.Port() != "8080" {
			t.Errorf("%s with a port: %v, %v", host, with, err)
		}
	}
}

func TestBadURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"example.com": "no scheme", "//example.com/x": "no scheme", "file:///etc/passwd": `"file"`, "ftp://x/": `"ftp"`,
		"gopher://127.0.0.1:6379/_x": `"gopher"`, "javascript:alert(1)": `"javascript"`, "http://": "no host", "http:///x": "no host",
		"http://256.0.0.1/": "looks like an address", "http://1.2.3.4.5/": "looks like an address", "http://0x1ffffffff/": "looks like an address",
		"http://09.0.0.1/": "looks like an address", "http://foo.1/": "looks like an address",
		"http://99999999999999999999/": "looks like an address",
		"http://a:0/":                  "port", "http://a:70000/": "port", "http://a:x/": "cannot be read",
		"http://a b/": "cannot be read", "http://h/\x7f": "cannot be read", "http://h\r\nX: y/": "cannot be read",
		"http://[::1/": "cannot be read", "http://%31/": "cannot be read", "http://ex\u00adample\u2028.com/": "no valid name",
		"http://user:geheim@h:port/": "cannot be read", "http://u:gehe/im@h/": "cannot be read", "http://u:gehe im@h/": "cannot be read",
	} {
		u, err := readURL(raw, nil)
		if err == nil {
			t.Errorf("%q is taken for %s", raw, u)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "gehe") {
			t.Errorf("%q: %v, want %q", raw, err, want)
		}
	}
}

func TestShownURL(t *testing.T) {
	u := &url.URL{Scheme: "http", User: url.UserPassword("me", "geheim"), Host: "h", Path: "/ä b", RawQuery: "q=\u202e\x1b[8m"}
	if got := shownURL(u); got != "http://h/%C3%A4%20b?q=%E2%80%AE%1B[8m" {
		t.Error(got)
	}
	u.Path = "/" + strings.Repeat("x", 1000)
	if got := shownURL(u); len(got) > 510 || !strings.HasSuffix(got, "...") {
		t.Error(got)
	}
}

func TestInternalNames(t *testing.T) {
	for name, want := range map[string]bool{
		"localhost": true, "printer": true, "a.localhost": true, "nas.local": true, "x.internal": true, "metadata.google.internal.": true,
		"go.dev": false, "local.example.com": false, "localhost.example": false,
	} {
		if internalName(name) != want {
			t.Error(name)
		}
	}
}

// Every way to write an IPv4 address that inet_aton takes leads to the same judgement as the usual one; whatever the host,
// what comes out is a name or the address itself, and reading it again changes nothing.
func FuzzNumericHost(f *testing.F) {
	for _, s := range []string{"127.1", "0x7f.1", "2130706433", "::1", "a.b", "1.2.3.4.", "0", "00.0x.1", "１.1", "a..b", "%00", "[::]", "1.2.3.4.5", "\u3002"} {
		f.Add(s, uint32(0x7f000001), uint8(0))
	}
	f.Fuzz(func(t *testing.T, host string, v uint32, how uint8) {
		if u, err := readURL("http://"+host+"/", nil); err == nil {
			again, err := readURL(u.String(), nil)
			if err != nil || again.Host != u.Host {
				t.Errorf("%q: %q, then %v, %v", host, u.Host, again, err)
			}
			for _, c := range []byte(u.Hostname()) {
				if c >= 0x80 || c >= 'A' && c <= 'Z' && !strings.Contains(u.Hostname(), "%") {
					t.Errorf("%q: host %q", host, u.Hostname())
				}
			}
		}
		want := netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
		got, ok, err := numericHost(spell(v, how))
		if err != nil || !ok || got != want {
			t.Errorf("%s: %v, %v, %v; want %v", spell(v, how), got, ok, err, want)
		}
		mapped := netip.AddrFrom16(want.As16())
		if kindOf(mapped) != kindOf(want) {
			t.Errorf("%s and %s differ", mapped, want)
		}
	})
}

// spell writes an address with one to four numbers, each in one of three bases.
func spell(v uint32, how uint8) string {
	parts := int(how&3) + 1
	how >>= 2
	var out []string
	for i := range parts {
		n := uint64(v) >> (24 - 8*i) & 0xff
		if i == parts-1 { // the last one fills the rest
			n = uint64(v) & (1<<(8*(4-i)) - 1)
		}
		switch how % 3 {
		case 0:
			out = append(out, strconv.FormatUint(n, 10))
		case 1:
			out = append(out, "0x"+strconv.FormatUint(n, 16))
		default:
			out = append(out, "0"+strconv.FormatUint(n, 8))
		}
		how = how/3 + 1
	}
	return strings.Join(out, ".")
}
