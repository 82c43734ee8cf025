package cli

import (
	"bufio"
	"context"
	"io"
	"strings"

	"react-agent/engine"
	"react-agent/internal/command"
)

// input is one line of standard input: something to submit, a line that a person typed, or an error.
type input struct {
	n    int // of the line
	in   engine.Input
	line string
	err  error
	// words says that in is an answer that has a text and leaves open whether it allows.
	words bool
}

// parseInput reads line n of --input jsonl: the body of an input.
func parseInput(n int, line string) input {
	g, err := command.ReadInput([]byte(line))
	return input{n: n, in: g.Input, err: err, words: g.Words}
}

// typedInput is a line that a person has typed.
func typedInput(_ int, line string) input { return input{line: line} }

// readInputs delivers what the lines of r that are not empty are read as, until r or ctx ends.
func readInputs(ctx context.Context, r io.Reader, read func(n int, line string) input) <-chan input {
	out := make(chan input)
	go func() {
		defer close(out)
		eachLine(r, func(n int, line string) bool { return line == "" || offer(ctx, out, read(n, line)) })
	}()
	return out
}

// eachLine calls fn with the lines of r, which may have any length, until fn says that it is enough. The last line may lack
// its end.
func eachLine(r io.Reader, fn func(n int, line string) bool) {
	br := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := br.ReadString('\n')
		if err != nil && line == "" || !fn(n, strings.TrimRight(line, "\r\n")) || err != nil {
			return
		}
	}
}

// offer hands a value to whoever takes it; false: ctx has ended before.
func offer[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}
