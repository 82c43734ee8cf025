package texttag

import (
	"strings"
	"testing"

	"react-agent/agent"
)

// BenchmarkReply is one delta of a long answer.
func BenchmarkReply(b *testing.B) {
	in := &script{pieces: strings.SplitAfter(strings.Repeat("a word of the answer, then < and `code`\n", 5000), " ")}
	req := &agent.Request{Tools: testTools()}
	m := New(in, Options{})
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += len(in.pieces) {
		for _, err := range m.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
