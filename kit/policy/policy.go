// Package policy decides which calls may run, by the mode the person chose.
package policy

import "react-agent/agent"

// Mode says how much the agent may do unasked.
type Mode string

// The five modes.
const (
	Ask      Mode = "ask"      // what only reads runs, everything else asks
	Auto     Mode = "auto"     // writes in the work directory run too; commands ask until there is a sandbox
	ReadOnly Mode = "readonly" // only what reads runs, nothing is asked
	Plan     Mode = "plan"     // as ReadOnly, until the plan is approved
	Yolo     Mode = "yolo"     // everything runs
)

// StateKey is where the session's own mode is kept in [agent.Session.State], as a JSON string; it wins over Options.Mode.
const StateKey = "mode"

// Options of [New].
type Options struct {
	// Mode of sessions that have none of their own; empty is [Ask].
	Mode Mode
	// Blocklist refuses commands that contain one of these texts, in every mode.
	Blocklist []string
	// Blocked is the refusal's text; empty is "Error: Dangerous command blocked".
	Blocked string
	// Lang is the language of questions to the person, "zh" or "en"; empty is English. The model reads English.
	Lang string
}

// New makes the hook.
func New(o Options) agent.Hook { panic("wip") }

// SourceBlocklist is the list of the source profiles.
func SourceBlocklist() []string {
	return []string{"rm -rf /", "sudo", "shutdown", "reboot", "> /dev/"}
}
