package cli

import (
	"regexp"
	"slices"
	"strings"
)

// whyFirst puts what says why a command failed before its output: how it ended, which the tool tells behind the output, and
// the first line that looks like an error. Any other text stays as it is. The page does the same (failedLine in tools.js).
func whyFirst(text string) string {
	ended := regexp.MustCompile(`^\[(?:\S+[:：] ?)?((?:exit status \d|killed by |timed out).*)\]$`)
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= max(0, len(lines)-6); i-- { // remarks may follow
		m := ended.FindStringSubmatch(strings.TrimSpace(lines[i]))
		if m == nil {
			continue
		}
		rest := slices.Delete(lines, i, i+1)
		wrong := regexp.MustCompile(`(?i)\b(error|fatal|fail(ed|ure)?|cannot|can't|no such|not found|denied|refused|panic|exception|undefined)\b|错误|失败`)
		at := max(0, slices.IndexFunc(rest, wrong.MatchString))
		if len(rest) == 0 {
			return m[1]
		}
		first := m[1] + ": " + rest[at]
		return strings.Join(append([]string{first}, slices.Delete(rest, at, at+1)...), "\n")
	}
	return text
}
