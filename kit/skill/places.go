package skill

import "path/filepath"

// Places are the roots where agents keep skills, first those that win: the project's own, from dir up to top, then the
// person's in home. top is the top of the project; empty or not above dir: only dir itself is looked at. An empty dir or
// home has none. config is the person's directory for settings, empty is home/.config.
func Places(dir, top, home, config string) []Root {
	return roots(dir, top, home, config, projectPlaces(), userPlaces())
}

// CommandPlaces are the directories where agents keep a person's own commands, in the order of [Places] and with its
// arguments.
func CommandPlaces(dir, top, home, config string) []Root {
	return roots(dir, top, home, config, projectCommands(), userCommands())
}

func roots(dir, top, home, config string, project, user []place) []Root {
	var out []Root
	dirs := upTo(dir, top)
	for _, d := range dirs {
		for _, p := range project {
			within := dirs[len(dirs)-1]
			out = append(out, Root{
				Path: filepath.Join(d, p.path), Scope: Project, Within: within, FromOne: p.fromOne, Commands: p.commands,
			})
		}
	}
	if home == "" {
		return out
	}
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	for _, p := range user {
		path := filepath.Join(home, p.path)
		if p.config {
			path = filepath.Join(config, p.path)
		}
		out = append(out, Root{Path: path, Scope: User, FromOne: p.fromOne, Commands: p.commands})
	}
	return out
}

type place struct {
	path     string // with slashes
	fromOne  bool
	config   bool   // below the directory for settings
	commands string // ending of files that are commands
}

// projectPlaces begin with the plain one and the one that most agents share.
func projectPlaces() []place {
	return []place{
		{path: "skills"},
		{path: ".agents/skills"},
		{path: ".claude/skills"},
		{path: ".codex/skills"},
		{path: ".gemini/skills"},
		{path: ".opencode/skills", fromOne: true},
		{path: ".crush/skills"},
		{path: ".cursor/skills"},
		{path: ".pi/skills"},
		{path: ".github/skills"},
		{path: ".goose/skills"},
		{path: ".kiro/skills"},
		{path: ".windsurf/skills"},
		{path: ".roo/skills"},
		{path: ".qwen/skills"},
		{path: ".junie/skills"},
		{path: ".trae/skills"},
	}
}

func userPlaces() []place {
	return []place{
		{path: "react-agent/skills", config: true},
		{path: ".agents/skills"},
		{path: "agents/skills", config: true},
		{path: ".claude/skills"},
		{path: ".codex/skills"},
		{path: ".gemini/skills"},
		{path: "opencode/skills", config: true, fromOne: true},
		{path: "crush/skills", config: true},
		{path: ".pi/agent/skills"},
		{path: ".copilot/skills"},
	}
}

// The endings of commands.
const (
	markdown = ".md"
	toml     = ".toml"
)

func projectCommands() []place {
	return []place{
		{path: ".react-agent/commands", commands: markdown},
		{path: ".claude/commands", commands: markdown},
		{path: ".opencode/commands", commands: markdown, fromOne: true},
		{path: ".opencode/command", commands: markdown, fromOne: true},
		{path: ".gemini/commands", commands: toml},
	}
}

func userCommands() []place {
	return []place{
		{path: "react-agent/commands", config: true, commands: markdown},
		{path: ".claude/commands", commands: markdown},
		{path: "opencode/commands", config: true, commands: markdown, fromOne: true},
		{path: "opencode/command", config: true, commands: markdown, fromOne: true},
		{path: ".gemini/commands", commands: toml},
	}
}

// upTo lists dir and the directories above it, up to top.
func upTo(dir, top string) []string {
	if dir == "" {
		return nil
	}
	dir = filepath.Clean(dir)
	if top == "" || !inside(dir, top) {
		return []string{dir}
	}
	top = filepath.Clean(top)
	out := []string{dir}
	for dir != top && len(out) < 64 {
		dir = filepath.Dir(dir)
		out = append(out, dir)
	}
	return out
}

// inside says whether a path is dir or below it, by their text alone.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
