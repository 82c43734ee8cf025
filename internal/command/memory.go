package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"react-agent/internal/msg"
	"react-agent/kit/memory"
)

// How many memories are listed, and hits shown, when nobody says.
const (
	listedMemories = 20
	foundMemories  = 5
)

const memoryArgs = "[list | search WORDS | add [KIND:] TEXT | forget ID... | export]"

// memoryCommands look at what is remembered over conversations, and change it: in a conversation and as a group.
func memoryCommands() []Command {
	of := []Flag{
		{Name: "kind", Help: msg.FlagMemoryKind},
		{Name: "scope", Help: msg.FlagMemoryScope},
	}
	limit := func(n string) Flag { return Flag{Name: "limit", Default: n, Help: msg.FlagMemoryLimit} }
	tags := Flag{Name: "tags", Help: msg.FlagMemoryTags}
	list := []Command{
		{Name: "memory list", Help: msg.HelpMemoryList, Flags: append(slices.Clone(of), limit("20"), jsonFlag()), Run: remembering(listMemories)},
		{Name: "memory search", Args: "WORDS...", Help: msg.HelpMemorySearch, Min: 1, Max: -1, Flags: append(slices.Clone(of), limit("5"), jsonFlag()), Run: remembering(searchMemories)},
		{Name: "memory add", Args: "TEXT...", Help: msg.HelpMemoryAdd, Min: 1, Max: -1, Flags: append(slices.Clone(of), tags, jsonFlag()), Run: remembering(addMemory)},
		{Name: "memory rm", Args: "ID...", Help: msg.HelpMemoryRm, Min: 1, Max: -1, Flags: []Flag{jsonFlag()}, Run: remembering(forgetMemories)},
		{Name: "memory export", Help: msg.HelpMemoryExport, Flags: append(slices.Clone(of), Flag{Name: "format", Default: "jsonl", Help: msg.FlagMemoryFormat}), Run: remembering(exportMemories)},
		{Name: "memory import", Args: "FILE", Help: msg.HelpMemoryImport, Min: 1, Max: 1, Flags: []Flag{jsonFlag()}, Run: remembering(importMemories)},
		{Name: "memory aside", Args: "SCOPE", Help: msg.HelpMemoryAside, Min: 1, Max: 1, Flags: []Flag{jsonFlag()}, Run: remembering(setMemoryAside)},
	}
	for i := range list {
		list[i].Shell, list[i].Lenient = true, true // what is remembered is the person's, whatever the project says
	}
	return append(list, Command{
		Name: "memory", Args: memoryArgs, Help: msg.HelpMemory, Slash: true, Max: -1, Run: remembering(memorySlash),
	})
}

// remembering runs a command on the memory, if it is switched on. A mistake in what was given is the person's, a fault of a
// file is not.
func remembering(fn func(ctx context.Context, h *Host, in Input) error) func(context.Context, *Host, Input) (Outcome, error) {
	return func(ctx context.Context, h *Host, in Input) (Outcome, error) {
		if h.Memory == nil {
			return Outcome{}, usage(msg.MemoryIsOff, h.Config.Origin("memory.enabled").In(h.Msg))
		}
		in.JSON = in.wantsJSON()
		err := fn(ctx, h, in)
		_, mistake := errors.AsType[*msg.Error](err)
		_, known := AsUsage(err)
		if _, file := errors.AsType[*memory.FileError](err); mistake && !file && !known {
			err = &UsageError{err}
		}
		return Outcome{}, err
	}
}

// memorySlash is the command in a conversation, where there are no flags.
func memorySlash(ctx context.Context, h *Host, in Input) error {
	what := "list"
	if len(in.Args) > 0 {
		what, in.Args = in.Args[0], in.Args[1:]
	}
	in.Rest = strings.TrimSpace(strings.TrimPrefix(in.Rest, what))
	if in.Rest == "" {
		in.Rest = strings.Join(in.Args, " ")
	}
	run := map[string]struct {
		fn   func(ctx context.Context, h *Host, in Input) error
		args bool
	}{
		"list": {listMemories, false}, "search": {searchMemories, true}, "add": {addMemory, true}, "forget": {forgetMemories, true},
		"rm": {forgetMemories, true}, "export": {exportMemories, false},
	}[what]
	if run.fn == nil || run.args != (len(in.Args) > 0) {
		return usage(msg.SlashArgs, "/memory "+memoryArgs)
	}
	return run.fn(ctx, h, in)
}

// filter reads the flags that all have.
func filter(in Input) memory.Filter {
	return memory.Filter{Kind: memory.Kind(in.Flags["kind"]), Scope: memory.Scope(in.Flags["scope"])}
}

// checked says what is wrong with a filter.
func checked(f memory.Filter) error {
	if f.Kind != "" && !slices.Contains(memory.Kinds(), f.Kind) {
		return usage(msg.MemoryKind, string(f.Kind))
	}
	if f.Scope != "" && f.Scope != memory.Project && f.Scope != memory.User {
		return usage(msg.MemoryScope, string(f.Scope))
	}
	return nil
}

// limitOf reads --limit.
func limitOf(in Input, otherwise int) (int, error) {
	s := in.Flags["limit"]
	if s == "" {
		return otherwise, nil
	}
	var n int
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != s {
		return 0, usage(msg.MemoryLimit, s)
	}
	return n, nil
}

func listMemories(ctx context.Context, h *Host, in Input) error {
	f := filter(in)
	if err := checked(f); err != nil {
		return err
	}
	limit, err := limitOf(in, listedMemories)
	if err != nil {
		return err
	}
	f.Limit = limit
	page, total, failed := h.Memory.List(ctx, f)
	return errors.Join(showMemories(h, in, page, total, failed == nil), failed)
}

// showMemories prints a page. whole: all could be looked at.
func showMemories(h *Host, in Input, page []memory.Record, total int, whole bool) error {
	if in.JSON {
		return printJSON(in, map[string]any{"memories": listOf(page), "total": total})
	}
	if total == 0 && !whole {
		return nil
	}
	if total == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.MemoryNothing))
	}
	for _, r := range page {
		if err := printMemory(h.Msg, in, r); err != nil {
			return err
		}
	}
	if total > len(page) {
		return in.printf("%s\n", h.Msg.Text(msg.MemoryMore, len(page), total))
	}
	return nil
}

// listOf is a list that is never null.
func listOf[T any](list []T) []T { return append([]T{}, list...) }

// kindWord is a kind in the catalogue's language, ten columns wide.
func kindWord(c msg.Catalogue, k memory.Kind) string {
	word := map[memory.Kind]msg.Key{
		memory.Preference: msg.KindPreference, memory.Command: msg.KindCommand, memory.Trick: msg.KindTrick, memory.Fact: msg.KindFact,
	}[k]
	return pad(c.Text(word), 10)
}

// printMemory is one memory on one line; the text of a long one is cut.
func printMemory(c msg.Catalogue, in Input, r memory.Record) error {
	tags := ""
	if len(r.Tags) > 0 {
		tags = " #" + strings.Join(r.Tags, " #")
	}
	return in.printf("%-6s %s %-7s %s  %s\n", r.ID, kindWord(c, r.Kind), r.Scope, r.Created.Local().Format("2006-01-02"), clip(r.Text, 160)+tags)
}

func searchMemories(ctx context.Context, h *Host, in Input) error {
	f := filter(in)
	if err := checked(f); err != nil {
		return err
	}
	limit, err := limitOf(in, foundMemories)
	if err != nil {
		return err
	}
	hits, failed := h.Memory.Search(ctx, memory.Query{Text: strings.Join(in.Args, " "), K: limit, Kind: f.Kind, Scope: f.Scope})
	return errors.Join(showHits(h, in, hits, failed == nil), failed)
}

// showHits prints what a search has found. whole: all could be looked at.
func showHits(h *Host, in Input, hits []memory.Hit, whole bool) error {
	if in.JSON {
		return printJSON(in, map[string]any{"memories": listOf(hits)})
	}
	if len(hits) == 0 && !whole {
		return nil
	}
	if len(hits) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.MemoryNotFound))
	}
	for _, hit := range hits {
		if err := in.printf("%.2f  ", hit.Score); err != nil {
			return err
		}
		if err := printMemory(h.Msg, in, hit.Record); err != nil {
			return err
		}
	}
	return nil
}

func addMemory(ctx context.Context, h *Host, in Input) error {
	d := memory.Draft{Text: strings.Join(in.Args, " "), Kind: memory.Kind(in.Flags["kind"]), Scope: memory.Scope(in.Flags["scope"])}
	if in.Session != "" {
		d = spoken(in.Rest)
	}
	for tag := range strings.SplitSeq(in.Flags["tags"], ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			d.Tags = append(d.Tags, tag)
		}
	}
	saved, err := h.Memory.Save(ctx, d)
	if err != nil {
		return err
	}
	if in.JSON {
		return printJSON(in, map[string]any{"saved": saved.Record, "was": saved.Was})
	}
	key := msg.MemoryRemembered
	switch {
	case saved.Same:
		key = msg.MemoryKnown
	case saved.Was != "":
		key = msg.MemoryChanged
	}
	text := h.Msg.Text(key, saved.ID, clip(saved.Text, 160)) + "\n"
	if word, ok := noKind(d.Text); ok && d.Kind == "" && in.Session != "" {
		text += h.Msg.Text(msg.MemoryNoKind, word) + "\n"
	}
	return in.printf("%s", text)
}

// noKind is the word before a colon with which a text begins, where a kind could stand.
func noKind(text string) (word string, ok bool) {
	word, rest, ok := strings.Cut(text, ":")
	return word, ok && word != "" && !strings.ContainsFunc(word, unicode.IsSpace) && strings.HasPrefix(rest, " ")
}

// spoken reads what was typed in a conversation: kind and scope may stand before the text, each with a colon.
func spoken(s string) (d memory.Draft) {
	for {
		word, rest, ok := strings.Cut(s, ":")
		switch word = strings.TrimSpace(word); {
		case ok && d.Kind == "" && slices.Contains(memory.Kinds(), memory.Kind(word)):
			d.Kind = memory.Kind(word)
		case ok && d.Scope == "" && (word == string(memory.Project) || word == string(memory.User)):
			d.Scope = memory.Scope(word)
		default:
			d.Text = s
			return d
		}
		s = strings.TrimSpace(rest)
	}
}

func forgetMemories(ctx context.Context, h *Host, in Input) error {
	var gone []memory.Record
	for _, id := range in.Args {
		r, err := h.Memory.Delete(ctx, id)
		if errors.Is(err, memory.ErrNone) {
			err = &UsageError{err}
		}
		if err != nil {
			return err
		}
		gone = append(gone, r)
		if in.JSON {
			continue
		}
		if err := in.printf("%s\n", h.Msg.Text(msg.MemoryForgotten, r.ID, clip(r.Text, 160))); err != nil {
			return err
		}
	}
	if in.JSON {
		return printJSON(in, map[string]any{"removed": listOf(gone)})
	}
	return nil
}

// setMemoryAside renames the file of a scope that cannot be used, so that a new one begins.
func setMemoryAside(ctx context.Context, h *Host, in Input) error {
	to, err := h.Memory.SetAside(ctx, memory.Scope(in.Args[0]))
	if errors.Is(err, fs.ErrNotExist) {
		return usage(msg.MemoryNoFile, in.Args[0])
	}
	if err != nil {
		return err
	}
	if in.JSON {
		return printJSON(in, map[string]string{"aside": to})
	}
	return in.printf("%s\n", h.Msg.Text(msg.MemoryAside, to))
}
