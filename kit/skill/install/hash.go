package install

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // git's name of a tree
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// hash is the npm program's: SHA-256 over path and bytes of each file, in the order in which a person would sort.
func (t Tree) hash() string { return t.hashBy(collate) }

func (t Tree) hashBy(order func(a, b string) int) string {
	t = slices.DeleteFunc(slices.Clone(t), func(f File) bool { return strings.Contains("/"+f.Path, "/node_modules/") })
	slices.SortStableFunc(t, func(a, b File) int { return order(a.Path, b.Path) })
	h := sha256.New()
	for _, f := range t {
		_, _ = h.Write([]byte(f.Path)) // never fails
		_, _ = h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// collate orders text as JavaScript's localeCompare does for ASCII: by base character first, then by case, small letters
// first. What is not ASCII comes behind, by code point; that is right for Chinese, and wrong for accents, so a hash of
// ours may differ from theirs when names have them.
func collate(a, b string) int {
	if c := slices.Compare(weights(a), weights(b)); c != 0 {
		return c
	}
	if c := slices.Compare(cases(a), cases(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// order of ASCII below the letters.
const collation = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"

func weights(s string) []rune {
	var out []rune
	for _, r := range s {
		switch i := strings.IndexRune(collation, r); {
		case i >= 0:
			out = append(out, rune(i)) //nolint:gosec // below 128
		case unicode.IsControl(r): // does not count
		default:
			out = append(out, 0x100+unicode.ToLower(r))
		}
	}
	return out
}

func cases(s string) []int {
	var out []int
	for _, r := range s {
		if unicode.IsUpper(r) {
			out = append(out, 1)
		} else {
			out = append(out, 0)
		}
	}
	return out
}

// digests are the hashes of the single files.
func (t Tree) digests() map[string]string {
	out := make(map[string]string, len(t))
	for _, f := range t {
		sum := sha256.Sum256(f.Data)
		out[f.Path] = hex.EncodeToString(sum[:])
	}
	return out
}

// gitTree is git's name for the tree of these files.
func (t Tree) gitTree() string {
	type item struct {
		name string // of a directory with a slash, as git sorts
		mode string
		sum  []byte
	}
	object := func(kind string, data []byte) []byte {
		sum := sha1.Sum(slices.Concat(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data)) //nolint:gosec // git's
		return sum[:]
	}
	var build func(files Tree) []byte
	build = func(files Tree) []byte {
		var items []item
		below := map[string]Tree{}
		for _, f := range files {
			if dir, rest, ok := strings.Cut(f.Path, "/"); ok {
				below[dir] = append(below[dir], File{Path: rest, Data: f.Data, Exec: f.Exec})
				continue
			}
			mode := "100644"
			if f.Exec {
				mode = "100755"
			}
			items = append(items, item{f.Path, mode, object("blob", f.Data)})
		}
		for dir, sub := range below {
			items = append(items, item{dir + "/", "40000", build(sub)})
		}
		slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.name, b.name) })
		var b bytes.Buffer
		for _, i := range items {
			fmt.Fprintf(&b, "%s %s\x00", i.mode, strings.TrimSuffix(i.name, "/"))
			b.Write(i.sum)
		}
		return object("tree", b.Bytes())
	}
	return hex.EncodeToString(build(t))
}
