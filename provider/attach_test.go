package provider_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"iter"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/provider"
	"react-agent/provider/wire"
)

// vendor answers requests that it does not refuse, and remembers what it was shown.
type vendor struct {
	info   agent.ModelInfo
	refuse func(shown []agent.Part) *agent.ModelError

	mu    sync.Mutex
	shown [][]agent.Part
}

func (v *vendor) Info() agent.ModelInfo { return v.info }

func (v *vendor) Stream(_ context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		var parts []agent.Part
		for _, m := range req.Messages {
			for _, p := range m.Parts {
				if p.Result != nil {
					parts = append(parts, p.Result.Parts...)
					continue
				}
				parts = append(parts, p)
			}
		}
		v.mu.Lock()
		v.shown = append(v.shown, parts)
		v.mu.Unlock()
		if err := v.refuse(parts); err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		text := agent.TextPart("hi")
		_ = yield(agent.Chunk{Part: &text}, nil) && yield(agent.Chunk{Stop: agent.StopEnd}, nil)
	}
}

func (v *vendor) requests() int { return len(v.shown) }

// last names what the last request held: attachments by name and size, texts in angles.
func (v *vendor) last() string {
	var list []string
	for _, p := range v.shown[len(v.shown)-1] {
		switch {
		case p.Blob != nil:
			list = append(list, p.Blob.Name)
		case strings.HasPrefix(p.Text, "["):
			name, _, _ := strings.Cut(p.Text[1:], " ")
			list = append(list, "<"+name+">")
		}
	}
	return strings.Join(list, " ")
}

func badRequest(format string, args ...any) *agent.ModelError {
	return &agent.ModelError{Kind: agent.ErrBadRequest, Status: 400, Provider: "fake", Err: fmt.Errorf(format, args...)}
}

// pictureOf is a PNG of noise, so that its bytes depend on its size.
func pictureOf(t testing.TB, name string, w, h int) agent.Part {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	seed := uint32(len(name)*7 + w)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = uint8(seed >> 24)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	img.SetNRGBA(0, 0, color.NRGBA{name[0], name[len(name)-1], uint8(len(name)), 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: name, SHA256: hex.EncodeToString(sum[:]), Data: b.Bytes()}}
}

func user(parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.User, Parts: append([]agent.Part{agent.TextPart("look")}, parts...)}
}

// call sends a history and gives what the person was told, and the error.
func call(t testing.TB, m agent.Model, msgs ...agent.Message) (notes []string, err *agent.ModelError) {
	t.Helper()
	var text strings.Builder
	for c, cerr := range m.Stream(context.Background(), &agent.Request{Messages: msgs}) {
		if cerr != nil {
			if !errors.As(cerr, &err) {
				t.Fatal(cerr)
			}
			continue
		}
		if c.Note != "" {
			notes = append(notes, c.Note)
			if !c.Reset {
				t.Error("a note without a reset")
			}
		}
		if c.Part != nil {
			text.WriteString(c.Part.Text)
		}
	}
	if err == nil && text.String() != "hi" {
		t.Fatalf("text %q", text.String())
	}
	return notes, err
}

func seeing(refuse func([]agent.Part) *agent.ModelError) *vendor {
	return &vendor{info: agent.ModelInfo{Name: "eyes", Vision: true, Files: true}, refuse: refuse}
}

// sizes refuses requests with a picture of more bytes than limit.
func sizes(limit int) func([]agent.Part) *agent.ModelError {
	return func(parts []agent.Part) *agent.ModelError {
		for _, p := range parts {
			if p.Blob != nil && len(p.Blob.Data) > limit {
				return badRequest("image dimensions exceed max allowed size")
			}
		}
		return nil
	}
}

func TestAttachmentsPassWhenNothingIsWrong(t *testing.T) {
	v := seeing(sizes(1 << 30))
	m := provider.Attachments(v, nil)
	msgs := []agent.Message{user(pictureOf(t, "a.png", 20, 20))}
	for range 2 {
		if notes, err := call(t, m, msgs...); err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
	}
	if v.requests() != 2 || v.last() != "a.png" || &v.shown[0][1].Blob.Data[0] != &msgs[0].Parts[1].Blob.Data[0] {
		t.Errorf("%d requests, %s", v.requests(), v.last())
	}
	if notes, err := call(t, m, agent.TextMessage(agent.User, "only text")); err != nil || len(notes) > 0 {
		t.Error(notes, err)
	}
}

func TestASmallerPictureIsTriedOnce(t *testing.T) {
	v := seeing(sizes(200_000))
	m := provider.Attachments(v, nil)
	old := user(pictureOf(t, "big.png", 300, 300))
	notes, err := call(t, m, old)
	if err != nil || len(notes) != 1 || notes[0] != "big.png: sent smaller from now on; fake: bad_request (HTTP 400): image dimensions exceed max allowed size" {
		t.Fatal(notes, err)
	}
	if v.requests() != 2 || v.last() != "big.png" {
		t.Errorf("%d requests, %s", v.requests(), v.last())
	}
	first := v.shown[1][1].Blob
	// Later turns need no refusal, and send the same bytes.
	notes, err = call(t, m, old, agent.TextMessage(agent.Assistant, "hi"), agent.TextMessage(agent.User, "more"))
	if err != nil || len(notes) > 0 || v.requests() != 3 || v.shown[2][1].Blob != first {
		t.Errorf("%v %v, %d requests", notes, err, v.requests())
	}
}

func TestARefusedPictureEndsNoSession(t *testing.T) {
	v := seeing(sizes(1000))
	m := provider.Attachments(v, nil)
	big := user(pictureOf(t, "big.png", 300, 300))
	notes, err := call(t, m, big)
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "big.png: left out from now on; ") || v.requests() != 3 || v.last() != "<big.png>" {
		t.Fatalf("%q %v, %d requests, %s", notes, err, v.requests(), v.last())
	}
	notes, err = call(t, m, big, agent.TextMessage(agent.Assistant, "hi"), agent.TextMessage(agent.User, "never mind, say hi"))
	if err != nil || len(notes) != 0 || v.requests() != 4 || v.last() != "<big.png>" {
		t.Fatalf("%q %v, %d requests, %s", notes, err, v.requests(), v.last())
	}
	// The same picture once more, by another name, is known.
	again := pictureOf(t, "big.png", 300, 300)
	again.Blob.Name = "copy.png"
	if notes, err = call(t, m, big, user(again)); err != nil || len(notes) != 0 || v.requests() != 5 {
		t.Errorf("%q %v, %d requests", notes, err, v.requests())
	}
}

// Whoever is at fault is found, named or not, and the others stay.
func TestTheOneAtFaultIsFound(t *testing.T) {
	a, b, c := pictureOf(t, "a.png", 21, 20), pictureOf(t, "b.png", 22, 20), pictureOf(t, "c.png", 23, 20)
	has := func(parts []agent.Part, name string) bool {
		for _, p := range parts {
			if p.Blob != nil && p.Blob.Name == name {
				return true
			}
		}
		return false
	}
	history := []agent.Message{user(a), agent.TextMessage(agent.Assistant, "hi"), user(b), agent.TextMessage(agent.Assistant, "hi"), user(c)}
	for name, x := range map[string]struct {
		bad, text string
		known     int // messages that were taken before
		want      string
		requests  int
	}{
		"newest, not named":       {"c.png", "Could not process image", 0, "a.png b.png <c.png>", 3},
		"oldest, not named":       {"a.png", "Could not process image", 0, "<a.png> <b.png> c.png", 4},
		"only the newest is new":  {"c.png", "Could not process image", 3, "a.png b.png <c.png>", 3},
		"by its place":            {"b.png", "image at index 1 is broken", 0, "a.png <b.png> c.png", 3},
		"no word of it":           {"c.png", "invalid request", 3, "a.png b.png <c.png>", 2},
		"no word of it, all new":  {"a.png", "invalid request", 0, "<a.png> <b.png> <c.png>", 3},
		"what was taken is not":   {"a.png", "image is too large", 3, "<a.png> <b.png> <c.png>", 5},
		"by what a picture shows": {"c.png", "this image is not allowed", 0, "a.png b.png <c.png>", 2},
	} {
		t.Run(name, func(t *testing.T) {
			armed := x.known == 0
			v := seeing(func(parts []agent.Part) *agent.ModelError {
				if armed && has(parts, x.bad) {
					e := badRequest("%s", x.text)
					if strings.Contains(x.text, "not allowed") {
						e.Kind = agent.ErrContentFilter
					}
					return e
				}
				return nil
			})
			m := provider.Attachments(v, nil)
			if !armed {
				if _, err := call(t, m, history[:x.known]...); err != nil {
					t.Fatal(err)
				}
				armed, v.shown = true, nil
			}
			notes, err := call(t, m, history...)
			if err != nil || len(notes) != 1 || v.last() != x.want || v.requests() != x.requests {
				t.Errorf("%q %v: %s after %d requests", notes, err, v.last(), v.requests())
			}
			if notes, err = call(t, m, history...); err != nil || len(notes) != 0 || v.requests() != x.requests+1 {
				t.Errorf("again: %q %v after %d requests", notes, err, v.requests())
			}
		})
	}
}

func TestThePictureOfAResult(t *testing.T) {
	v := seeing(sizes(1000))
	m := provider.Attachments(v, nil)
	r := agent.Result{CallID: "1", Parts: []agent.Part{agent.TextPart("read"), pictureOf(t, "shot.png", 60, 60)}}
	notes, err := call(t, m, agent.TextMessage(agent.User, "look"), agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
	if err != nil || len(notes) != 1 || v.last() != "<shot.png>" || r.Parts[1].Blob == nil {
		t.Errorf("%q %v: %s", notes, err, v.last())
	}
}

func TestTooMany(t *testing.T) {
	var parts []agent.Part
	for i := range 6 {
		parts = append(parts, pictureOf(t, fmt.Sprintf("%d.png", i), 20+i, 20))
	}
	count := func(limit int, text string) func([]agent.Part) *agent.ModelError {
		return func(parts []agent.Part) *agent.ModelError {
			n := 0
			for _, p := range parts {
				if p.Blob != nil {
					n++
				}
			}
			if n > limit {
				return badRequest("%s", text)
			}
			return nil
		}
	}
	v := seeing(count(4, "At most 4 image(s) may be provided"))
	notes, err := call(t, provider.Attachments(v, nil), user(parts[:3]...), user(parts[3:]...))
	if err != nil || len(notes) != 1 || v.last() != "<0.png> <1.png> 2.png 3.png 4.png 5.png" || v.requests() != 2 {
		t.Errorf("%q %v: %s", notes, err, v.last())
	}
	v = seeing(count(4, "Too many images"))
	notes, err = call(t, provider.Attachments(v, nil), user(parts[:3]...), user(parts[3:]...))
	if err != nil || len(notes) != 1 || v.last() != "<0.png> <1.png> <2.png> 3.png 4.png 5.png" {
		t.Errorf("%q %v: %s", notes, err, v.last())
	}
}

func TestARequestThatIsTooLarge(t *testing.T) {
	v := seeing(func(parts []agent.Part) *agent.ModelError {
		n := 0
		for _, p := range parts {
			if p.Blob != nil {
				n += len(p.Blob.Data)
			}
		}
		if n > 250_000 {
			return &agent.ModelError{Kind: agent.ErrContextLength, Status: 413, Err: errors.New("request too large")}
		}
		return nil
	})
	big := []agent.Part{pictureOf(t, "a.png", 300, 300), pictureOf(t, "b.png", 301, 300)}
	if notes, err := call(t, provider.Attachments(v, nil), user(big[0]), user(big[1])); err != nil || len(notes) != 1 {
		t.Errorf("%q %v: %s", notes, err, v.last())
	}
	// With small ones it is the text that is too long, which is another's matter.
	v = seeing(func([]agent.Part) *agent.ModelError {
		return &agent.ModelError{Kind: agent.ErrContextLength, Status: 413, Err: errors.New("request too large")}
	})
	if _, err := call(t, provider.Attachments(v, nil), user(pictureOf(t, "a.png", 9, 9))); err == nil || v.requests() != 1 {
		t.Errorf("%v after %d requests", err, v.requests())
	}
}

func TestABlindModel(t *testing.T) {
	pdf := agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "application/pdf", Name: "a.pdf", Data: []byte("%PDF-1.4")}}
	v := seeing(func(parts []agent.Part) *agent.ModelError {
		for _, p := range parts {
			if p.Blob != nil && p.Blob.MIME == "image/png" {
				return badRequest("This model does not support image input")
			}
		}
		return nil
	})
	notes, err := call(t, provider.Attachments(v, nil), user(pictureOf(t, "a.png", 20, 20), pdf))
	if err != nil || len(notes) != 1 || v.last() != "<a.png> a.pdf" || v.requests() != 2 {
		t.Errorf("%q %v: %s", notes, err, v.last())
	}
	// One of which that is known is not even sent a picture.
	v = &vendor{refuse: func([]agent.Part) *agent.ModelError { return nil }}
	notes, err = call(t, provider.Attachments(v, nil), user(pictureOf(t, "a.png", 20, 20), pdf))
	if err != nil || len(notes) != 0 || v.last() != "<a.png> <a.pdf>" {
		t.Errorf("%q %v: %s", notes, err, v.last())
	}
}

// What is refused for another reason is told with that reason, and no picture pays for it.
func TestOtherRefusals(t *testing.T) {
	for name, e := range map[string]*agent.ModelError{
		"always":  badRequest("tools.0.parameters: invalid schema"),
		"picture": badRequest("image, image, image"),
		"key":     {Kind: agent.ErrAuth, Status: 401, Err: errors.New("wrong key")},
		"network": {Kind: agent.ErrNetwork, Err: errors.New("broken pipe")},
	} {
		armed := true
		v := seeing(func([]agent.Part) *agent.ModelError {
			if armed {
				return e
			}
			return nil
		})
		m := provider.Attachments(v, nil)
		msg := user(pictureOf(t, "a.png", 20, 20))
		if notes, err := call(t, m, msg); err != e || len(notes) != 0 || v.requests() > 4 {
			t.Errorf("%s: %q %v after %d requests", name, notes, err, v.requests())
		}
		armed = false
		if notes, err := call(t, m, msg); err != nil || len(notes) != 0 || v.last() != "a.png" {
			t.Errorf("%s: the picture is gone: %s", name, v.last())
		}
	}
}

func TestAWordingOfOnesOwn(t *testing.T) {
	v := seeing(sizes(1000))
	m := provider.Attachments(v, func(small, out []string, err *agent.ModelError) string {
		return fmt.Sprintf("%v %v %s", small, out, err.Kind)
	})
	if notes, _ := call(t, m, user(pictureOf(t, "a.png", 60, 60))); len(notes) != 1 || notes[0] != "[] [a.png] bad_request" {
		t.Errorf("%q", notes)
	}
}

// Leaving off in the middle, and several runs at once, harm nothing.
func TestAttachmentsAtOnce(t *testing.T) {
	v := seeing(sizes(1000))
	m := provider.Attachments(v, nil)
	msg := user(pictureOf(t, "a.png", 200, 200), pictureOf(t, "b.png", 9, 9))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range m.Stream(context.Background(), &agent.Request{Messages: []agent.Message{msg}}) {
				if i%2 == 0 {
					break
				}
			}
		})
	}
	wg.Wait()
	v.shown = nil
	if notes, err := call(t, m, msg); err != nil || len(notes) != 0 || v.requests() != 1 {
		t.Errorf("%q %v", notes, err)
	}
}

// Whatever is refused, the call ends after few requests, with an answer if there is a way to one, and never sends more than
// what it was given.
func TestAttachmentsAlwaysEnd(t *testing.T) {
	pool := make([]agent.Part, 5)
	for i := range pool {
		pool[i] = pictureOf(t, fmt.Sprintf("p%d.png", i), 20+5*i, 30)
	}
	words := []string{"invalid request", "Could not process image", "image at index 0 is bad", "image at index 9 is bad", "At most 2 images", "Too many images", "model does not support images", "PDF too large"}
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SliceOfDistinct(rapid.IntRange(0, len(pool)-1), rapid.ID[int]).Draw(t, "bad")
		text := rapid.SampledFrom(words).Draw(t, "words")
		v := &vendor{info: agent.ModelInfo{Vision: true}, refuse: func(parts []agent.Part) *agent.ModelError {
			for _, p := range parts {
				for _, i := range bad {
					if p.Blob != nil && p.Blob.Name == pool[i].Blob.Name {
						return badRequest("%s", text)
					}
				}
			}
			return nil
		}}
		m := provider.Attachments(v, nil)
		var msgs []agent.Message
		for turn := range rapid.IntRange(1, 4).Draw(t, "turns") {
			n := rapid.IntRange(0, 3).Draw(t, "pictures")
			var parts []agent.Part
			for range n {
				parts = append(parts, pool[rapid.IntRange(0, len(pool)-1).Draw(t, "which")])
			}
			msgs = append(msgs, user(parts...), agent.TextMessage(agent.Assistant, fmt.Sprint(turn)))
			before := v.requests()
			var last error
			for _, err := range m.Stream(context.Background(), &agent.Request{Messages: msgs}) {
				last = err
			}
			if last != nil {
				t.Fatalf("no answer: %v", last)
			}
			if n := v.requests() - before; n > 12 {
				t.Fatalf("%d requests", n)
			}
		}
	})
}

// A vendor that points at a place in the request is taken at its word, also for the smaller picture it gets next.
func TestThePlaceThatIsPointedAt(t *testing.T) {
	limit := 200_000
	v := seeing(nil)
	v.refuse = func(parts []agent.Part) *agent.ModelError {
		var content []string
		bad := -1
		for i, p := range parts {
			if p.Blob == nil {
				content = append(content, `"text"`)
				continue
			}
			content = append(content, `{"image_url":{"url":"`+wire.Address(p.Blob)+`"}}`)
			if len(p.Blob.Data) > limit {
				bad = i
			}
		}
		if bad < 0 {
			return nil
		}
		return wire.Classify(wire.Failure{
			Status: 400, Body: fmt.Appendf(nil, `{"error":{"message":"image too large","param":"messages.[0].content.[%d].image_url"}}`, bad),
			Request: []byte(`{"messages":[{"content":[` + strings.Join(content, ",") + `]}]}`),
		})
	}
	pics := []agent.Part{pictureOf(t, "big.png", 300, 300), pictureOf(t, "a.png", 20, 20), pictureOf(t, "b.png", 21, 20)}
	for _, c := range []struct {
		limit int
		note  string
		last  string
	}{{200_000, "big.png: sent smaller", "big.png a.png b.png"}, {30_000, "big.png: left out", "<big.png> a.png b.png"}} {
		limit = c.limit
		notes, err := call(t, provider.Attachments(v, nil), user(pics...))
		if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], c.note) || v.last() != c.last {
			t.Errorf("%q %v: %s", notes, err, v.last())
		}
	}
}

func TestAttachmentsWithoutNameOrBytes(t *testing.T) {
	v := seeing(func(parts []agent.Part) *agent.ModelError {
		for _, p := range parts {
			if p.Blob != nil {
				return badRequest("Failed to download file")
			}
		}
		return nil
	})
	far := func(mime, uri string) agent.Part {
		return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, URI: uri}}
	}
	bare := pictureOf(t, "x.png", 9, 9)
	bare.Blob.SHA256, bare.Blob.Name = "", ""
	notes, err := call(t, provider.Attachments(v, nil), user(far("image/png", "https://host/a.png"), far("application/pdf", "https://host/a.pdf"), bare))
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "image, attachment, image: left out") {
		t.Errorf("%q %v", notes, err)
	}
}

// What a model has made itself goes back to it as it came.
func TestAPictureOfItsOwn(t *testing.T) {
	v := &vendor{info: agent.ModelInfo{Provider: "w", Preset: "p", Name: "painter"}, refuse: func([]agent.Part) *agent.ModelError { return nil }}
	own, foreign := pictureOf(t, "own.png", 9, 9), pictureOf(t, "foreign.png", 9, 8)
	own.Opaque = &agent.Opaque{Origin: v.info.Origin()}
	foreign.Opaque = &agent.Opaque{Origin: "w/p/another"}
	m := provider.Attachments(v, nil)
	said := agent.Message{Role: agent.Assistant, Parts: []agent.Part{own, foreign}}
	if notes, err := call(t, m, agent.TextMessage(agent.User, "paint"), said); err != nil || len(notes) != 0 || v.last() != "own.png <foreign.png>" {
		t.Errorf("%q %v: %s", notes, err, v.last())
	}
}

// Of too many the newest are sent; that is held against none of them, in this conversation and in others.
func TestTooManyIsNoFaultOfOne(t *testing.T) {
	var parts []agent.Part
	for i := range 6 {
		parts = append(parts, pictureOf(t, fmt.Sprintf("%d.png", i), 20+i, 20))
	}
	text := ""
	v := seeing(func(parts []agent.Part) *agent.ModelError {
		n, size := 0, 0
		for _, p := range parts {
			if p.Blob != nil {
				n++
				size += len(p.Blob.Data)
			}
		}
		switch {
		case strings.HasPrefix(text, "bulk") && size > 150_000:
			return &agent.ModelError{Kind: agent.ErrContextLength, Status: 413, Err: errors.New("request too large")}
		case text != "" && !strings.HasPrefix(text, "bulk") && n > 4:
			return badRequest("%s", text)
		}
		return nil
	})
	history := func(parts []agent.Part) (list []agent.Message) {
		for _, p := range parts {
			list = append(list, user(p), agent.TextMessage(agent.Assistant, "hi"))
		}
		return list
	}
	noise := func(n int) (list []agent.Part) { // smaller ones of these together are still too large
		for i := range n {
			list = append(list, pictureOf(t, fmt.Sprintf("%d.png", i), 220+i, 220))
		}
		return list
	}
	for _, x := range []struct {
		text  string
		parts []agent.Part
		want  string
		tries int
	}{
		{"At most 4 image(s) may be provided", parts, "<0.png> <1.png> 2.png 3.png 4.png 5.png", 2},
		{"Too many images", parts, "<0.png> <1.png> <2.png> 3.png 4.png 5.png", 2},
		{"At most 5 image(s) may be provided", parts, "<0.png> <1.png> <2.png> <3.png> 4.png 5.png", 3}, // it counts others, too
		{"bulk", noise(8), "<0.png> <1.png> <2.png> <3.png> <4.png> <5.png> <6.png> 7.png", 3},
	} {
		text, v.shown = x.text, nil
		m := provider.Attachments(v, nil)
		if notes, err := call(t, m, history(x.parts)...); err != nil || len(notes) != 1 || v.last() != x.want || v.requests() != x.tries {
			t.Errorf("%s: %q %v: %s after %d requests", x.text, notes, err, v.last(), v.requests())
		}
		// It holds for the next request, without another refusal.
		if notes, err := call(t, m, history(x.parts)...); err != nil || len(notes) != 0 || v.last() != x.want || v.requests() != x.tries+1 {
			t.Errorf("%s, again: %q %v: %s after %d requests", x.text, notes, err, v.last(), v.requests())
		}
		// Alone, in another conversation, each is sent.
		if notes, err := call(t, m, user(x.parts[0])); err != nil || len(notes) != 0 || v.last() != "0.png" {
			t.Errorf("%s, the oldest alone: %q %v: %s", x.text, notes, err, v.last())
		}
	}
}

// The same picture counts as often as it stands there.
func TestTooManyOfTheSame(t *testing.T) {
	a, b := pictureOf(t, "a.png", 20, 20), pictureOf(t, "b.png", 21, 20)
	v := seeing(func(parts []agent.Part) *agent.ModelError {
		n := 0
		for _, p := range parts {
			if p.Blob != nil {
				n++
			}
		}
		if n > 2 {
			return badRequest("At most 2 image(s) may be provided")
		}
		return nil
	})
	m := provider.Attachments(v, nil)
	if notes, err := call(t, m, user(a), user(a), user(b)); err != nil || len(notes) != 1 || v.last() != "<a.png> <a.png> b.png" || v.requests() != 2 {
		t.Errorf("%q %v: %s after %d requests", notes, err, v.last(), v.requests())
	}
	if _, err := call(t, m, user(a)); err != nil || v.last() != "a.png" {
		t.Errorf("%v: %s", err, v.last())
	}
}
