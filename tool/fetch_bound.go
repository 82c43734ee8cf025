package tool

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// A page of some megabytes can be written so that its Markdown takes gigabytes: every line of deep quotes repeats all of
// their marks, every row of a table is filled up to the widest. These are the bounds; what is beyond them loses its
// structure and keeps its text.
const (
	maxTags    = 120_000 // tags of a page, start and end
	maxArticle = 40_000  // when its main text is looked for
	maxMarks   = 8       // lists and quotes inside each other
	maxTables  = 3       // tables inside each other
	maxCells   = 50_000  // of a table that is filled up
	maxSpan    = 50      // columns or rows that a cell may reach over
)

// flatten takes structure that is beyond the bounds out of n and what is in it.
func flatten(n *html.Node, marks, tables int) {
	if n.Type == html.ElementNode {
		switch n.Data {
		case "ul", "ol", "blockquote":
			if marks++; marks > maxMarks {
				become(n, "div")
			}
		case "li", "dd":
			if marks > maxMarks {
				become(n, "div")
			}
		case "table":
			if tables++; tables > maxTables || !fits(n) {
				noTable(n)
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		flatten(c, marks, tables)
	}
}

// become makes an element another one.
func become(n *html.Node, name string) {
	n.Data, n.DataAtom = name, 0
}

func noTable(n *html.Node) {
	become(n, "div")
	for d := range n.Descendants() {
		switch d.Data {
		case "thead", "tbody", "tfoot", "tr", "caption", "colgroup":
			become(d, "div")
		case "td", "th":
			become(d, "span")
			d.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
		}
	}
}

// fits reports whether a table can be filled up; cells that reach too far are taken back for that.
func fits(table *html.Node) bool {
	rows, widest, tall := 0, 0, false
	for tr := range table.Descendants() {
		if tr.Type != html.ElementNode || tr.Data != "tr" {
			continue
		}
		rows++
		width := 0
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode {
				width += span(c, "colspan", maxSpan)
				tall = span(c, "rowspan", maxSpan) > 1 || tall
			}
		}
		widest = max(widest, width)
	}
	if tall && rows*widest*maxSpan > 4*maxCells {
		for d := range table.Descendants() {
			span(d, "rowspan", 1)
		}
	}
	return rows*widest <= maxCells
}

// span is how many columns or rows a cell reaches over; more than most are cut back to it.
func span(cell *html.Node, name string, most int) int {
	for i, a := range cell.Attr {
		if a.Key != name {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(a.Val))
		if err != nil || n < 1 {
			n = 1
		}
		n = min(n, most)
		cell.Attr[i].Val = strconv.Itoa(n)
		return n
	}
	return 1
}

// bareText is the text of HTML without its structure but for the ends of blocks.
func bareText(page []byte) string {
	var b bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(page))
	skip := ""
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw, _ := z.TagName()
			name := string(raw)
			switch {
			case name == "script" || name == "style" || name == "title":
				skip = ""
				if kind == html.StartTagToken {
					skip = name
				}
			case !inline(name) && b.Len() > 0 && b.Bytes()[b.Len()-1] != '\n':
				b.WriteByte('\n')
			}
		case html.TextToken:
			if skip == "" {
				words(&b, z.Text())
			}
		default:
		}
	}
}

// words writes text with single spaces.
func words(b *bytes.Buffer, s []byte) {
	at := b.Len()
	space := len(s) > 0 && strings.IndexByte(" \t\r\n\f", s[0]) >= 0
	for w := range bytes.FieldsSeq(s) {
		if space && b.Len() > 0 && b.Bytes()[b.Len()-1] != '\n' {
			b.WriteByte(' ')
		}
		b.Write(w)
		space = true
	}
	if b.Len() > at && strings.IndexByte(" \t\r\n\f", s[len(s)-1]) >= 0 {
		b.WriteByte(' ')
	}
}

// inline reports elements that stand in the middle of a line.
func inline(name string) bool {
	switch name {
	case "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins", "kbd", "label",
		"mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr":
		return true
	}
	return false
}
