package team

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// Place is a directory with files of agents.
type Place struct {
	Dir string
	// Within is the directory that links must not leave; empty: they may lead anywhere, the files are the person's own.
	Within string
}

// Finding is what became of a file, or of a field in it.
type Finding struct {
	File string
	Line int    // from 1; 0: the file as a whole
	Name string // of the agent, as far as it is known
	// Skipped says that the agent was left out; otherwise it is there in spite of this.
	Skipped bool
	// Reason and Fix have texts in both languages: show them with [msg.Catalogue.Err]. An agent that is as it should be has
	// no Reason.
	Reason, Fix error
}

// Agents are the agent types that people have written down, and what became of each file.
type Agents struct {
	Types    []Type
	Findings []Finding
}

// ProjectPlaces are the directories of a project, UserPlaces those of a person, where agents are kept; config is the
// person's directory for settings.
func ProjectPlaces(dir, within string) (list []Place) {
	for _, d := range []string{".react-agent/agents", ".agents/agents", ".claude/agents", ".opencode/agents", ".opencode/agent"} {
		list = append(list, Place{Dir: filepath.Join(dir, filepath.FromSlash(d)), Within: within})
	}
	return list
}

// UserPlaces are described at [ProjectPlaces].
func UserPlaces(home, config string) (list []Place) {
	if config != "" {
		list = append(list, Place{Dir: filepath.Join(config, "react-agent", "agents")})
	}
	if home != "" {
		for _, d := range []string{".react-agent/agents", ".agents/agents", ".claude/agents"} {
			list = append(list, Place{Dir: filepath.Join(home, filepath.FromSlash(d))})
		}
	}
	if config != "" {
		list = append(list, Place{Dir: filepath.Join(config, "opencode", "agents")}, Place{Dir: filepath.Join(config, "opencode", "agent")})
	}
	return list
}

// Bounds of what is read.
const (
	maxAgentFile  = 256 << 10
	maxAgentFiles = 200 // of one directory
)

// LoadAgents reads the agents of all places; of equal names the first one counts. known tells whether there is a tool of
// this name; nil: any may be. What is wrong with one file never keeps the others away.
func LoadAgents(places []Place, known func(tool string) bool) Agents {
	l := loader{known: known}
	for _, p := range places {
		l.place(p)
	}
	return l.out
}

type loader struct {
	known func(string) bool
	out   Agents
}

func (l *loader) place(p Place) {
	entries, err := os.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.skip(Finding{File: p.Dir, Reason: msg.Errorf(msg.AgentUnreadable, err)})
		return
	}
	n := 0
	for _, e := range entries {
		if !strings.EqualFold(filepath.Ext(e.Name()), ".md") || strings.EqualFold(e.Name(), "README.md") {
			continue
		}
		file := filepath.Join(p.Dir, e.Name())
		if n++; n > maxAgentFiles {
			l.skip(Finding{File: p.Dir, Reason: msg.Errorf(msg.AgentTooMany, maxAgentFiles)})
			return
		}
		data, err := readAgent(file, p.Within)
		if err != nil {
			l.skip(Finding{File: file, Reason: err})
			continue
		}
		l.file(file, data)
	}
}

// readAgent reads an ordinary file of moderate size. It waits for nothing.
func readAgent(file, within string) (string, error) {
	to, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", msg.Errorf(msg.AgentUnreadable, err)
	}
	if within != "" {
		top, err := filepath.EvalSymlinks(within)
		if rel, rerr := filepath.Rel(top, to); err != nil || rerr != nil || !filepath.IsLocal(rel) {
			return "", msg.Errorf(msg.AgentOutside, to)
		}
	}
	info, err := os.Stat(to)
	switch {
	case err != nil:
		return "", msg.Errorf(msg.AgentUnreadable, err)
	case !info.Mode().IsRegular():
		return "", msg.Errorf(msg.AgentNoFile)
	case info.Size() > maxAgentFile:
		return "", msg.Errorf(msg.AgentTooLong, maxAgentFile>>10)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		return "", msg.Errorf(msg.AgentUnreadable, err)
	}
	return string(data), nil
}

func (l *loader) skip(f Finding) {
	f.Skipped = true
	l.out.Findings = append(l.out.Findings, f)
}

// file takes one agent in.
func (l *loader) file(path, data string) {
	a := parseAgent(path, data, l.known)
	if a.fault != nil {
		l.skip(*a.fault)
		return
	}
	if i := slices.IndexFunc(l.out.Types, func(x Type) bool { return strings.EqualFold(x.Name, a.typ.Name) }); i >= 0 {
		l.skip(Finding{File: path, Name: a.typ.Name, Reason: msg.Errorf(msg.AgentShadowed, l.out.Types[i].File), Fix: msg.Errorf(msg.AgentFixShadowed)})
		return
	}
	l.out.Types = append(l.out.Types, a.typ)
	if len(a.notes) == 0 {
		a.notes = []Finding{{File: path, Name: a.typ.Name}}
	}
	l.out.Findings = append(l.out.Findings, a.notes...)
}
