package provider_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/provider"
	"react-agent/provider/providertest"
	"react-agent/provider/wire"
)

// history is a conversation in which the person and a tool have shown pictures, and the person a document.
func history(t testing.TB) (msgs []agent.Message, pictures [][]byte, document []byte) {
	t.Helper()
	small, read := pictureOf(t, "small.png", 8, 8), pictureOf(t, "read.png", 9, 9)
	document = []byte("%PDF-1.4 a document that is long enough\nstartxref\n")
	pdf := agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "application/pdf", Name: "paper.pdf", Data: document}}
	call := agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "call_1", Key: "s/3.1", Name: "read_file", Args: []byte(`{"path":"read.png"}`)}}
	result := agent.Result{CallID: "call_1", Key: "s/3.1", Parts: []agent.Part{agent.TextPart("[read.png: a PNG image, attached]"), read}}
	return []agent.Message{
		user(small, pdf),
		{Role: agent.Assistant, Parts: []agent.Part{agent.TextPart("let me see"), call}, Stop: agent.StopCalls},
		{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &result}}},
		agent.TextMessage(agent.Assistant, "I see"),
	}, [][]byte{small.Blob.Data, read.Blob.Data}, document
}

func wireModel(t testing.TB, api, script string, info agent.ModelInfo) (*providertest.Server, agent.Model) {
	t.Helper()
	s := providertest.New(t.Context(), providertest.MustParse(script))
	t.Cleanup(s.Close)
	preset, _ := wire.Lookup("generic")
	m, err := provider.Open(provider.Spec{API: api, Preset: preset, BaseURL: s.URL, Key: "k", Model: "m", Info: info})
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// last is the body of the last request.
func last(s *providertest.Server) string {
	all := s.Bodies()
	return all[len(all)-1]
}

func carries(body string, data []byte) bool {
	return strings.Contains(body, base64.StdEncoding.EncodeToString(data))
}

// Every wire is shown pictures and documents of messages and of results, or none of them and words instead.
func TestEveryWireTakesAttachments(t *testing.T) {
	for _, api := range provider.Wires() {
		t.Run(api, func(t *testing.T) {
			msgs, pictures, document := history(t)
			s, m := wireModel(t, api, "* SAY hi", agent.ModelInfo{Vision: true, Files: true})
			if _, err := call(t, m, append(msgs, agent.TextMessage(agent.User, "go on"))...); err != nil {
				t.Fatal(err, s.Faults())
			}
			if body := last(s); !carries(body, pictures[0]) || !carries(body, pictures[1]) || !carries(body, document) {
				t.Errorf("something is missing: %s", body)
			}
			s, m = wireModel(t, api, "* SAY hi", agent.ModelInfo{})
			if _, err := call(t, m, append(msgs, agent.TextMessage(agent.User, "go on"))...); err != nil {
				t.Fatal(err, s.Faults())
			}
			body := last(s)
			for _, name := range []string{"small.png", "read.png", "paper.pdf"} {
				if !strings.Contains(body, "["+name) || !strings.Contains(body, "is left out: this model is not known to see it") {
					t.Errorf("nothing is said of %s: %s", name, body)
				}
			}
			if carries(body, pictures[0]) || carries(body, pictures[1]) || carries(body, document) {
				t.Error("a blind model is shown something")
			}
		})
	}
}

// A vendor of any wire that refuses a picture, of the person or of a tool, is asked again; the conversation goes on, and
// nothing is refused any more.
func TestEveryWireSurvivesARefusedPicture(t *testing.T) {
	for _, api := range provider.Wires() {
		for _, of := range []string{"person", "tool"} {
			t.Run(api+"/"+of, func(t *testing.T) {
				big := pictureOf(t, "big.png", 40, 40)
				msgs, pictures, _ := history(t)
				if of == "person" {
					msgs = append(msgs, user(big))
				} else {
					result := msgs[2].Parts[0].Result
					result.Parts = append(result.Parts, big)
				}
				limit := max(len(pictures[0]), len(pictures[1]))
				s, m := wireModel(t, api, fmt.Sprintf("IMAGES %d image dimensions exceed max allowed size\n* SAY hi", limit), agent.ModelInfo{Vision: true, Files: true})
				notes, err := call(t, m, msgs...)
				if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "big.png") {
					t.Fatalf("%q %v", notes, err)
				}
				before := len(s.Bodies())
				if before > 5 {
					t.Errorf("%d requests", before)
				}
				notes, err = call(t, m, append(msgs, agent.TextMessage(agent.Assistant, "hi"), agent.TextMessage(agent.User, "never mind, say hi"))...)
				if err != nil || len(notes) != 0 || len(s.Bodies()) != before+1 {
					t.Errorf("%q %v after %d requests", notes, err, len(s.Bodies())-before)
				}
				body := last(s)
				if carries(body, big.Blob.Data) || !strings.Contains(body, "big.png") || len(s.Faults()) != 0 {
					t.Errorf("faults %q: %s", s.Faults(), body)
				}
				if of == "person" && (!carries(body, pictures[0]) || !carries(body, pictures[1])) {
					t.Error("an innocent picture is gone")
				}
			})
		}
	}
}

// A longer conversation continues the bytes of a shorter one, with attachments too, refused ones and others.
func TestAttachmentsKeepThePrefix(t *testing.T) {
	for _, api := range provider.Wires() {
		msgs, _, _ := history(t)
		s, m := wireModel(t, api, "IMAGES 400 image too large\n* SAY hi", agent.ModelInfo{Vision: true, Files: true})
		msgs = append(msgs, user(pictureOf(t, "big.png", 40, 40)))
		for range 3 {
			if _, err := call(t, m, msgs...); err != nil {
				t.Fatal(api, err)
			}
			msgs = append(msgs, agent.TextMessage(agent.Assistant, "hi"), agent.TextMessage(agent.User, "more"))
		}
		all := s.Bodies()
		// Behind the last message stand only brackets; the mark of a cache wanders and does not count.
		bare := strings.NewReplacer(`,"cache_control":{"type":"ephemeral"}`, "")
		a, b := bare.Replace(all[len(all)-2]), bare.Replace(all[len(all)-1])
		n := 0
		for n < len(a) && a[n] == b[n] {
			n++
		}
		if at := strings.LastIndex(a, "more"); n < at {
			t.Errorf("%s: the bodies part at %d of %d: %.80q and %.80q", api, n, at, a[n:], b[n:])
		}
	}
}

func TestAttachmentsOfALibraryUser(t *testing.T) {
	m := provider.Attachments(seeing(func([]agent.Part) *agent.ModelError { return nil }), nil)
	data := bytes.Repeat([]byte("x"), 100)
	msg := user(agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Data: data}}) // no hash: no journal was there
	for _, err := range m.Stream(context.Background(), &agent.Request{Messages: []agent.Message{msg}}) {
		if err != nil {
			t.Error(err)
		}
	}
}

// A program is asked with text, whatever is said of its model.
func TestAProgramIsShownNothing(t *testing.T) {
	preset, _ := wire.Lookup("claude-code")
	m, err := provider.Open(provider.Spec{Preset: preset, Model: "m", Info: agent.ModelInfo{Vision: true, Files: true}})
	if err != nil {
		t.Fatal(err)
	}
	if i := m.Info(); i.Provider != "command" || i.Takes("image/png") || i.Takes("application/pdf") {
		t.Errorf("%+v", i)
	}
}
