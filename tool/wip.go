package tool

import "react-agent/agent"

// Bash runs one command in a shell of its own.
func Bash(e Env) agent.Tool { panic("wip") }

// ReadFile shows a text file.
func ReadFile(e Env) agent.Tool { panic("wip") }

// WriteFile writes a whole file.
func WriteFile(e Env) agent.Tool { panic("wip") }

// EditFile replaces one piece of a file.
func EditFile(e Env) agent.Tool { panic("wip") }

// ListDir lists a directory.
func ListDir(e Env) agent.Tool { panic("wip") }
