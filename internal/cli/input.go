package cli

import (
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
)

func trimEOL(line string) string { return strings.TrimRight(line, "\r\n") }

// parseInput reads line n of --input jsonl: the body of an input.
func parseInput(n int, line string) input {
	g, err := command.ReadInput([]byte(line))
	return input{n: n, in: g.Input, err: err, words: g.Words}
}

// nullView shows nothing: the reader of our output has gone.
type nullView struct{}

func (nullView) event(agent.Event, *follower) error { return nil }
func (nullView) end(result) error                   { return nil }
func (nullView) fail(error) error                   { return nil }
func (nullView) say(string)                         {}
func (nullView) reply(string) error                 { return nil }
