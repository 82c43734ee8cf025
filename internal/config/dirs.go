package config

import "react-agent/internal/msg"

// Environment is the process's environment and working directory, read once at the start.
func Environment() (environ []string, workDir string, err error) { panic("wip") }

// Getenv finds a variable in an environment; of equal names the last counts.
func Getenv(environ []string, name string) string { panic("wip") }

// Language is the language to speak before any file is read: flag --lang, REACT_AGENT_LANG, then the locale.
func Language(s Source) msg.Lang { panic("wip") }

// Dirs are the product's directories under the XDG base directories.
type Dirs struct {
	Config string // config.yaml
	State  string // one directory per project, and user/
}

// FindDirs finds the directories from the environment; none is created.
func FindDirs(environ []string) (Dirs, error) { panic("wip") }

// State is the directory of this project's state: state_dir as given, else NAME-HASH8 of the resolved git root, or of
// the work directory outside of git, under the XDG state directory. It is not created.
func (c *Config) State() (string, error) { panic("wip") }

// UserState is the directory of state that belongs to the person, not to a project. It is not created.
func (c *Config) UserState() (string, error) { panic("wip") }
