package guard

import "react-agent/agent"

// Options of [New]. The zero value is right for most.
type Options struct {
	// Polling names tools, as the model knows them, that may be called again and again: waiting is their work. nil is
	// [DefaultPolling].
	Polling []string
	// HintRepeat and StopRepeat count equal steps in a row: at the first the model is told, at the second the run ends.
	// 0 is 3 and 10.
	HintRepeat, StopRepeat int
	// HintFail and StopFail count steps in a row in which every call failed. 0 is 8 and 20.
	HintFail, StopFail int
	// Lang is the language of the reason the person reads, "zh" or "en"; empty is English. The model reads English.
	Lang string
}

// DefaultPolling names the tools that wait for something.
func DefaultPolling() []string { return []string{"check_background", "job_wait", "read_inbox"} }

// New makes the guard of the lean and full faces.
func New(o Options) agent.Hook { panic("wip") }

// Classic makes the guard of the classic face: window equal steps in a row (0 is 3) end the run with stop loop; the last
// of them does not run. text is the reason given, with %d for the window; empty is the classic one.
func Classic(window int, text string) agent.Hook { panic("wip") }
