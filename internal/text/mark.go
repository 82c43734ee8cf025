package text

import (
	"regexp"
	"strconv"
)

// Mark chooses the name of the mark that is put around a text (<name> … </name>), so that nothing in the text can close it:
// name itself, or name-2, name-3 and so on, the first that the text does not close, however it is spelled. The same text
// always gets the same mark.
func Mark(name, text string) string {
	found := regexp.MustCompile(`(?i)<\s*/\s*`+regexp.QuoteMeta(name)+`(?:-0*(\d+))?`).FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return name
	}
	taken := map[string]bool{}
	for _, f := range found {
		taken[f[1]] = true
	}
	n := 2
	for taken[strconv.Itoa(n)] {
		n++
	}
	return name + "-" + strconv.Itoa(n)
}
