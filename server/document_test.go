package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/server"
)

// doc is the document as it stands.
type doc map[string]any

func readDocument(t *testing.T) doc {
	t.Helper()
	var d doc
	if err := json.Unmarshal(server.Document(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// at finds what stands at a path of keys, nil if nothing does. References are followed.
func (d doc) at(keys ...string) any {
	var v any = map[string]any(d)
	for _, k := range keys {
		m, _ := d.resolved(v).(map[string]any)
		v = m[k]
	}
	return d.resolved(v)
}

func (d doc) resolved(v any) any {
	m, _ := v.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		return d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return v
}

func TestDocumentHasTheRoutes(t *testing.T) {
	r := newRig(t, nil)
	d := readDocument(t)
	if d["openapi"] != "3.1.0" {
		t.Error(d["openapi"])
	}
	want := map[string]bool{"GET /": true} // the page
	for _, x := range r.server.Routes() {
		want[x[0]+" "+x[1]] = true
	}
	paths, _ := d.at("paths").(map[string]any)
	ids := map[string]bool{}
	for path, methods := range paths {
		for method := range methods.(map[string]any) {
			key := strings.ToUpper(method) + " " + path
			if !want[key] {
				t.Errorf("the document has %s, the server has not", key)
			}
			delete(want, key)
			d.operation(t, key, d.at("paths", path, method).(map[string]any), ids)
		}
	}
	for key := range want {
		t.Errorf("the document lacks %s", key)
	}
	for _, ref := range regexp.MustCompile(`"\$ref": "([^"]+)"`).FindAllSubmatch(server.Document(), -1) {
		if d.at(strings.Split(strings.TrimPrefix(string(ref[1]), "#/"), "/")...) == nil {
			t.Errorf("%s leads nowhere", ref[1])
		}
	}
}

// operation looks at one operation for what is easily forgotten.
func (d doc) operation(t *testing.T, key string, op map[string]any, ids map[string]bool) {
	id, _ := op["operationId"].(string)
	if id == "" || ids[id] || op["summary"] == "" {
		t.Errorf("%s: operationId %q", key, id)
	}
	ids[id] = true
	open := fmt.Sprint(op["security"]) == "[]"
	if watched := strings.HasSuffix(key, "z"); open != watched {
		t.Errorf("%s: open %v", key, open)
	}
	answers, _ := op["responses"].(map[string]any)
	want := []string{"400", "403", "429"}
	if !open {
		want = append(want, "401", "503")
	}
	if op["requestBody"] != nil {
		want = append(want, "408", "413", "415")
	}
	for _, status := range want {
		if answers[status] == nil {
			t.Errorf("%s: no answer %s", key, status)
		}
	}
	if slices.Contains([]string{"POST /chat", "POST /compact", "POST /sessions/{id}/input"}, key) && answers["409"] == nil {
		t.Errorf("%s: it may be removed meanwhile, or in another process's hands", key)
	}
	if strings.Contains(key, "{") && op["parameters"] == nil {
		t.Errorf("%s: no parameter", key)
	}
}

// TestDocumentHasTheAnswers: what the routes answer is what the document says they answer.
func TestDocumentHasTheAnswers(t *testing.T) {
	r := newRig(t, func(o *server.Options) {
		o.Native.About = nil
	})
	d := readDocument(t)
	for _, x := range []struct{ method, path, at, body string }{
		{"GET", "/healthz", "", ""},
		{"GET", "/readyz", "", ""},
		{"POST", "/sessions/a/input", "/sessions/{id}/input", `{"message":"hi","id":"1"}`},
		{"POST", "/sessions/a/input", "/sessions/{id}/input", `{"message":"hi","id":"1"}`},
		{"POST", "/sessions/a/input", "/sessions/{id}/input", `{"command":"/x"}`},
		{"POST", "/sessions/a/input", "/sessions/{id}/input", `{}`},
		{"POST", "/sessions/a/input", "/sessions/{id}/input", `{"edit":9}`},
		{"POST", "/sessions/a/input", "/sessions/{id}/input", `{"command":"/panic"}`},
		{"GET", "/sessions", "", ""},
		{"GET", "/sessions/a", "/sessions/{id}", ""},
		{"GET", "/sessions/nobody", "/sessions/{id}", ""},
		{"GET", "/sessions/a/context", "/sessions/{id}/context", ""},
		{"GET", "/sessions/a/events?live=0", "/sessions/{id}/events", ""},
		{"POST", "/blobs", "", `{"name":"a.txt","data":"aGVsbG8="}`},
		{"GET", "/blobs/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", "/blobs/{id}", ""},
		{"GET", "/blobs/00", "/blobs/{id}", ""},
		{"POST", "/chat", "", say},
		{"POST", "/chat", "", `{"message":""}`},
		{"POST", "/compact", "", `{}`},
		{"GET", "/tasks", "", ""},
		{"GET", "/team", "", ""},
		{"GET", "/inbox", "", ""},
		{"GET", "/board", "", ""},
		{"GET", "/about", "", ""},
		{"GET", "/metrics", "", ""},
		{"GET", "/openapi.json", "", ""},
		{"GET", "/", "", ""},
		{"DELETE", "/sessions/a", "/sessions/{id}", ""},
	} {
		status, head, body := r.ask(x.method, x.path, x.body)
		if x.at == "" {
			x.at = x.path
		}
		name := fmt.Sprintf("%s %s %s", x.method, x.path, x.body)
		answer := d.at("paths", x.at, strings.ToLower(x.method), "responses", fmt.Sprint(status))
		if answer == nil {
			t.Errorf("%s: no answer %d is described: %s", name, status, body)
			continue
		}
		content, _ := answer.(map[string]any)["content"].(map[string]any)
		kind, _, _ := strings.Cut(head.Get("Content-Type"), ";")
		if described := content[kind]; described == nil && (body != "" || len(content) > 0) {
			t.Errorf("%s: %d is described as %v, not %q", name, status, slices.Collect(maps.Keys(content)), kind)
		} else if kind == "application/json" {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, fault := range d.faults("", v, described.(map[string]any)["schema"]) {
				t.Errorf("%s: %s\n%s", name, fault, body)
			}
		}
	}
}

// faults says where a value is not as a schema has it. A key that is not described is a fault, too.
func (d doc) faults(at string, v, schema any) (list []string) {
	s, _ := d.resolved(schema).(map[string]any)
	props, all := map[string]any{}, []any{s}
	if parts, ok := s["allOf"].([]any); ok {
		all = parts
	}
	var required []any
	kind, _ := s["type"].(string)
	for _, part := range all {
		p, _ := d.resolved(part).(map[string]any)
		if have, ok := p["properties"].(map[string]any); ok {
			maps.Copy(props, have)
		}
		more, _ := p["required"].([]any)
		required = append(required, more...)
		if k, ok := p["type"].(string); ok {
			kind = k
		}
	}
	actual := "null"
	switch x := v.(type) {
	case map[string]any:
		actual = "object"
		for _, key := range required {
			if _, ok := x[key.(string)]; !ok {
				list = append(list, at+"."+key.(string)+" is missing")
			}
		}
		for key, inner := range x {
			if p := props[key]; p != nil {
				list = append(list, d.faults(at+"."+key, inner, p)...)
			} else if len(props) > 0 {
				list = append(list, at+"."+key+" is not described")
			}
		}
	case []any:
		actual = "array"
		for _, inner := range x {
			list = append(list, d.faults(at+"[]", inner, s["items"])...)
		}
	case string:
		actual = "string"
	case bool:
		actual = "boolean"
	case float64:
		if actual = "number"; x == float64(int64(x)) && kind == "integer" {
			actual = "integer"
		}
	}
	if kind != "" && actual != kind {
		list = append(list, fmt.Sprintf("%s is %s, want %s", at, actual, kind))
	}
	return list
}

// TestDocumentHasTheKeys: the keys of bodies are those that the handlers read, no fewer and no others.
func TestDocumentHasTheKeys(t *testing.T) {
	d := readDocument(t)
	source, err := os.ReadFile("chat/chat.go")
	if err != nil {
		t.Fatal(err)
	}
	_, order, ok := strings.Cut(string(source), "type order struct {")
	order, _, _ = strings.Cut(order, "\n}")
	if !ok {
		t.Fatal("the body of POST /chat is read elsewhere")
	}
	for at, want := range map[string][]string{
		"Input":                   keysOf[engine.Input](),
		"Input properties answer": keysOf[agent.Answer](),
		"ChatRequest":             tags(order),
		"Upload":                  {"data", "mime", "name"},
	} {
		keys := append([]string{"components", "schemas"}, strings.Fields(at)...)
		v := d.at(keys...).(map[string]any)
		if one, ok := v["oneOf"].([]any); ok {
			v = one[0].(map[string]any)
		}
		props, _ := v["properties"].(map[string]any)
		if got := slices.Sorted(maps.Keys(props)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: the document has %v, the handler reads %v", at, got, want)
		}
	}
}

// TestDocumentHasTheSwitches: what the document calls a switch of an address is read as one, in each of its spellings and no other.
func TestDocumentHasTheSwitches(t *testing.T) {
	r := newRig(t, nil)
	d := readDocument(t)
	pattern := regexp.MustCompile(d.at("components", "schemas", "Switch", "pattern").(string))
	if status, _, body := r.ask("POST", "/sessions/a/input", say); status != 202 {
		t.Fatal(status, body)
	}
	switches := 0
	paths, _ := d.at("paths").(map[string]any)
	for path, methods := range paths {
		for method, op := range methods.(map[string]any) {
			params, _ := op.(map[string]any)["parameters"].([]any)
			for _, p := range params {
				p, _ := d.resolved(p).(map[string]any)
				if schema, _ := p["schema"].(map[string]any); schema["$ref"] != "#/components/schemas/Switch" {
					continue
				}
				switches++
				for _, v := range []string{"", "1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False", "tRUE", "2", "10", "on", "no", " ", strings.Repeat("x", 1000)} {
					at, body := strings.ReplaceAll(path, "{id}", "a")+"?"+url.Values{p["name"].(string): {v}}.Encode(), ""
					if method == "post" {
						body = say
					}
					if p["name"] == "live" {
						at += "&after=1000" // refused as well, but not as a mistake: the stream would go on for as long as the server does
					}
					status, _, said := r.ask(strings.ToUpper(method), at, body)
					if fits := status != 400; fits != pattern.MatchString(v) || !fits && (!saysWhy(said) || len(said) > 200) {
						t.Errorf("%s %s: %d %s", method, at, status, said)
					}
				}
			}
		}
	}
	if switches != 4 {
		t.Errorf("%d switches", switches)
	}
}

// tags are the names in the json tags of a struct.
func tags(source string) (names []string) {
	for _, m := range regexp.MustCompile("`json:\"([^\",]+)").FindAllStringSubmatch(source, -1) {
		names = append(names, m[1])
	}
	return names
}

func keysOf[T any]() (names []string) {
	for f := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
