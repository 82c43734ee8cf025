package wire

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"react-agent/agent"
)

func call(key, id, args string) agent.Part {
	return agent.Part{Kind: agent.CallKind, Call: &agent.Call{Key: key, ID: id, Name: "t", Args: json.RawMessage(args)}}
}

func said(parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.Assistant, Parts: parts}
}

func got(key, id, text string) agent.Message {
	r := agent.TextResult(text)
	r.Key, r.CallID = key, id
	return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}}
}

// sketch writes a history in short form, one word a message.
func sketch(msgs []agent.Message) string {
	var words []string
	for _, m := range msgs {
		word := string(m.Role[0])
		if r := m.Result(); r != nil {
			words = append(words, word+"="+r.CallID+":"+r.Text())
			continue
		}
		for _, c := range m.Calls() {
			word += "." + c.ID + string(c.Args)
		}
		words = append(words, word+":"+m.Text()+m.Thinking())
	}
	return strings.Join(words, " ")
}

func TestOutboundRepairsPairs(t *testing.T) {
	user := agent.TextMessage(agent.User, "u")
	for name, c := range map[string]struct {
		in   []agent.Message
		want string
	}{
		"an unanswered call":              {[]agent.Message{user, said(call("k", "a", "{}"))}, "u:u a.a{}: t=a:" + noResult},
		"an orphan":                       {[]agent.Message{user, got("x", "x", "r"), said(agent.TextPart("s"))}, "u:u a:s"},
		"a message before the result":     {[]agent.Message{said(call("k", "a", "{}")), user, got("k", "a", "r")}, "a.a{}: t=a:r u:u"},
		"results in the order of calls":   {[]agent.Message{said(call("k", "a", "{}"), call("l", "b", "{}")), got("l", "b", "2"), got("k", "a", "1")}, "a.a{}.b{}: t=a:1 t=b:2"},
		"two results":                     {[]agent.Message{said(call("k", "a", "{}")), got("k", "a", "1"), got("k", "a", "2")}, "a.a{}: t=a:1"},
		"a result of a later turn":        {[]agent.Message{said(call("k", "a", "{}")), said(agent.TextPart("s")), got("k", "a", "1")}, "a.a{}: t=a:" + noResult + " a:s"},
		"arguments that are no object":    {[]agent.Message{said(call("k", "a", `"{\"x"`)), got("k", "a", "e")}, "a.a{}: t=a:e"},
		"nothing to show":                 {[]agent.Message{said(call("k", "a", "{}")), got("k", "a", " ")}, "a.a{}: t=a:" + noOutput},
		"empty text, empty message":       {[]agent.Message{said(agent.TextPart("\n"), agent.TextPart("s")), said(agent.TextPart(""))}, "a:s"},
		"thoughts of another origin":      {[]agent.Message{said(agent.Part{Kind: agent.Thinking, Text: "t"}, agent.TextPart("s"))}, "a:s"},
		"thoughts alone":                  {[]agent.Message{said(agent.Part{Kind: agent.Thinking, Text: "t", Opaque: &agent.Opaque{Origin: "here"}})}, ""},
		"a call without key, found by id": {[]agent.Message{said(call("", "a", "{}")), got("", "a", "r")}, "a.a{}: t=a:r"},
	} {
		if got := sketch(Outbound(c.in, OutboundOptions{Origin: "here"})); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestUserLast(t *testing.T) {
	user, call := agent.TextMessage(agent.User, "u"), said(call("k", "a", "{}"))
	noted := agent.TextMessage(agent.Assistant, "n")
	noted.From = "inbox"
	for name, c := range map[string]struct {
		in   []agent.Message
		want string
	}{
		"at the end":            {[]agent.Message{user, noted}, "u:u"},
		"two of them":           {[]agent.Message{user, noted, user, noted}, "u:u a:n u:u"},
		"two in a row":          {[]agent.Message{user, noted, noted}, "u:u"},
		"before an answer":      {[]agent.Message{user, noted, said(agent.TextPart("s"))}, "u:u a:s"},
		"before a call":         {[]agent.Message{user, noted, call, got("k", "a", "r")}, "u:u a.a{}: t=a:r"},
		"the model's own":       {[]agent.Message{user, said(agent.TextPart("s"))}, "u:u a:s"},
		"before what is empty":  {[]agent.Message{user, noted, said(agent.TextPart(" "))}, "u:u"},
		"before another's word": {[]agent.Message{user, noted, user}, "u:u a:n u:u"},
	} {
		if got := sketch(Outbound(c.in, OutboundOptions{UserLast: true})); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if got := sketch(Outbound(c.in, OutboundOptions{})); !strings.Contains(got, "a:n") && name != "the model's own" {
			t.Errorf("%s: it is left out unasked: %s", name, got)
		}
	}
}

func TestOutboundKeepsOpaqueDataForItsOriginOnly(t *testing.T) {
	opaque := &agent.Opaque{Origin: "here", Data: json.RawMessage(`"sig"`)}
	in := []agent.Message{said(agent.Part{Kind: agent.Thinking, Opaque: opaque}, agent.Part{Kind: agent.Text, Text: "s", Opaque: opaque})}
	same := Outbound(in, OutboundOptions{Origin: "here"})
	if diff := cmp.Diff(in, same); diff != "" {
		t.Error(diff)
	}
	other := Outbound(in, OutboundOptions{Origin: "there"})
	if len(other) != 1 || len(other[0].Parts) != 1 || other[0].Parts[0].Opaque != nil {
		t.Errorf("%+v", other)
	}
	if in[0].Parts[1].Opaque == nil {
		t.Error("the history itself was changed")
	}
}

// history draws a history as sessions have it, with vendors' strange ids.
func history(t *rapid.T) []agent.Message {
	var msgs []agent.Message
	for turn := range rapid.IntRange(1, 8).Draw(t, "turns") {
		msgs = append(msgs, agent.TextMessage(agent.User, "u"+strconv.Itoa(turn)))
		if rapid.Bool().Draw(t, "noted") {
			noted := agent.TextMessage(agent.Assistant, "n")
			noted.From = "inbox"
			msgs = append(msgs, noted)
		}
		var parts []agent.Part
		var results []agent.Message
		for n := range rapid.IntRange(0, 3).Draw(t, "calls") {
			key := "s/" + strconv.Itoa(turn) + "." + strconv.Itoa(n)
			id := rapid.SampledFrom([]string{"", "a", "functions.t:0", "abcdefghi", strings.Repeat("x", 70), "é"}).Draw(t, "id")
			parts = append(parts, call(key, id, "{}"))
			results = append(results, got(key, id, "r"))
		}
		msgs = append(msgs, said(append(parts, agent.TextPart("s"))...))
		msgs = append(msgs, results...)
	}
	return msgs
}

func TestOutboundGivesLegalIDsAndStablePrefixes(t *testing.T) {
	legal := map[IDRule]*regexp.Regexp{
		IDAny: regexp.MustCompile(`.`), IDMistral: regexp.MustCompile(`^[a-zA-Z0-9]{9}$`),
		IDAnthropic: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), IDOpenAI: regexp.MustCompile(`^.{1,64}$`),
	}
	rapid.Check(t, func(t *rapid.T) {
		msgs := history(t)
		rule := IDRule(rapid.IntRange(0, 3).Draw(t, "rule"))
		o := OutboundOptions{IDs: rule, UserLast: rapid.Bool().Draw(t, "user last")}
		whole := Outbound(msgs, o)
		seen := map[string]bool{}
		for i, m := range whole {
			if m.Role == agent.User && rule != IDMistral && rule != IDAnthropic {
				clear(seen)
			}
			for n, c := range m.Calls() {
				if !legal[rule].MatchString(c.ID) || seen[c.ID] {
					t.Fatalf("rule %d: id %q", rule, c.ID)
				}
				seen[c.ID] = true
				if r := whole[i+1+n].Result(); r == nil || r.CallID != c.ID {
					t.Fatalf("call %q is not followed by its result: %s", c.ID, sketch(whole))
				}
			}
		}
		cut := rapid.IntRange(0, len(msgs)).Draw(t, "cut")
		for cut > 0 && cut < len(msgs) && msgs[cut].Role == agent.ToolRole {
			cut++
		}
		if cut > 0 && len(msgs[cut-1].Calls()) > 0 {
			return // a call waits there
		}
		part := Outbound(msgs[:cut], o)
		if diff := cmp.Diff(part, whole[:len(part)]); diff != "" {
			t.Fatalf("the prefix changed:\n%s", diff)
		}
	})
}

// A name that no vendor takes would have the session refused for ever.
func TestOutboundNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := call("k", "a", "{}")
		c.Call.Name = rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9_-]{1,64}`)).Draw(t, "name")
		out := Outbound([]agent.Message{said(c)}, OutboundOptions{})
		sent := out[0].Calls()[0].Name
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(sent) {
			t.Errorf("%q is sent as %q", c.Call.Name, sent)
		}
		if sent != c.Call.Name && regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(c.Call.Name) {
			t.Errorf("%q becomes %q", c.Call.Name, sent)
		}
	})
}
