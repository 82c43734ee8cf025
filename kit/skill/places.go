package skill

import "path/filepath"

// Places are the roots where agents keep skills, first those that win: the project's own, from dir up to top, then the
// person's in home. top is the top of the project; empty or not above dir: only dir itself is looked at. An empty dir or
// home has none. config is the person's directory for settings, empty is home/.config.
func Places(dir, top, home, config string) []Root {
	var out []Root
	dirs := upTo(dir, top)
	for _, d := range dirs {
		for _, p := range projectPlaces() {
			within := dirs[len(dirs)-1]
			out = append(out, Root{Path: filepath.Join(d, p.path), Scope: Project, Within: within, FromOne: p.fromOne})
		}
	}
	if home == "" {
		return out
	}
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	for _, p := range userPlaces() {
		path := filepath.Join(home, p.path)
		if p.config {
			path = filepath.Join(config, p.path)
		}
		out = append(out, Root{Path: path, Scope: User, FromOne: p.fromOne})
	}
	return out
}

type place struct {
	path    string // with slashes
	fromOne bool
	config  bool // below the directory for settings
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
