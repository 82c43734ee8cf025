package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/gauge"
)

// Fill says what fills the window of a session's model, and where it is made smaller.
type Fill struct {
	gauge.Report
	// Model is its id, "" when none can be reached. Window is in tokens, 0 when it is not known.
	Model  string `json:"model,omitempty"`
	Window int    `json:"window,omitempty"`
	// CompactAt is the size of a request over which it is compacted; Manual says that this does not happen by itself.
	CompactAt int  `json:"compact_at"`
	Manual    bool `json:"manual,omitempty"`
}

// contextCommand shows what fills the window.
func contextCommand() Command {
	return Command{
		Name: "context", Args: "[SESSION]", Help: msg.HelpContext, Slash: true, Shell: true, Max: 1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			session := in.Session
			if len(in.Args) == 1 {
				id, err := Existing(ctx, h, in.Args[0])
				if err != nil {
					return Outcome{}, err
				}
				session = id
			}
			f, err := h.Fill(ctx, session)
			if err != nil {
				return Outcome{}, err
			}
			if in.JSON {
				return Outcome{}, printJSON(in, f)
			}
			return Outcome{}, in.printf("%s", strings.Join(picture(h.Msg, &f), "\n")+"\n")
		},
	}
}

// The columns of the picture: all of it fits into 80.
const (
	wideName = 44 // of a line's name
	wideBar  = 76
	wideDo   = 28 // of a name with what can be done

	wideModel = 22
	topItems  = 5 // of a kind, and in the list of the largest

	largestShare = 25 // of the window is what the largest take at least: one part in so many
)

// picture draws a window with characters that are one column wide everywhere.
func picture(c msg.Catalogue, f *Fill) []string {
	size := cmp.Or(f.Window, f.CompactAt)
	lines := []string{f.head(c, size), bar(f, size), f.where(c)}
	if f.Reported > 0 {
		lines = append(lines, c.Text(msg.ContextCounted, grouped(int64(f.Reported)), grouped(int64(f.Tokens-f.Reported))))
	} else {
		lines = append(lines, c.Text(msg.ContextGuessed))
	}
	lines = append(lines, "")
	for _, k := range f.Kinds() {
		name := c.Text(titleOfKind(k.Kind))
		if strings.Contains(name, "%d") {
			name = c.Text(titleOfKind(k.Kind), k.Count)
		}
		lines = append(lines, row(name, k.Tokens, size))
		lines = append(lines, f.itemsOf(c, k.Kind)...)
	}
	return append(lines, f.largest(c, size)...)
}

func (f *Fill) head(c msg.Catalogue, size int) string {
	name := clipWide(cmp.Or(f.Model, c.Text(msg.ContextNoModel)), wideModel)
	used, part := grouped(int64(f.Tokens)), percent(f.Tokens, size)
	if f.Window == 0 {
		return c.Text(msg.ContextUnknown, name, grouped(int64(size)), used, part)
	}
	return c.Text(msg.ContextHead, name, grouped(int64(size)), used, part, grouped(int64(max(0, size-f.Tokens))))
}

func (f *Fill) where(c msg.Catalogue) string {
	if f.Manual {
		return c.Text(msg.ContextManual)
	}
	return c.Text(msg.ContextAt, grouped(int64(f.CompactAt)))
}

// bar draws the whole window: what is used, what is free, and where it is compacted.
func bar(f *Fill, size int) string {
	cells := []byte(strings.Repeat(".", wideBar))
	for i := range min(wideBar, share(f.Tokens, size)) {
		cells[i] = '#'
	}
	if at := share(f.CompactAt, size); !f.Manual && at > 0 {
		cells[min(at, wideBar)-1] = '|'
	}
	return "[" + string(cells) + "]"
}

// share is a part of the window in cells; what is there at all has one.
func share(tokens, size int) int {
	if tokens <= 0 || size <= 0 {
		return 0
	}
	return max(1, int(int64(tokens)*wideBar/int64(size)))
}

func percent(tokens, size int) int {
	if size <= 0 {
		return 0
	}
	return int((int64(tokens)*100 + int64(size)/2) / int64(size))
}

// row is a line with its share of the window.
func row(name string, tokens, size int) string {
	name = clipWide(name, wideName)
	part := fmt.Sprintf("%4d %%", percent(tokens, size))
	if percent(tokens, size) == 0 && tokens > 0 {
		part = "  <1 %"
	}
	return strings.TrimRight(fmt.Sprintf("%s %9s %s  %s", pad(name, wideName), grouped(int64(tokens)), part, small(tokens, size)), " ")
}

// small is the bar of a line.
func small(tokens, size int) string {
	const wide = 16
	if size <= 0 {
		return ""
	}
	return strings.Repeat("#", min(wide, int((int64(tokens)*wide+int64(size)-1)/int64(size))))
}

// clipWide cuts a name to so many columns.
func clipWide(s string, wide int) string {
	s = strings.Join(strings.Fields(s), " ")
	if text.Columns(s) <= wide {
		return s
	}
	n := 0
	for i, r := range s {
		if n += text.Width(r); n > wide-3 {
			return s[:i] + "..."
		}
	}
	return s
}

// itemsOf are the largest items of a kind, where it has names.
func (f *Fill) itemsOf(c msg.Catalogue, kind gauge.Kind) []string {
	var list []gauge.Item
	for _, it := range f.Items {
		if it.Kind == kind {
			list = append(list, it)
		}
	}
	if len(list) == 1 && list[0].Name == "" {
		return nil
	}
	var lines []string
	for i, it := range list {
		if left := len(list) - i; i >= topItems && left > 1 {
			return append(lines, "    "+c.Text(msg.ContextMore, left))
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %s %9s", pad(clipWide(nameOf(c, it), wideName-2), wideName-2), grouped(int64(it.Tokens))), " "))
	}
	return lines
}

func nameOf(c msg.Catalogue, it gauge.Item) string {
	name := cmp.Or(it.Name, c.Text(msg.ContextOther))
	if it.Count > 1 {
		name += fmt.Sprintf(" x %d", it.Count)
	}
	return name
}

// largest names what fills the window most, with what can be done about it: system prompt and tools as a whole, the rest
// one by one.
func (f *Fill) largest(c msg.Catalogue, size int) (lines []string) {
	whole := func(it gauge.Item) bool { return it.Kind == gauge.System || it.Kind == gauge.Tools }
	list := slices.DeleteFunc(f.Kinds(), func(it gauge.Item) bool { return !whole(it) })
	list = append(list, slices.DeleteFunc(slices.Clone(f.Items), whole)...)
	list = slices.DeleteFunc(list, func(it gauge.Item) bool { return remedies()[it.Kind] == "" || it.Tokens*largestShare < size })
	slices.SortStableFunc(list, func(a, b gauge.Item) int { return b.Tokens - a.Tokens })
	for _, it := range list[:min(topItems, len(list))] {
		lines = append(lines, fmt.Sprintf("  %s: %s", clipWide(FillName(c, it), wideDo), c.Text(remedies()[it.Kind])))
	}
	if len(lines) > 0 {
		lines = slices.Concat([]string{"", c.Text(msg.ContextLargest)}, lines)
	}
	return lines
}

// FillName is what a person is told that something in the window is.
func FillName(c msg.Catalogue, it gauge.Item) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(c.Text(titleOfKind(it.Kind)), "（", " ("), " (")
	if it.Name != "" {
		name += " " + it.Name
	}
	return name
}

func titleOfKind(k gauge.Kind) msg.Key {
	return map[gauge.Kind]msg.Key{
		gauge.System: msg.ContextSystem, gauge.Tools: msg.ContextTools, gauge.Summary: msg.ContextSummary, gauge.Person: msg.ContextPerson,
		gauge.Files: msg.ContextFiles, gauge.Skills: msg.ContextSkills, gauge.Memory: msg.ContextMemory, gauge.Notes: msg.ContextNotes,
		gauge.Answers: msg.ContextAnswers, gauge.Thoughts: msg.ContextThoughts, gauge.Calls: msg.ContextCalls, gauge.Results: msg.ContextResults,
	}[k]
}

// remedies say what the person can do about what fills the window.
func remedies() map[gauge.Kind]msg.Key {
	return map[gauge.Kind]msg.Key{
		gauge.System: msg.ContextDoSystem, gauge.Tools: msg.ContextDoTools, gauge.Files: msg.ContextDoFile, gauge.Skills: msg.ContextDoSkill,
		gauge.Memory: msg.ContextDoMemory, gauge.Person: msg.ContextDoCompact, gauge.Notes: msg.ContextDoCompact, gauge.Answers: msg.ContextDoCompact,
		gauge.Thoughts: msg.ContextDoCompact, gauge.Calls: msg.ContextDoCompact, gauge.Results: msg.ContextDoCompact,
	}
}
