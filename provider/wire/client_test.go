package wire

import "testing"

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"https://h/v1": "https://h/v1/chat/completions", "https://h/v1/": "https://h/v1/chat/completions", "http://h": "http://h/chat/completions",
		"https://h/v1/chat/completions": "https://h/v1/chat/completions", "https://h/v1/chat/completions/": "https://h/v1/chat/completions",
		"https://h/d/x?api-version=1": "https://h/d/x/chat/completions?api-version=1", "h/v1": "", "": "", "ftp://h": "", "://": "",
	} {
		got, err := Endpoint(base, "/chat/completions", "")
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v; want %q", base, got, err, want)
		}
	}
}

func TestEndpointQuery(t *testing.T) {
	for base, want := range map[string]string{
		"https://h/v1": "https://h/v1/m:stream?alt=sse", "https://h/v1?key=k": "https://h/v1/m:stream?key=k&alt=sse",
		"https://h/v1?alt=json": "https://h/v1/m:stream?alt=json", "https://h/v1/m:stream?alt=sse": "https://h/v1/m:stream?alt=sse",
	} {
		if got, err := Endpoint(base, "/m:stream", "alt=sse"); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", base, got, err, want)
		}
	}
}

func TestHasVersion(t *testing.T) {
	for base, want := range map[string]bool{
		"https://h/v1": true, "https://h/x/v1beta/": true, "https://h/v12?x=1": true, " https://h/v1 ": true,
		"https://h": false, "https://h/v": false, "https://h/vx": false, "https://h/v1/x": false, "https://h/?v=v1": false, "://": false,
	} {
		if got := HasVersion(base); got != want {
			t.Errorf("%q: %v", base, got)
		}
	}
}
