package cli

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
)

const (
	// maxPrompt bounds what is read as one prompt: more is a mistake, such as a device piped in.
	maxPrompt = 10 << 20
	// stdinWait is how long a prompt from the arguments waits for the first byte of a pipe that stays open: programs
	// that start us often leave one open that nobody writes to.
	stdinWait = time.Second
)

// prompt joins the words of the command line and standard input, and says how many bytes of it were typed: what comes from a
// pipe may be anybody's. There may be none when an old session goes on.
func (a *program) prompt(args []string, inputLines bool) (text string, typed int, err error) {
	words := slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "-" })
	dash := len(words) != len(args)
	text = strings.ToValidUTF8(strings.TrimSpace(strings.Join(words, " ")), "\uFFFD")
	typed = len(text)
	if inputLines {
		if dash {
			return "", 0, usagef(msg.UsageInputAndDash)
		}
		return text, typed, nil
	}
	old := a.flags.goOn || a.flags.resume != ""
	if dash || !a.std.InTTY {
		piped, err := a.stdin(dash || text == "" && !old)
		if err != nil {
			return "", 0, err
		}
		piped = strings.ToValidUTF8(strings.TrimSpace(piped), "\uFFFD")
		switch {
		case text == "":
			text = piped
		case piped != "":
			text += "\n\n" + piped
		}
		if a.std.InTTY { // by somebody who sits there
			typed = len(text)
		}
	}
	if text == "" && !old {
		return "", 0, usagef(msg.UsageNoPrompt)
	}
	if len(text) > maxPrompt {
		return "", 0, usagef(msg.UsageHugePrompt, maxPrompt>>20)
	}
	return text, typed, nil
}

// stdin reads standard input to its end. Unless must is set, it gives up on one that stays open and silent.
func (a *program) stdin(must bool) (string, error) {
	if a.std.In == nil {
		return "", nil
	}
	first := make(chan struct{})
	type read struct {
		data []byte
		err  error
	}
	all := make(chan read, 1)
	go func() {
		r := &announcer{r: a.std.In, first: first}
		data, err := io.ReadAll(io.LimitReader(r, maxPrompt+1))
		all <- read{data, err}
	}()
	var giveUp <-chan time.Time
	if !must {
		t := time.NewTimer(stdinWait)
		defer t.Stop()
		giveUp = t.C
	}
	for {
		select {
		case got := <-all:
			if got.err != nil {
				return "", errors.Join(usagef(msg.UsageStdin), got.err)
			}
			return string(got.data), nil
		case <-first:
			first, giveUp = nil, nil
		case <-giveUp:
			a.note(a.msg.Text(msg.NoteStdinSilent))
			return "", nil
		case sig := <-a.std.Signals:
			return "", &exitError{signalCode(sig)}
		}
	}
}

// announcer closes first when the first bytes have come.
type announcer struct {
	r     io.Reader
	first chan struct{}
	told  bool
}

func (a *announcer) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if n > 0 && !a.told {
		a.told = true
		close(a.first)
	}
	return n, err
}
