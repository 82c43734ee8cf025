package tool

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// toMarkdown turns a page into Markdown. HTML that is too deep or too much for that is shown as its bare text.
func toMarkdown(page []byte, at *url.URL, article bool) (string, error) {
	tags := bytes.Count(page, []byte{'<'})
	doc, err := parse(page, tags)
	if err != nil {
		return "[" + err.Error() + "; this is the bare text]\n\n" + orNothing(bareText(page)), nil //nolint:nilerr // it is told
	}
	title := titleOf(doc)
	at = baseOf(doc, at)
	lead := ""
	if article && tags > maxArticle {
		lead = "[too much structure to find the main text in; this is the whole page]\n\n"
	} else if article {
		if a, err := readability.FromDocument(doc, at); err == nil && a.Node != nil {
			doc = &html.Node{Type: html.DocumentNode}
			if a.Node.Parent != nil {
				a.Node.Parent.RemoveChild(a.Node)
			}
			doc.AppendChild(a.Node)
		}
	}
	tidy(doc, at)
	flatten(doc, 0, 0)
	// A model reads "[x]" as well without a backslash in front, and finding out where one is needed takes quadratic time.
	conv := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		table.NewTablePlugin(
			table.WithHeaderPromotion(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
		),
	))
	md, err := conv.ConvertNode(doc)
	if err != nil {
		return "", err
	}
	s := strings.TrimSpace(string(md))
	if title != "" && !strings.HasPrefix(s, "# ") {
		s = strings.TrimSpace(fmt.Sprintf("# %s\n\n%s", title, s))
	}
	return lead + orNothing(s), nil
}

var errStructure = errors.New("too much structure for Markdown")

func parse(page []byte, tags int) (*html.Node, error) {
	if tags > maxTags {
		return nil, errStructure
	}
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil { // nested too deep
		return nil, errStructure
	}
	return doc, nil
}

func orNothing(s string) string {
	if s == "" {
		return "(the page has no text)"
	}
	return s
}

// find is the first element of a name.
func find(n *html.Node, name string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name {
			return d
		}
	}
	return nil
}

func titleOf(doc *html.Node) string {
	t := find(doc, "title")
	if t == nil || t.FirstChild == nil {
		return ""
	}
	return strings.Join(strings.Fields(t.FirstChild.Data), " ")
}

// baseOf is what relative links of the page are relative to.
func baseOf(doc *html.Node, at *url.URL) *url.URL {
	clean := *at
	clean.User = nil
	b := find(doc, "base")
	if b == nil {
		return &clean
	}
	for _, a := range b.Attr {
		if a.Key == "href" {
			if to, err := clean.Parse(strings.TrimSpace(a.Val)); err == nil {
				return to
			}
		}
	}
	return &clean
}

// tidy takes out what a reader does not see and makes links absolute.
func tidy(doc *html.Node, at *url.URL) {
	var gone []*html.Node
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if unseen(n) {
			gone = append(gone, n)
			continue
		}
		for i, a := range n.Attr {
			if a.Key == "href" && n.Data == "a" || a.Key == "src" && n.Data == "img" {
				n.Attr[i].Val = link(a.Val, at)
			}
		}
	}
	for _, n := range gone {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

// unseen reports elements that are not shown, or are a picture in the page's own text.
func unseen(n *html.Node) bool {
	switch n.Data {
	case "script", "style", "template", "svg", "canvas", "iframe", "object", "embed", "noscript", "select", "dialog":
		return true
	case "img":
		for _, a := range n.Attr {
			if a.Key == "src" {
				return strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "data:")
			}
		}
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "style" && strings.Contains(strings.ReplaceAll(strings.ToLower(a.Val), " ", ""), "display:none") {
			return true
		}
	}
	return false
}

// link is where a link leads; those that are programs or data lead nowhere.
func link(ref string, at *url.URL) string {
	to, err := at.Parse(strings.TrimSpace(ref))
	if err != nil {
		return ""
	}
	switch to.Scheme {
	case "javascript", "data", "vbscript", "blob":
		return ""
	}
	return to.String()
}
