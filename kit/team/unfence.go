package team

import (
	"encoding/json"
	"path"
	"strings"
)

// unfence takes a JSON document out of the code fence in which models put it: for a file that is to hold JSON, where the
// reply is none as it is, and has one fenced block.
func unfence(file, reply string) string {
	if !strings.EqualFold(path.Ext(file), ".json") || json.Valid([]byte(reply)) {
		return reply
	}
	var blocks []string
	var block strings.Builder
	inside, others := false, false
	for line := range strings.Lines(reply) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			if inside {
				blocks = append(blocks, block.String())
			}
			block.Reset()
			inside = !inside
		case inside:
			block.WriteString(line)
		default:
			others = others || strings.TrimSpace(line) != ""
		}
	}
	if inside || len(blocks) != 1 || others && !json.Valid([]byte(blocks[0])) {
		return reply
	}
	return blocks[0]
}
