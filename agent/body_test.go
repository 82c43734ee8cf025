package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shelf keeps bodies in memory.
type shelf map[string][]byte

func (s shelf) put(data []byte) (string, error) {
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	s[sha] = slices.Clone(data)
	return sha, nil
}

func (s shelf) get(sha string) ([]byte, error) {
	data, ok := s[sha]
	if !ok {
		return nil, fmt.Errorf("nobody has moved %s", sha)
	}
	return data, nil
}

// What rewriteBodies leaves alone it copies byte for byte, and it hands over exactly the values that may be a body.
func FuzzRewriteBodies(f *testing.F) {
	f.Add(`{"seq":1,"text":"a\"b","message":{"parts":[{"text":"x"},{"call":{"args":{"text":"no"}}}]},"state":{"a":[1,{}],"text":null}}`)
	f.Add(`{"trim":{"clear":{"3":"x"}},"n":-1.5e3,"t":true,"detail":[],"data":0}`)
	f.Add("[ {\"text\" : \"a\" , \"b\":[ 1 ,\t2 ] } ]\n")
	f.Add(`{"\u0074ext":"x","text":""}`)
	f.Add(`{"state" : 7 ,"clear":["x",{"text":1}],"x":{"args" : {"a":"}"} }}`)
	f.Add(`7`)
	f.Fuzz(func(t *testing.T, in string) {
		line := []byte(in)
		same := rewriteBodies(line, func(_ string, raw []byte) []byte {
			if json.Valid(line) && !json.Valid(raw) {
				t.Fatalf("%q is no value of %q", raw, line)
			}
			return raw
		})
		if !bytes.Equal(same, line) {
			t.Fatalf("%q became %q", line, same)
		}
		if !json.Valid(line) {
			return
		}
		if zero := rewriteBodies(line, func(string, []byte) []byte { return []byte("0") }); !json.Valid(zero) {
			t.Fatalf("%q became %q", line, zero)
		}
	})
}

// Whatever an event says is there again when its bodies come back, and who reads the line in between can tell references
// from what somebody wrote.
func FuzzBodies(f *testing.F) {
	zeros := strings.Repeat("0", 64)
	for _, body := range []string{
		`{"$blob":"x"}`, `{"$blob":"` + zeros + `","size":1}`, `{"a":{"$blob":"x"}}`, `{"a":1,"$blob":null}`, `{"\u0024blob":"x","size":2}`,
		`{"$BLOB":"x"}`, `{"$blob":"x","$blob":""}`, `"{\"$blob\":\"x\"}"`, `[{"$blob":"x"}]`, `"` + strings.Repeat("long", 30) + `"`,
	} {
		f.Add(`{"seq":1,"type":"message","message":{"role":"tool","parts":[{"kind":"call","call":{"args":`+body+`},"opaque":{"origin":"o","data":`+body+
			`}},{"kind":"result","result":{"detail":`+body+`}}]},"state":{"a":`+body+`,"$blob":`+body+`},"text":"{\"$blob\":\"x\"}"}`, 100)
	}
	f.Add(`{"seq":1,"type":"compact","trim":{"head":[{"role":"user","parts":[{"kind":"text","text":"大"}]}],"clear":{"4":"x"}},"state":{"a":null}}`, 1)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		var e Event
		if limit < 0 || json.Unmarshal([]byte(in), &e) != nil {
			return
		}
		line, err := EncodeJSON(e)
		if err != nil {
			return
		}
		s := shelf{}
		moved, err := MoveBodies(line, limit, 2*limit, s.put)
		if err != nil {
			t.Fatal(err)
		}
		rewriteBodies(moved, func(_ string, raw []byte) []byte {
			if sha, _, is := parseRef(raw); is != likeRef(raw) || is && s[sha] == nil {
				t.Fatalf("%s is no reference of ours in %s", raw, moved)
			}
			return raw
		})
		back, err := PutBackBodies(moved, s.get)
		if err != nil || !bytes.Equal(back, line) {
			t.Fatalf("%s\nstood as %s\nand became %s %v", line, moved, back, err)
		}
	})
}

// What older logs have is read as well as it can be.
func TestBodiesOfOlderLogs(t *testing.T) {
	s := shelf{}
	const once = "no JSON, \xff but once a string"
	sha, _ := s.put([]byte(once))
	object, _ := s.put([]byte(`{"a":1}`))
	for in, want := range map[string]string{
		`{"args":{"$blob":"x"}}`:                                             `{"args":{"$blob":"x"}}`,
		`{"args":{"$blob":"` + object + `"}}`:                                `{"args":{"$blob":"` + object + `"}}`,
		`{"args":{"$blob":"` + object + `","size":8}}`:                       `{"args":{"$blob":"` + object + `","size":8}}`,
		`{"args":{"$blob":"` + object + `","size":7,"a":1}}`:                 `{"args":{"$blob":"` + object + `","size":7,"a":1}}`,
		`{"args":{"$blob":"` + object + `","size":"7"}}`:                     `{"args":{"$blob":"` + object + `","size":"7"}}`,
		`{"args":{"$blob":"` + strings.ToUpper(object) + `","size":7}}`:      `{"args":{"$blob":"` + strings.ToUpper(object) + `","size":7}}`,
		`{"args":{"$blob":7,"size":7}}`:                                      `{"args":{"$blob":7,"size":7}}`,
		`{"args":{"$blob":"` + object + `","size":7}}`:                       `{"args":{"a":1}}`,
		"{\"args\" : { \"size\" : 7,\t\"$blob\" : \"" + object + "\" } , 1}": `{"args" : {"a":1} , 1}`,
		fmt.Sprintf(`{"data":{"$blob":%q,"size":%d}}`, sha, len(once)):       `{"data":"no JSON, ` + "\uFFFD" + ` but once a string"}`,
	} {
		if got, err := PutBackBodies([]byte(in), s.get); string(got) != want || err != nil {
			t.Errorf("%s became %s %v, want %s", in, got, err, want)
		}
	}
	broken := errors.New("disk")
	ref := []byte(fmt.Sprintf(`{"args":{"$blob":%q,"size":7},"text":{"$blob":%q,"size":7}}`, object, object))
	if _, err := PutBackBodies(ref, func(string) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := MoveBodies([]byte(`{"args":{"$blob":1},"data":{"$blob":1}}`), 100, 100, func([]byte) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// JSON that could not be read again inside an event counts as text.
func TestDeepArguments(t *testing.T) {
	for _, depth := range []int{1, 9899, 9900, 9901, 9995, 10_000, 10_001} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"a\"[":`, "}"}} {
			args := strings.Repeat(pair[0], depth) + "0" + strings.Repeat(pair[1], depth)
			kept := compactArgs([]byte(args))
			if (kept[0] == '"') != (depth > 9900) {
				t.Errorf("%d levels are kept as %.20s…", depth, kept)
			}
			r := Result{Detail: kept, Parts: []Part{{Kind: CallKind, Call: &Call{Args: kept}}}}
			e := Event{Seq: 1, Type: EvCompact, Trim: &Trim{Head: []Message{{Role: ToolRole, Parts: []Part{{Kind: ResultOf, Result: &r}}}}}}
			line, err := EncodeJSON(e)
			if err != nil {
				t.Fatal(err)
			}
			var back Event
			if err := json.Unmarshal(line, &back); err != nil {
				t.Errorf("%d levels: %v", depth, err)
			}
		}
	}
}
