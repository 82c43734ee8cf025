package command

import (
	"testing"

	"react-agent/kit/memory"
)

func TestSpokenMemory(t *testing.T) {
	for said, want := range map[string]memory.Draft{
		"tabs":                             {Text: "tabs"},
		"preference: tabs: always":         {Text: "tabs: always", Kind: memory.Preference},
		"user: fact: it is 5433":           {Text: "it is 5433", Kind: memory.Fact, Scope: memory.User},
		"project:command:  make  x":        {Text: "make  x", Kind: memory.Command, Scope: memory.Project},
		"fact: fact: twice":                {Text: "fact: twice", Kind: memory.Fact},
		"note: this is no kind":            {Text: "note: this is no kind"},
		"https://host/user: is an address": {Text: "https://host/user: is an address"},
	} {
		got := spoken(said)
		if got.Text != want.Text || got.Kind != want.Kind || got.Scope != want.Scope {
			t.Errorf("%q is %+v", said, got)
		}
	}
}
