package policy

import (
	"errors"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/toolname"
)

// checkPath finds what no rule about files may hold.
func checkPath(s string) (at int, err error) {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return i, msg.Errorf(msg.PolicyRuleNUL)
	}
	if i := strings.Index(s, "***"); i >= 0 {
		return i, msg.Errorf(msg.PolicyRuleStars)
	}
	return 0, nil
}

// checkURL finds what no rule about addresses may hold.
func checkURL(s string) (at int, err error) {
	if host, ok := strings.CutPrefix(s, "domain:"); ok {
		if host == "" || strings.ContainsAny(host, "/:@ ") {
			return len("domain:"), msg.Errorf(msg.PolicyRuleDomain)
		}
		return 0, nil
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || scheme == "" {
		return 0, msg.Errorf(msg.PolicyRuleScheme)
	}
	host, _, slash := strings.Cut(rest, "/")
	if !slash {
		return len(s), msg.Errorf(msg.PolicyRuleSlash, s)
	}
	if strings.Contains(host, "@") || host == "" {
		return len(scheme) + 3, msg.Errorf(msg.PolicyRuleHost)
	}
	return 0, nil
}

// matchURL compares an address with a rule. For loose (deny and ask) a domain also stands for what is below it.
func matchURL(rule, address string, loose bool) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	host := plainHost(u.Hostname())
	if d, ok := strings.CutPrefix(rule, "domain:"); ok {
		d = plainHost(d)
		return toolname.Match(d, host) || loose && strings.HasSuffix(host, "."+d)
	}
	scheme, rest, _ := strings.Cut(rule, "://")
	want, where, _ := strings.Cut(rest, "/")
	if u.Port() != "" && u.Port() != map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)] {
		host += ":" + u.Port()
	}
	if !toolname.Match(strings.ToLower(scheme), strings.ToLower(u.Scheme)) || !toolname.Match(strings.ToLower(want), host) {
		return false
	}
	p := path.Clean("/" + u.Path)
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	return matchPath("/"+where, p, false)
}

// plainHost gives the one way to write a host: names in small letters, numbers of addresses as four decimal ones, of
// which system libraries also take fewer, and in octal and hexadecimal.
func plainHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().WithZone("").String()
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return host
	}
	var all uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts)) // the last one fills what is left
		}
		if err != nil || n >= 1<<bits || strings.Contains(part, "_") {
			return host
		}
		all = all<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)}).String()
}

// matchPath compares a path with a pattern, name by name: * and ? stand for characters of one name, ** for any number of
// directories, a backslash makes the next character mean itself. With under, what lies below a matching path matches too.
func matchPath(pattern, p string, under bool) bool {
	want := strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	if strings.HasSuffix(pattern, "/") && len(want) > 1 {
		want = append(want, "**")
	}
	names := strings.Split(p, "/")
	at := map[int]bool{0: true} // how many names the pattern so far may have taken
	for _, w := range want {
		next := map[int]bool{}
		for i := range at {
			if w == "**" {
				for j := i; j <= len(names); j++ {
					next[j] = true
				}
			} else if i < len(names) && matchName(w, names[i]) {
				next[i+1] = true
			}
		}
		at = next
	}
	for i := range at {
		if i == len(names) || under && i > 0 {
			return true
		}
	}
	return false
}

// matchName compares one name; stars do not stand for slashes, for there are none.
func matchName(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	now := make([]bool, len(n)+1)
	now[0] = true
	for i := 0; i < len(p); i++ {
		next := make([]bool, len(n)+1)
		c, one := p[i], p[i] == '?'
		if c == '\\' && i+1 < len(p) {
			i++
			c = p[i]
		} else if c == '*' {
			open := false
			for j := range next {
				open = open || now[j]
				next[j] = open
			}
			now = next
			continue
		}
		for j := range n {
			next[j+1] = now[j] && (one || n[j] == c)
		}
		now = next
	}
	return now[len(n)]
}

// escapePath makes a path mean itself in a rule.
func escapePath(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(s)
}

// foldCase reports whether names that differ in case only may be the same file.
func foldCase() bool { return runtime.GOOS == "windows" || runtime.GOOS == "darwin" }

// resolve follows every link in a path, also when its end does not exist yet. Root is where a relative path begins.
func resolve(root, given string) (string, error) {
	full := given
	if !filepath.IsAbs(full) {
		if root == "" {
			return "", errors.New("no work directory")
		}
		full = root + string(filepath.Separator) + full // not Join: a/../b must be resolved, not shortened
	}
	const maxLinks = 40
	return resolveFull(full, maxLinks)
}

func resolveFull(full string, links int) (string, error) {
	if links == 0 {
		return "", errors.New("too many links: " + full)
	}
	if to, err := filepath.EvalSymlinks(full); err == nil {
		return to, nil
	}
	trimmed := strings.TrimRight(full, string(filepath.Separator))
	at := strings.LastIndexByte(trimmed, filepath.Separator)
	if at < 0 {
		return full, nil
	}
	up, name := trimmed[:at], trimmed[at+1:]
	if up == "" {
		up = string(filepath.Separator)
	}
	dir, err := resolveFull(up, links)
	if err != nil || name == "." || name == "" {
		return dir, err
	}
	if name == ".." {
		return filepath.Dir(dir), nil
	}
	to, err := os.Readlink(filepath.Join(dir, name))
	if err != nil {
		return filepath.Join(dir, name), nil //nolint:nilerr // no link: it is what its name says
	}
	if !filepath.IsAbs(to) {
		to = dir + string(filepath.Separator) + to
	}
	return resolveFull(to, links-1)
}

// within reports whether path is root or below it.
func within(root, p string) bool {
	return root != "" && (p == root || strings.HasPrefix(p, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)))
}
