package policy

import "react-agent/agent"

// Options of [New] and [NewPolicy]. The zero value asks about everything that does not only read.
type Options struct {
	// Mode of sessions that have none of their own; empty is [Ask].
	Mode Mode
	// Rules of the configuration.
	Rules Rules
	// Always keeps what the person allowed for good; nil: it is kept until the program ends.
	Always Store
	// Sandboxed says that commands run in a sandbox unless their arguments say "unsandboxed": true.
	Sandboxed bool
	// Blocklist refuses commands that contain one of these texts, in every mode.
	Blocklist []string
	// Blocked is the refusal's text; empty is "Error: Dangerous command blocked".
	Blocked string
	// Root is the work directory, absolute: relative paths of rules, calls and redirections begin there. Empty: no
	// relative path is inside, and no relative rule matches.
	Root string
	// Home stands for ~ in rules; empty: rules with ~ never match.
	Home string
	// Shell is the program that runs commands, by path or name. Commands are read as bash reads them, for sh as sh does
	// too; for another shell no rule can allow a command. Empty is bash.
	Shell string
	// Paths tells which files a call touches, links resolved; ok is false when that cannot be told. nil: the argument
	// "path" is looked at, and resolved here.
	Paths func(t agent.Tool, c agent.Call) (paths []Path, ok bool)
	// Whole are names of tools that touch no files and run nothing: "always" allows such a tool, not one exact call, and a
	// question shows its arguments in words.
	Whole []string
	// SkillName gives the form in which names of skills are compared, as rules and calls write them. nil: as they are.
	SkillName func(name string) string
	// Warn is told what could not be read or kept; it may be called from many goroutines. nil: nobody is told.
	Warn func(err error)
	// Lang is the language of questions to the person, "zh" or "en"; empty is English. The model reads English.
	Lang string
}

// Path is a file or directory that a call touches.
type Path struct {
	Given  string // as it stands in the call
	Real   string // absolute, without links; empty when it leads nowhere
	Inside bool   // Real is in the work directory
	Writes bool   // it may be changed, made or removed
}

// Store keeps the rules that the person allowed for good. Its methods may be called at any time from many goroutines.
type Store interface {
	// Load gives the texts of all rules. What could be read is given beside an error.
	Load() ([]string, error)
	// Add keeps rules; those that are there already are not doubled.
	Add(rules []string) error
}

// SourceBlocklist is the list of the source profiles.
func SourceBlocklist() []string {
	return []string{"rm -rf /", "sudo", "shutdown", "reboot", "> /dev/"}
}
