package httpx

import "net/netip"

// Net is a part of the address space, as far as it matters to those who must not be sent into it by a stranger.
type Net string

// The nets.
const (
	Public    Net = "public"
	Loopback  Net = "loopback"
	Lan       Net = "lan"
	Link      Net = "link"     // of one wire, where clouds keep metadata and keys
	Metadata  Net = "metadata" // a service inside a cloud that has a public number
	Carrier   Net = "carrier"
	Multicast Net = "multicast"
	Reserved  Net = "reserved"
)

// block is a part of the address space that is not the public internet.
type block struct {
	prefix string
	net    Net
}

// blocks lists the special parts, narrow ones first. What is IPv6 and not in 2000::/3 is reserved anyway.
func blocks() []block {
	return []block{
		{"168.63.129.16/32", Metadata}, // public by its number, answers inside Azure only
		{"0.0.0.0/8", Loopback},        // the system connects 0.0.0.0 to itself
		{"127.0.0.0/8", Loopback},
		{"169.254.0.0/16", Link},
		{"10.0.0.0/8", Lan},
		{"172.16.0.0/12", Lan},
		{"192.168.0.0/16", Lan},
		{"100.64.0.0/10", Carrier},
		{"192.0.0.0/24", Reserved},
		{"192.0.2.0/24", Reserved},
		{"192.88.99.0/24", Reserved},
		{"198.18.0.0/15", Reserved},
		{"198.51.100.0/24", Reserved},
		{"203.0.113.0/24", Reserved},
		{"224.0.0.0/4", Multicast},
		{"240.0.0.0/4", Reserved},

		{"::/127", Loopback}, // :: and ::1
		{"fc00::/7", Lan},
		{"fec0::/10", Lan},
		{"fe80::/10", Link},
		{"ff00::/8", Multicast},
		{"2001::/23", Reserved}, // Teredo and other machinery
		{"2001:db8::/32", Reserved},
		{"3fff::/20", Reserved},
	}
}

// NetOf says which net an address belongs to, in whatever form it is written: also inside the IPv6 addresses that stand for
// IPv4 ones. What is no address is Reserved.
func NetOf(ip netip.Addr) Net {
	ip = ip.WithZone("").Unmap()
	if !ip.IsValid() {
		return Reserved
	}
	for _, b := range blocks() {
		if netip.MustParsePrefix(b.prefix).Contains(ip) {
			return b.net
		}
	}
	if ip.Is4() {
		return Public
	}
	inner, whole := embedded(ip)
	if inner.IsValid() {
		if net := NetOf(inner); net != Public {
			return net
		}
		if whole {
			return Public
		}
	}
	if !netip.MustParsePrefix("2000::/3").Contains(ip) {
		return Reserved
	}
	return Public
}

// embedded is the IPv4 address that a machine in between takes out of an IPv6 one. whole says that nothing else matters:
// the packets go to that address.
func embedded(ip netip.Addr) (inner netip.Addr, whole bool) {
	b := ip.As16()
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	in := func(prefix string) bool { return netip.MustParsePrefix(prefix).Contains(ip) }
	switch {
	case in("64:ff9b::/96"), in("::ffff:0:0:0/96"): // NAT64, SIIT
		return at(12), true
	case in("2002::/16"): // 6to4
		return at(2), true
	case in("::/96"): // IPv4-compatible, long out of use
		return at(12), false
	case b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe: // ISATAP
		return at(12), false
	}
	return netip.Addr{}, false
}
