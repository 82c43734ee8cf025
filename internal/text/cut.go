package text

import (
	"fmt"
	"unicode/utf8"
)

// Cut shortens s to at most limit characters. It keeps both ends, the end a little longer than the beginning because
// errors stand there, and says in the middle how many characters are left out and, when where is not empty, where the
// whole is. A limit too small for the remark gives the beginning alone; limit <= 0 means no limit.
func Cut(s string, limit int, where string) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s
	}
	// The number left out depends on the remark's length and the other way round; the longest remark is safe.
	room := limit - utf8.RuneCountInString(remark(fmt.Sprintf("%d characters", n), where))
	if room <= 0 {
		return Head(s, limit)
	}
	head := first(s, room*2/5)
	tail := last(s, room-room*2/5)
	return head + remark(fmt.Sprintf("%d characters", n-room), where) + tail
}

// CutEnds joins the two ends of a text whose middle is lost already: bytes is how much lies between them. The result has
// at most limit characters.
func CutEnds(head, tail string, bytes int64, limit int, where string) string {
	if limit <= 0 {
		limit = utf8.RuneCountInString(head) + utf8.RuneCountInString(tail) + 200 + utf8.RuneCountInString(where)
	}
	// What is cut from the ends here is added to what was lost; its size is at most that of both ends.
	longest := remark(fmt.Sprintf("%d bytes", bytes+int64(len(head)+len(tail))), where)
	room := limit - utf8.RuneCountInString(longest)
	if room <= 0 {
		return Head(head, limit)
	}
	h := first(head, max(room*2/5, room-utf8.RuneCountInString(tail)))
	t := last(tail, room-utf8.RuneCountInString(h))
	bytes += int64(len(head) - len(h) + len(tail) - len(t))
	return h + remark(fmt.Sprintf("%d bytes", bytes), where) + t
}

func remark(amount, where string) string {
	if where == "" {
		return "\n[... " + amount + " left out ...]\n"
	}
	return "\n[... " + amount + " left out; the whole is in " + where + " ...]\n"
}

// Head is s, or its first limit-1 characters and an ellipsis when it is longer than limit characters.
func Head(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return first(s, limit-1) + "…"
}

// first gives the first n characters of s.
func first(s string, n int) string {
	if n <= 0 {
		return ""
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// last gives the last n characters of s.
func last(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
