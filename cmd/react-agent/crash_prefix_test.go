//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Each request of a hundred steps (of forty in a short run) begins with the whole of the one before it, byte for byte, and differs in nothing else;
// also when the process dies in the middle, before or behind storing an answer.
func TestRequestsExtendEachOther(t *testing.T) {
	t.Parallel()
	prefixSteps := 100
	if testing.Short() {
		prefixSteps = 40
	}
	var script strings.Builder
	script.WriteString("KEYED\n")
	for i := 1; i < prefixSteps; i++ {
		fmt.Fprintf(&script, "THINK step <%d> & on\n+ SAY \"so \\u00e9 \\u2028 %d\"\n", i, i)
		fmt.Fprintf(&script, "+ CALL bash {\"command\": \"echo '<%d>' | tee -a count.txt\",  \"timeout\": 10}\n+ CALL read_file {\"path\":\"missing%d\"}\n", i, i)
	}
	script.WriteString("SAY done\n")
	half := 2 + 5*(prefixSteps/2-1) + 1 // the person, the setup, 49 steps of one answer and two calls with results
	for _, tc := range []struct {
		die      string
		requests int
	}{{"", prefixSteps}, {fmt.Sprint("after:", half), prefixSteps}, {fmt.Sprint("before:", half), prefixSteps + 1}} {
		t.Run(tc.die, func(t *testing.T) {
			g := newRig(t, script.String())
			if tc.die != "" {
				if code := g.start([]string{"PARTS_DIE=" + tc.die}, "--yolo", "--session", "s", "go").play(); code != -1 {
					t.Fatalf("the process was to die, and ended with %d", code)
				}
				if n := len(g.srv.Requests()); n != prefixSteps/2 {
					t.Fatalf("it died after %d requests", n)
				}
			}
			args := []string{"--yolo", "--session", "s", "go"}
			if tc.die != "" {
				args = []string{"--yolo", "--resume", "s"}
			}
			if code := g.start(nil, args...).play(); code != 0 {
				t.Fatalf("ended with %d", code)
			}
			bodies := g.srv.Bodies()
			if len(bodies) != tc.requests {
				t.Fatalf("%d requests, want %d", len(bodies), tc.requests)
			}
			for i := 1; i < len(bodies); i++ {
				extends(t, i, bodies[i-1], bodies[i])
			}
			if n := len(readLines(t, g.work("count.txt"))); n != prefixSteps-1 {
				t.Errorf("%d commands ran", n)
			}
		})
	}
}

// extends reports whether the second of two bodies is the first with more messages behind it.
func extends(t *testing.T, n int, a, b string) {
	t.Helper()
	x, y := fieldsOf(t, a), fieldsOf(t, b)
	was, is := bytes.TrimSuffix(x["messages"], []byte("]")), y["messages"]
	if !bytes.HasPrefix(is, was) {
		t.Fatalf("request %d does not begin as the one before it: %.2000s", n+1, firstDifference(was, is))
	}
	delete(x, "messages")
	delete(y, "messages")
	if !maps.EqualFunc(x, y, func(v, w json.RawMessage) bool { return bytes.Equal(v, w) }) {
		t.Fatalf("request %d has other settings than the one before it", n+1)
	}
	if len(x["tools"]) < 100 {
		t.Fatal("there are no tools in the request")
	}
}

func fieldsOf(t *testing.T, body string) map[string]json.RawMessage {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func firstDifference(a, b []byte) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-80)
	return fmt.Sprintf("…%s was …%s", b[from:min(len(b), i+200)], slices.Clip(a[from:min(len(a), i+200)]))
}
