package tool

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// mayConnect decides on one address without asking.
func (j *journey) mayConnect(u *url.URL, ip netip.Addr) bool {
	if kindOf(ip) == "" {
		return true
	}
	place := placeOf(u, ip)
	if j.granted[place] || j.known.has(place) {
		return true
	}
	return j.e.Private != nil && j.e.Private(u.Hostname(), ip.Unmap())
}

// placeOf is what a permission is for: an address, or a name that only a proxy knows, and a port. What listens on another
// port is another service.
func placeOf(u *url.URL, ip netip.Addr) string {
	if !ip.IsValid() {
		return net.JoinHostPort(u.Hostname(), portOf(u))
	}
	return net.JoinHostPort(ip.Unmap().String(), portOf(u))
}

// behindProxy lists what is private about a host that a proxy will connect to: its addresses, as far as this machine can
// look them up, or the name.
func (j *journey) behindProxy(ctx context.Context, u *url.URL) []netip.Addr {
	host := u.Hostname()
	var ips []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = []netip.Addr{ip}
	} else {
		ctx, cancel := context.WithTimeout(ctx, lookupTime)
		defer cancel()
		r := j.e.seams.resolver
		if r == nil {
			r = net.DefaultResolver
		}
		ips, _ = r.LookupNetIP(ctx, "ip", host) // behind a proxy many machines cannot look up a thing
	}
	if len(ips) == 0 && internalName(host) {
		ips = []netip.Addr{{}}
	}
	var blocked []netip.Addr
	for _, ip := range ips {
		if !j.mayConnect(u, ip) {
			blocked = append(blocked, ip)
		}
	}
	return blocked
}

// permit asks the person about private addresses.
func (j *journey) permit(ctx context.Context, u *url.URL, blocked []netip.Addr) error {
	where := func(c msg.Catalogue) string {
		var list []string
		seen := map[netip.Addr]bool{}
		for _, ip := range blocked {
			if seen[ip] {
				continue
			}
			seen[ip] = true
			if ip.IsValid() {
				list = append(list, ip.Unmap().String()+" ("+c.Text(kindOf(ip))+")")
			} else {
				list = append(list, u.Hostname()+" ("+c.Text(msg.WebBehindProxy)+")")
			}
		}
		return strings.Join(list, ", ")
	}
	say := msg.For(msg.Lang(j.e.Lang))
	a, err := j.e.ask(ctx, agent.Ask{Text: say.Text(msg.WebPrivate, shownURL(u), where(say))})
	english := where(msg.For(msg.En))
	if err != nil {
		return fmt.Errorf("asking about %s: %w", english, err)
	}
	if !a.Allow {
		reason := "nobody allowed the request"
		if a.Text != "" {
			reason = "the answer was: " + a.Text
		}
		return fmt.Errorf("%s leads to %s; %s", u.Host, english, reason)
	}
	var places []string
	for _, ip := range blocked {
		places = append(places, placeOf(u, ip))
	}
	for _, p := range places {
		j.granted[p] = true
	}
	if a.Always {
		j.known.add(places)
	}
	return nil
}
