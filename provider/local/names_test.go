package local_test

import (
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/provider"
	"react-agent/provider/local"
	"react-agent/provider/wire"
)

// at makes a model of a server whose base the person wrote like this.
func at(f *fake, preset, base, name string, shy bool) *local.Served {
	return served(f, preset, func(o *local.Options) { o.Base, o.Name, o.Shy = base, name, shy })
}

func TestBaseWithoutVersion(t *testing.T) {
	lost := text(404, "404 page not found")
	for _, one := range []struct {
		preset, name string
		routes       map[string]reply
		shy          bool
	}{
		{"ollama", "", ollama(4096), false},
		{"lmstudio", "", studio(), false},
		{"vllm", "", vllm(), false},
		{"generic", "llama3.2", ollama(4096), true},
		{"generic", "Qwen/Qwen3-8B", vllm(), true},
	} {
		f := start(t, lost, one.routes)
		got := ask(t.Context(), t, at(f, one.preset, f.URL+"/", one.name, one.shy), question("hi"))
		if got.err != nil || got.text != "hello" {
			t.Errorf("%s %s: %+v %v", one.preset, one.name, got, got.err)
		}
	}
	// The query of a base goes with every question.
	f := start(t, lost, ollama(4096))
	if got := ask(t.Context(), t, at(f, "ollama", f.URL+"/v1?key=abcdefgh", "", false), question("hi")); got.err != nil || got.text != "hello" {
		t.Errorf("%+v %v", got, got.err)
	}
}

func TestErrorsShowNoPasswords(t *testing.T) {
	f := start(t, missing, ollama(4096))
	secret := strings.Replace(f.URL, "http://", "http://me:word-of-mine@", 1)
	bad := start(t, text(401, `{}`))
	refused := strings.Replace(bad.URL, "http://", "http://me:word-of-mine@", 1)
	f.routes["POST "+chat] = text(404, `{"error":{"message":"model not found"}}`)
	for _, m := range []*local.Served{
		at(f, "ollama", secret+"/v1?key=word-of-mine", "qwen9", false),
		at(f, "ollama", refused+"/v1?key=word-of-mine", "", false),
		at(f, "ollama", "http://me:word-of-mine@"+free(t)+"/v1?key=word-of-mine", "", false),
		at(f, "ollama", "http://me:word-of-mine@"+free(t)+"/v1?key=word-of-mine", "m", false),
	} {
		got := ask(t.Context(), t, m, question("hi"))
		if got.err == nil || strings.Contains(got.err.Error(), "word-of-mine") || !strings.Contains(got.err.Error(), "http://***@127.0.0.1") {
			t.Errorf("%v", got.err)
		}
	}
}

func TestServerOfNoKnownKindIsNotNamed(t *testing.T) {
	own := `{"error":{"message":"temperature must be at most 1"}}`
	f := start(t, missing, map[string]reply{
		"GET /v1/models": text(200, `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`),
		"POST " + chat:   text(400, own),
	})
	for lang, begins := range map[msg.Lang]string{msg.En: "temperature must be at most 1. the server at ", msg.Zh: "temperature must be at most 1。服务器"} {
		m := served(f, "generic", func(o *local.Options) { o.Name, o.Shy, o.Msg = "c", true, msg.For(lang) })
		got := ask(t.Context(), t, m, question("hi"))
		if got.err == nil || !strings.HasPrefix(got.err.Err.Error(), begins) || !strings.HasSuffix(got.err.Error(), "a, b") {
			t.Errorf("%v", got.err)
		}
	}
	f = start(t, missing, map[string]reply{
		"GET /v1/models": text(200, `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`),
		"POST " + chat:   text(404, `{"error":{"message":"no such model here"}}`),
	})
	got := ask(t.Context(), t, served(f, "generic", func(o *local.Options) { o.Name, o.Shy = "c", true }), question("hi"))
	if got.err == nil || strings.Contains(got.err.Error(), "OpenAI") || strings.Contains(got.err.Error(), "bring") || !strings.Contains(got.err.Error(), "no such model here") {
		t.Errorf("%v", got.err)
	}
}

func TestModelThatIsNotThereIsNotLoaded(t *testing.T) {
	routes := ollama(4096)
	routes["GET /api/tags"] = text(200, `{"models":[{"name":"qwen3:8b"},{"name":"other:1b"}]}`)
	routes["POST "+chat] = text(404, `{"error":{"message":"model 'qwen3' not found"}}`)
	f := start(t, missing, routes)
	got := ask(t.Context(), t, at(f, "ollama", f.URL+"/v1", "qwen3", false), question("hi"))
	if len(got.notes) != 0 || f.count("POST /api/generate") != 0 {
		t.Errorf("%q", got.notes)
	}
	if got.err == nil || !strings.Contains(got.err.Error(), "Perhaps qwen3:8b is meant") || !strings.Contains(got.err.Error(), "model 'qwen3' not found") {
		t.Errorf("%v", got.err)
	}
}

func TestModelForEmbeddingsIsNotAsked(t *testing.T) {
	f := start(t, missing, ollama(4096))
	got := ask(t.Context(), t, at(f, "ollama", f.URL+"/v1", "nomic-embed-text", false), question("hi"))
	if got.err == nil || got.err.Kind != agent.ErrBadRequest || !strings.Contains(got.err.Error(), "embeddings only") || !strings.Contains(got.err.Error(), "llama3.2:latest") {
		t.Errorf("%v", got.err)
	}
	if f.count("POST "+chat) != 0 || len(got.notes) != 0 {
		t.Errorf("it was asked: %q", got.notes)
	}
}

func TestNameThatCannotBeLookedUp(t *testing.T) {
	p, _ := wire.Lookup("ollama")
	base := "http://nowhere.invalid:11434/v1"
	m := local.New(local.Options{Base: base, Kind: local.Ollama, Open: func(base string, m local.Model, _ bool) (agent.Model, error) {
		return provider.Open(provider.Spec{Preset: p, BaseURL: base, Model: m.Name, Retry: provider.RetryPolicy{Retries: -1}})
	}})
	if got := ask(t.Context(), t, m, question("hi")); got.err == nil || !strings.Contains(got.err.Error(), "no server answers at "+base) || !strings.Contains(got.err.Error(), "--base-url") {
		t.Errorf("%v", got.err)
	}
}
