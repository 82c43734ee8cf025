package msg

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plural puts in the English words that depend on a number: of {one|many} behind a verb such as %d the first is for the
// number 1, the second for all others. The number is that of the last %d before it.
func plural(format string, args []any) string {
	if !strings.Contains(format, "|") {
		return format
	}
	var b strings.Builder
	token := regexp.MustCompile(`%%|%(?:\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z])|\{([^{}|]*)\|([^{}|]*)\}`)
	next, one := 0, false
	for at := 0; at < len(format); {
		m := token.FindStringSubmatchIndex(format[at:])
		if m == nil {
			b.WriteString(format[at:])
			break
		}
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return format[at+m[2*i] : at+m[2*i+1]]
		}
		b.WriteString(format[at : at+m[0]])
		switch {
		case m[6] >= 0 && one:
			b.WriteString(part(3))
		case m[6] >= 0:
			b.WriteString(part(4))
		default:
			b.WriteString(part(0))
			if part(2) == "" { // a percent sign
				break
			}
			if n, err := strconv.Atoi(part(1)); err == nil {
				next = n - 1
			}
			if part(2) == "d" && next < len(args) {
				one = fmt.Sprint(args[next]) == "1"
			}
			next++
		}
		at += m[1]
	}
	return b.String()
}
