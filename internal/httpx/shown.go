package httpx

import (
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// hidden stands where an address holds what nobody may read.
const hidden = "***"

// Shown is an address as it may be shown: without the user, the password and the values of the query, which are often
// keys. An address that cannot be parsed is treated the same way. What is no address stays as it is.
func Shown(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || strings.ContainsAny(scheme, " \t/?#@") {
		return s
	}
	user, rest := splitUser(s, rest)
	if user != "" {
		user = hidden + "@"
	}
	rest, part, more := strings.Cut(rest, "#")
	if more && part != "" {
		part = hidden
	}
	rest, query, asks := strings.Cut(rest, "?")
	shown := scheme + "://" + user + rest
	if asks {
		pairs := strings.Split(query, "&")
		for i, p := range pairs {
			name, value, named := strings.Cut(p, "=")
			switch {
			case named && value != "" && !harmless(name):
				pairs[i] = name + "=" + hidden
			case !named && p != "":
				pairs[i] = hidden
			}
		}
		shown += "?" + strings.Join(pairs, "&")
	}
	if more {
		shown += "#" + part
	}
	return shown
}

// Bare is an address without user, password, query and fragment.
func Bare(s string) string {
	s = Shown(s)
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	return strings.Replace(s, "://"+hidden+"@", "://", 1)
}

// splitUser takes off what stands before the host. In an address that cannot be parsed the password may hold anything.
func splitUser(whole, rest string) (user, behind string) {
	end := len(rest)
	if _, err := url.Parse(whole); err == nil {
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			end = i
		}
	}
	if i := strings.LastIndexByte(rest[:end], '@'); i >= 0 {
		return rest[:i], rest[i+1:]
	}
	return "", rest
}

// harmless reports whether a value of a query is no key by what it is called.
func harmless(name string) bool {
	return slices.Contains([]string{"api-version", "api_version", "version", "alt", "beta"}, strings.ToLower(name))
}

// Secrets are the values in an address that nobody may read: the password, or the user where there is none; both
// as they are sent; and the values of the query, as they are written and as they are meant.
func Secrets(s string) (values []string) {
	_, rest, ok := strings.Cut(s, "://")
	if !ok {
		return nil
	}
	add := func(v string) {
		plain := v
		if p, err := url.PathUnescape(v); err == nil {
			plain = p
		}
		for _, one := range []string{v, plain} {
			if one != "" && !slices.Contains(values, one) {
				values = append(values, one)
			}
		}
	}
	user, rest := splitUser(s, rest)
	if user != "" {
		name, password, both := strings.Cut(user, ":")
		if password == "" {
			password = name
		}
		add(password)
		if u, err := url.Parse(s); err == nil && u.User != nil {
			plain, _ := u.User.Password()
			add(base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + plain)))
		} else if both {
			add(base64.StdEncoding.EncodeToString([]byte(user)))
		}
	}
	rest, _, _ = strings.Cut(rest, "#")
	_, query, _ := strings.Cut(rest, "?")
	for p := range strings.SplitSeq(query, "&") {
		name, value, named := strings.Cut(p, "=")
		switch {
		case !named:
			add(name)
		case !harmless(name):
			add(value)
		}
	}
	return values
}

// ShownError is an error of package net/url or net/http with the address in it as it may be shown.
func ShownError(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		clean := *e
		clean.URL = Shown(e.URL)
		return &clean
	}
	return err
}
