package httpx_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/httpx"
)

func TestShownHasNoSecret(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:8080/v1":                   "http://127.0.0.1:8080/v1",
		"http://user:s3cret@host:1/v1":               "http://***@host:1/v1",
		"http://sk-token@host/v1":                    "http://***@host/v1",
		"https://host/v1?key=abc&alt=sse&x":          "https://host/v1?key=***&alt=sse&***",
		"https://host/openai?api-version=2024-10-21": "https://host/openai?api-version=2024-10-21",
		"http://user:p/w@d@host/v1":                  "http://***@host/v1",
		"http://user:p%zz@host/v1?key=a#frag":        "http://***@host/v1?key=***#***",
		"http://host/accounts/@cf/v1":                "http://host/accounts/@cf/v1",
		"no address? at all@all":                     "no address? at all@all",
		"what is at https://host?a=b":                "what is at https://host?a=b",
		"http://user:pass?word@host/v1":              "http://***@host/v1",
		"":                                           "",
	} {
		if got := httpx.Shown(in); got != want {
			t.Errorf("Shown(%q) = %q, want %q", in, got, want)
		}
	}
	if got := httpx.Bare("http://u:p@host/v1/chat/completions?key=a#b"); got != "http://host/v1/chat/completions" {
		t.Error(got)
	}
}

func TestSecrets(t *testing.T) {
	got := httpx.Secrets("https://me:p%40ss@host/v1?key=abc%2Fdef&api-version=1&bare")
	want := []string{"p%40ss", "p@ss", "bWU6cEBzcw==", "abc%2Fdef", "abc/def", "bare"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := httpx.Secrets("http://token@host"); !slices.Equal(got, []string{"token", "dG9rZW46"}) {
		t.Errorf("%q", got)
	}
	if got := httpx.Secrets("http://host/v1"); got != nil {
		t.Errorf("%q", got)
	}
}

func TestShownError(t *testing.T) {
	broken := strings.Replace("http://user:paXss@host/v1?key=abc", "X", "%zz", 1)
	_, err := url.Parse(broken)
	if got := httpx.ShownError(err).Error(); strings.Contains(got, "user:") || strings.Contains(got, "abc") {
		t.Error(got)
	}
	inner := errors.New("refused")
	err = httpx.ShownError(&url.Error{Op: "Post", URL: "http://u:p@h/v1?key=abc", Err: inner})
	if !errors.Is(err, inner) || err.Error() != `Post "http://***@h/v1?key=***": refused` {
		t.Error(err)
	}
	if other := errors.New("other"); !errors.Is(httpx.ShownError(other), other) {
		t.Error("another error was lost")
	}
}

func FuzzShown(f *testing.F) {
	f.Add("http://user:password@host/v1?key=value#x")
	f.Add("http://a:b/c@d?e@f")
	f.Add("/?u=http://user:longpassword@h/***")
	f.Add("a b://user:longpassword@h/***")
	f.Add("http://h/***?version=aaaaaaaaaaaa#x")
	f.Add("http://u@h/?aaaaaaaaaaa=http://x:longsecret9@y")
	f.Fuzz(func(t *testing.T, s string) {
		if scheme, _, _ := strings.Cut(s, "://"); strings.ContainsAny(scheme, " \t/?#@") {
			return // no address
		}
		shown := httpx.Shown(s)
		for _, secret := range httpx.Secrets(s) {
			if len(secret) > 8 && strings.Count(s, secret) == 1 && strings.Contains(shown, secret) {
				t.Errorf("%q shows %q", shown, secret)
			}
		}
	})
}
