package cost

import "testing"

// The first question costs the head of the table, each further one a search in 35 kB.
func BenchmarkFirstLookup(b *testing.B) {
	for b.Loop() {
		NewTable(nil).Lookup("openai", "gpt-5.4")
	}
}

func BenchmarkLookupNothing(b *testing.B) {
	table := NewTable(nil)
	for b.Loop() {
		table.Lookup("generic", "some/model-of-ours-2026-01-01")
	}
}
