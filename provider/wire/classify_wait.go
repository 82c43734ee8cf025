package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"react-agent/agent"
)

const (
	// soon is a wait that one can sit out.
	soon = 10 * time.Minute
	// maxWait bounds what is read, so that no wait overflows.
	maxWait = 365 * 24 * time.Hour
)

// wait is how long the vendor asks to wait; 0 = it names no time. The header made for it counts before the body, the body
// before headers that tell the state of the limits.
func (v *evidence) wait(h http.Header, kind agent.ErrorKind) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	if d, ok := retryAfter(h); ok {
		return d
	}
	if d := v.bodyWait(); d > 0 || kind != agent.ErrRateLimit {
		return d
	}
	return v.limitWait(h)
}

// number reads seconds, or whatever the unit is.
func number(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	return bounded(n * float64(unit)), true
}

func bounded(nanoseconds float64) time.Duration {
	return time.Duration(min(max(nanoseconds, 0), float64(maxWait)))
}

// retryAfter reads the header of that name: seconds, a duration, or a date, from which the date of the reply is taken off.
func retryAfter(h http.Header) (time.Duration, bool) {
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d, true
	}
	if d, ok := duration(value); ok {
		return d, true
	}
	at, err := date(value)
	if err != nil {
		return 0, false
	}
	return until(at, h), true
}

// date reads an HTTP date, or an RFC 3339 one.
func date(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	if at, err := http.ParseTime(s); err == nil {
		return at, nil
	}
	return time.Parse(time.RFC3339, s)
}

// until is the time from the server's now, so that clocks that differ do no harm.
func until(at time.Time, h http.Header) time.Duration {
	now, err := date(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), maxWait)
}

// delay reads a field of the body: a number, "3s", or {"seconds":3,"nanos":0}.
func (v *evidence) delay(f gjson.Result, unit time.Duration) {
	if f.IsObject() {
		if s := f.Get("seconds"); s.Exists() {
			v.waits = append(v.waits, bounded(s.Float()*float64(time.Second)+f.Get("nanos").Float()))
		}
		return
	}
	if d, ok := number(f.String(), unit); ok {
		v.waits = append(v.waits, d)
	} else if d, ok := duration(f.String()); ok {
		v.waits = append(v.waits, d)
	}
}

// bodyWait is the wait that the body names, in a field or in words.
func (v *evidence) bodyWait() time.Duration {
	for _, d := range v.waits {
		if d > 0 {
			return d
		}
	}
	return textWait(v.text)
}

// textWait finds words such as "try again in 1.2s".
func textWait(text string) time.Duration {
	for _, lead := range []string{
		"try again in ", "try again after ", "retry in ", "retry after ", "retry again in ", "retry again after ", "retry your request in ",
		"retry your request after ", "wait for ", "please wait ", "wait at least ", "available in ", "available again in ", "reset in ", "resets in ",
		"reset after ", "resets after ", "request after ", "requests in ", "wait ", "after waiting ", "back off for ", "backoff for ",
		"请在", "请等待", "请于", "等待", "重试时间", "请",
	} {
		rest := text
		for {
			i := strings.Index(rest, lead)
			if i < 0 {
				break
			}
			rest = rest[i+len(lead):]
			chinese := lead[0] >= 0x80
			if d, ok := spoken(rest, chinese); ok && d > 0 {
				return d
			}
		}
	}
	return 0
}

// spoken reads the duration that a text begins with. A number without a unit counts as seconds, unless the unit is asked for.
func spoken(text string, unitNeeded bool) (time.Duration, bool) {
	for _, filler := range []string{": ", "about ", "approximately ", "another ", "at least ", "around ", "~", "the next "} {
		text = strings.TrimPrefix(text, filler)
	}
	text = strings.TrimLeft(text, " :")
	var sum float64
	some := false
	for {
		n, rest := leadingNumber(text)
		if rest == text {
			break
		}
		u, after := unitOf(strings.TrimLeft(rest, " "))
		if u == 0 {
			if some || unitNeeded || strings.HasPrefix(strings.TrimLeft(rest, " "), "%") {
				break
			}
			u, after = time.Second, ""
		}
		sum += n * float64(u)
		some = true
		text = strings.TrimLeft(after, " ,")
		text = strings.TrimPrefix(text, "and ")
	}
	return bounded(sum), some
}

// leadingNumber reads a number; rest is the text itself when there is none.
func leadingNumber(text string) (n float64, rest string) {
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.' && end > 0) {
		end++
	}
	digits := strings.TrimRight(text[:end], ".")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, text
	}
	return n, text[len(digits):]
}

// unitOf reads a unit of time; 0 = there is none.
func unitOf(text string) (unit time.Duration, rest string) {
	for _, u := range []struct {
		name string
		unit time.Duration
	}{
		{"milliseconds", time.Millisecond},
		{"millisecond", time.Millisecond},
		{"msecs", time.Millisecond},
		{"ms", time.Millisecond},
		{"毫秒", time.Millisecond},
		{"seconds", time.Second},
		{"second", time.Second},
		{"secs", time.Second},
		{"sec", time.Second},
		{"s", time.Second},
		{"秒钟", time.Second},
		{"秒", time.Second},
		{"minutes", time.Minute},
		{"minute", time.Minute},
		{"mins", time.Minute},
		{"min", time.Minute},
		{"m", time.Minute},
		{"分钟", time.Minute},
		{"分", time.Minute},
		{"hours", time.Hour},
		{"hour", time.Hour},
		{"hrs", time.Hour},
		{"hr", time.Hour},
		{"h", time.Hour},
		{"小时", time.Hour},
		{"days", 24 * time.Hour},
		{"day", 24 * time.Hour},
		{"d", 24 * time.Hour},
		{"天", 24 * time.Hour},
	} {
		after, ok := strings.CutPrefix(text, u.name)
		if ok && (u.name[0] >= 0x80 || after == "" || after[0] < 'a' || after[0] > 'z') {
			return u.unit, after
		}
	}
	return 0, text
}

// duration reads a text that is nothing but a duration with units.
func duration(s string) (time.Duration, bool) { return spoken(simple(s), true) }

// limitWait reads the headers that tell when limits open again. Those of limits that are used up count; when none says so,
// a reset without a count does.
func (v *evidence) limitWait(h http.Header) time.Duration {
	var longest time.Duration
	for key := range h {
		low := strings.ToLower(key)
		if !strings.Contains(low, "ratelimit") && !strings.Contains(low, "rate-limit") || !strings.Contains(low, "reset") {
			continue
		}
		left := h.Get(strings.Replace(low, "reset", "remaining", 1))
		if n, err := strconv.ParseFloat(left, 64); left != "" && (err != nil || n > 0) {
			continue
		}
		longest = max(longest, reset(h.Get(key), h))
	}
	for _, r := range v.resets {
		longest = max(longest, reset(r, h))
	}
	return longest
}

// reset reads a moment or a span: "6m0s", seconds, seconds or milliseconds since 1970, or a date.
func reset(s string, h http.Header) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		if d, ok := duration(s); ok {
			return d
		}
		if at, err := date(s); err == nil {
			return until(at, h)
		}
		return 0
	}
	switch {
	case math.IsNaN(n) || n > 1e15:
		return 0
	case n > 1e12:
		return until(time.UnixMilli(int64(n)), h)
	case n > 1e9:
		return until(time.Unix(int64(n), 0), h)
	}
	return bounded(n * float64(time.Second))
}
