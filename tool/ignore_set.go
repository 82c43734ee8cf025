package tool

import (
	"strings"
)

// byteSet is a set in brackets, [a-z].
type byteSet [4]uint64

func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }

func (b *byteSet) add(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		b[c>>6] |= 1 << (c & 63)
	}
}

func (b *byteSet) negate() {
	for i := range b {
		b[i] = ^b[i]
	}
}

// parseSet reads the set that p begins with. n is its length; 0: it has no end or a class that does not exist.
func parseSet(p string) (set *byteSet, n int) {
	set = &byteSet{}
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	prev := -1 // what a range may begin with
	for first := true; i < len(p); first = false {
		if p[i] == ']' && !first {
			if negated {
				set.negate()
			}
			return set, i + 1
		}
		var size int
		if prev, size = set.member(p[i:], prev); size == 0 {
			break
		}
		i += size
	}
	return nil, 0
}

// member adds what p begins with, and tells what a range behind it would begin with, -1 if none can. size 0: it is wrong.
func (b *byteSet) member(p string, prev int) (from, size int) {
	if p[0] == '-' && prev >= 0 && len(p) > 1 && p[1] != ']' {
		to, size := setByte(p[1:])
		if size == 0 {
			return -1, 0
		}
		b.add(byte(prev&0xff), to)
		return -1, 1 + size
	}
	if strings.HasPrefix(p, "[:") {
		size, ok := b.class(p)
		switch {
		case !ok:
			return -1, 0
		case size > 1:
			return -1, size
		}
		return '[', 1 // no class: the bracket is one like any other
	}
	c, size := setByte(p)
	if size > 0 {
		b.add(c, c)
	}
	return int(c), size
}

// setByte is the next byte in a set, a backslash taken off.
func setByte(p string) (c byte, size int) {
	if p[0] != '\\' {
		return p[0], 1
	}
	if len(p) == 1 {
		return 0, 0
	}
	return p[1], 2
}

// class adds the class that p begins with, [:alpha:]. Size 1: it is none, and the bracket was added.
func (b *byteSet) class(p string) (size int, ok bool) {
	end := strings.IndexByte(p[2:], ']')
	if end < 0 {
		return 0, false
	}
	if end == 0 || p[2+end-1] != ':' {
		b.add('[', '[')
		return 1, true
	}
	return 2 + end + 1, b.addClass(p[2 : 2+end-1])
}

// addClass knows ASCII only, and so does git, whose white space is without vertical tab and form feed.
func (b *byteSet) addClass(name string) bool {
	var ranges string // pairs of first and last
	switch name {
	case "alnum":
		ranges = "09AZaz"
	case "alpha":
		ranges = "AZaz"
	case "blank":
		ranges = "\t\t  "
	case "cntrl":
		ranges = "\x00\x1f\x7f\x7f"
	case "digit":
		ranges = "09"
	case "graph":
		ranges = "!~"
	case "lower":
		ranges = "az"
	case "print":
		ranges = " ~"
	case "punct":
		ranges = "!/:@[`{~"
	case "space":
		ranges = "\t\n\r\r  "
	case "upper":
		ranges = "AZ"
	case "xdigit":
		ranges = "09AFaf"
	}
	for i := 0; i < len(ranges); i += 2 {
		b.add(ranges[i], ranges[i+1])
	}
	return ranges != ""
}
