package cli

import (
	"context"
	"strings"
	"time"
)

// pasteGap is how long the next line of a paste may take to arrive. Nobody types that fast.
const pasteGap = 20 * time.Millisecond

// terminalLine is how many bytes of a line a terminal keeps that edits lines itself; what goes on behind them is gone before
// any program reads it.
const terminalLine = 4095

// cutByTerminal reports whether a terminal has very likely cut a line of what was typed.
func cutByTerminal(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) >= terminalLine {
			return true
		}
	}
	return false
}

// readMessages delivers what is typed, one message for each request on next. At a terminal, lines that are pasted
// together come as one message.
func readMessages(ctx context.Context, std Std, next <-chan bool) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		eachLine(std.In, func(_ int, line string) bool { return offer(ctx, lines, line) })
	}()
	out := make(chan string)
	go func() {
		defer close(out)
		for {
			select {
			case <-next:
			case <-ctx.Done():
				return
			}
			text, ok := readMessage(ctx, lines, std.InTTY)
			if !ok || !offer(ctx, out, text) {
				return
			}
		}
	}()
	return out
}

// readMessage takes a line and, with paste, the lines that follow it at once. ok is false when the input has ended.
func readMessage(ctx context.Context, lines <-chan string, paste bool) (text string, ok bool) {
	select {
	case text, ok = <-lines:
	case <-ctx.Done():
	}
	if !ok || !paste {
		return text, ok
	}
	var b strings.Builder
	b.WriteString(text)
	gap := time.NewTimer(pasteGap)
	defer gap.Stop()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return b.String(), true // the end is met again at the next message
			}
			b.WriteString("\n" + line)
			gap.Reset(pasteGap)
		case <-gap.C:
			return b.String(), true
		}
	}
}
