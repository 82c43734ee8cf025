package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"react-agent/internal/sse"
)

// all reads a stream to its end.
func all(r io.Reader) (events []string, err error) {
	in := sse.NewReader(r)
	for {
		e, err := in.Next()
		if err != nil {
			return events, err
		}
		s := fmt.Sprintf("%s|%s|%s", e.Type, e.ID, e.Data)
		if e.Retry > 0 {
			s += "|" + e.Retry.String()
		}
		if e.Tail {
			s += "|tail"
		}
		events = append(events, s)
	}
}

// pieces gives its strings one per read.
type pieces []string

func (p *pieces) Read(b []byte) (int, error) {
	for len(*p) > 0 && (*p)[0] == "" {
		*p = (*p)[1:]
	}
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	(*p)[0] = (*p)[0][n:]
	return n, nil
}

func streams() []struct {
	name, in string
	want     []string
} {
	return []struct {
		name, in string
		want     []string
	}{
		{"plain", "data: a\n\ndata: b\n\n", []string{"||a", "||b"}},
		{"no space", "data:a\n\ndata:  b\n\n", []string{"||a", "|| b"}},
		{"crlf", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"||a", "||b"}},
		{"cr", "data: a\r\rdata: b\r\r", []string{"||a", "||b"}},
		{"mixed ends", "data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", []string{"||a", "||b", "||c"}},
		{"byte order mark", "\ufeffdata: a\n\n", []string{"||a"}},
		{"mark only at the start", "data: a\n\n\ufeffdata: b\n\ndata: c\n\n", []string{"||a", "||c"}},
		{"half a mark", "\xef\xbbdata: a\n\ndata: b\n\n", []string{"||b"}},
		{"joined lines", "data: {\ndata:  \"a\"\ndata\ndata: }\n\n", []string{"||{\n \"a\"\n\n}"}},
		{"comments", ": ping\n\n:\ndata: a\n: in between\n\n:x\n\n", []string{"||a"}},
		{"heartbeats", "data:\n\ndata: \n\nevent: ping\n\nevent: ping\ndata:\n\ndata: a\n\n", []string{"||a"}},
		{"type and id", "event: x\nid: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: n\x00l\ndata: d\n\n", []string{"x|1|a", "|1|b", "||c", "||d"}},
		{"retry", "retry: 1500\ndata: a\n\nretry: soon\ndata: b\n\n", []string{"||a|1.5s", "||b|1.5s"}},
		{"unknown fields", "datax: 1\nfoo\ndata: a\n\n", []string{"||a"}},
		{"no last blank line", "data: a\n\ndata: b\n", []string{"||a", "||b|tail"}},
		{"no last line end", "data: a\n\ndata: b", []string{"||a", "||b|tail"}},
		{"cut in a field name", "data: a\n\ndat", []string{"||a"}},
		{"unicode line separators", "data: a\u2028b\u0085c\n\n", []string{"||a\u2028b\u0085c"}},
		{"empty", "", nil},
		{"only blank lines", "\n\r\n\r\r", nil},
		{"a colon in the value", "data: a: b\n\n", []string{"||a: b"}},
	}
}

func TestEverySplit(t *testing.T) {
	for _, c := range streams() {
		t.Run(c.name, func(t *testing.T) {
			for i := range len(c.in) + 1 {
				for j := i; j <= len(c.in); j++ {
					got, err := all(&pieces{c.in[:i], c.in[i:j], c.in[j:]})
					if !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, c.want) {
						t.Fatalf("split at %d and %d: %q, %v; want %q", i, j, got, err, c.want)
					}
				}
			}
			got, err := all(iotest.OneByteReader(strings.NewReader(c.in)))
			if !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, c.want) {
				t.Fatalf("byte by byte: %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestErrorsOfTheSource(t *testing.T) {
	broken := errors.New("broken")
	got, err := all(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if want := []string{"||a", "||b|tail"}; !errors.Is(err, broken) || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q and the source's error", got, err, want)
	}
	in := sse.NewReader(iotest.ErrReader(broken))
	for range 2 { // the error stays
		if _, err := in.Next(); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := all(idle{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that gives nothing: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestNextDoesNotWaitForMore(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		pr, pw := io.Pipe()
		done := make(chan string)
		go func() {
			e, err := sse.NewReader(pr).Next()
			done <- fmt.Sprint(string(e.Data), err)
		}()
		if _, err := pw.Write([]byte("data: now" + end)); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-done:
			if got != "now<nil>" {
				t.Errorf("%q: %s", end, got)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%q: the event is held back although it is complete", end)
		}
		pr.Close()
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	got, err := all(iotest.HalfReader(strings.NewReader("data: " + long + "\n\ndata: b\n\n")))
	if !errors.Is(err, io.EOF) || len(got) != 2 || got[0] != "||"+long {
		t.Fatalf("%d events, %v", len(got), err)
	}
}

func TestTooLarge(t *testing.T) {
	line := "data: " + strings.Repeat("y", 1<<20) + "\n"
	for name, in := range map[string]io.Reader{
		"one line":   io.MultiReader(strings.NewReader("data: "), endless{}),
		"many lines": io.LimitReader(&repeat{line: []byte(line)}, 100<<20),
	} {
		got, err := all(in)
		if !errors.Is(err, sse.ErrTooLarge) || len(got) != 0 {
			t.Errorf("%s: %d events, %v", name, len(got), err)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("z"), len(p))), nil }

type repeat struct {
	line []byte
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := copy(p, r.line[r.at:])
	r.at = (r.at + n) % len(r.line)
	return n, nil
}

func TestSniff(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		in    io.Reader
		first byte
		rest  string
		err   error
	}{
		{strings.NewReader("data: a"), 'd', "data: a", nil},
		{strings.NewReader("\ufeff \r\n\t{\"a\":1}"), '{', "\ufeff \r\n\t{\"a\":1}", nil},
		{strings.NewReader("<html>"), '<', "<html>", nil},
		{strings.NewReader(""), 0, "", io.EOF},
		{strings.NewReader(" \n"), 0, " \n", io.EOF},
		{iotest.ErrReader(broken), 0, "", broken},
		{strings.NewReader(strings.Repeat(" ", 600) + "{"), 0, strings.Repeat(" ", 600) + "{", nil},
	} {
		first, rest, err := sse.Sniff(c.in)
		if first != c.first || !errors.Is(err, c.err) {
			t.Errorf("got %q, %v; want %q, %v", first, err, c.first, c.err)
		}
		if all, _ := io.ReadAll(rest); string(all) != c.rest {
			t.Errorf("rest is %q, want %q", all, c.rest)
		}
	}
}

func TestNoAllocationPerEvent(t *testing.T) {
	in := sse.NewReader(&repeat{line: []byte("id: 7\nevent: x\ndata: {\"a\": 1}\n\n")})
	for range 1000 {
		if _, err := in.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(1000, func() { _, _ = in.Next() }); n != 0 {
		t.Errorf("%v allocations per event", n)
	}
}

// FuzzReader holds that no input panics, and that it does not matter where the stream is cut.
func FuzzReader(f *testing.F) {
	for _, c := range streams() {
		f.Add([]byte(c.in), uint16(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		want, errWant := all(bytes.NewReader(in))
		at := int(cut) % (len(in) + 1)
		for name, r := range map[string]io.Reader{
			"two pieces": &pieces{string(in[:at]), string(in[at:])},
			"bytes":      iotest.OneByteReader(bytes.NewReader(in)),
		} {
			got, err := all(r)
			if !reflect.DeepEqual(got, want) || !errors.Is(err, errWant) {
				t.Fatalf("%s: %q %v, in one piece %q %v", name, got, err, want, errWant)
			}
		}
		for _, e := range want {
			if strings.Contains(e, "\r") {
				t.Fatalf("a line end inside %q", e)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	in := sse.NewReader(&repeat{line: []byte("data: " + strings.Repeat("x", 255) + "\n\n")})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := in.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
