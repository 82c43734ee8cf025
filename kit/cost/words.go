package cost

import (
	"math"
	"strconv"
	"strings"
)

// Dollars writes an amount for a person: cents, and as many digits behind them as a small amount needs.
func Dollars(usd float64) string {
	digits := 2
	if a := math.Abs(usd); a > 0 && a < 1 {
		digits = min(8, max(4, 1-int(math.Floor(math.Log10(a)))))
	}
	s := strconv.FormatFloat(usd, 'f', digits, 64)
	if digits > 4 {
		if s = strings.TrimRight(s, "0"); strings.HasSuffix(s, ".") {
			s += "00"
		}
	}
	return "$" + s
}
