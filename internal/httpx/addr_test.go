package httpx

import (
	"net/netip"
	"testing"
)

// The kinds are told apart in package tool's tests, too, where they have words.
func TestNetOf(t *testing.T) {
	for text, want := range map[string]Net{
		"8.8.8.8": Public, "2606:4700::1111": Public, "64:ff9b::8.8.8.8": Public, "127.0.0.1": Loopback, "::": Loopback,
		"::ffff:10.1.2.3": Lan, "fd00::1": Lan, "169.254.169.254": Link, "fe80::1%eth0": Link, "168.63.129.16": Metadata,
		"100.64.0.1": Carrier, "ff02::1": Multicast, "2002:7f00:1::": Loopback, "192.0.2.1": Reserved, "4000::1": Reserved,
	} {
		if got := NetOf(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if NetOf(netip.Addr{}) != Reserved {
		t.Error("no address is on the public internet")
	}
}
