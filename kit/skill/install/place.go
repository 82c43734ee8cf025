package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"react-agent/internal/msg"
)

// Level says whose skills a place holds.
type Level string

// The levels.
const (
	Project Level = "project"
	User    Level = "user"
)

// In is the level in the catalogue's language.
func (l Level) In(c msg.Catalogue) string {
	if l == User {
		return c.Text(msg.ScopeUser)
	}
	return c.Text(msg.ScopeProject)
}

// Place is where skills are installed: a project's folder or a person's home.
type Place struct {
	Level Level
	// Dir is the folder that all of the place's skills are in, links resolved by nobody: the project's or the home.
	Dir string
	// Lock is the path of the lock file.
	Lock string
}

const (
	skillsDir   = ".agents/skills"
	projectLock = "skills-lock.json"
	userLock    = ".skill-lock.json"
)

// ProjectPlace is the place of the project in dir.
func ProjectPlace(dir string) Place {
	return Place{Level: Project, Dir: dir, Lock: filepath.Join(dir, projectLock)}
}

// UserPlace is the place of the person whose home it is. state is $XDG_STATE_HOME, empty if not set.
func UserPlace(home, state string) Place {
	lock := filepath.Join(home, ".agents", userLock)
	if state != "" {
		lock = filepath.Join(state, "skills", userLock)
	}
	return Place{Level: User, Dir: home, Lock: lock}
}

// Places are all that matter in a work directory: those of dir and of the folders above it up to top, then the person's.
// top may be empty (only dir), home too (nobody's).
func Places(dir, top, home, state string) []Place {
	var out []Place
	for d := filepath.Clean(dir); dir != "" && len(out) < 64; d = filepath.Dir(d) {
		if !Same(d, home) {
			out = append(out, ProjectPlace(d))
		}
		if top == "" || d == filepath.Clean(top) || d == filepath.Dir(d) || !inside(d, top) {
			break
		}
	}
	if home != "" {
		out = append(out, UserPlace(home, state))
	}
	return out
}

func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Skills is the folder that new skills go to.
func (p Place) Skills() string { return filepath.Join(p.Dir, filepath.FromSlash(skillsDir)) }

// folders are where skills of this place may lie: ours first, then those of other agents, with links or copies.
func (p Place) folders() []string {
	list := agentFolders()
	if p.Level == User {
		list = userFolders()
	}
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = filepath.Join(p.Dir, filepath.FromSlash(f))
	}
	return out
}

// agentFolders are the folders in a project where the agents that the npm program knows keep skills.
func agentFolders() []string {
	list := []string{skillsDir}
	for a := range strings.FieldsSeq(`claude cline codebuddy codex commandcode continue factory github goose grok iflow junie kilo
		kilocode kimchi kiro minimax mux neovate opencode openhands pi posit/assistant qoder roo trae windsurf zcode zencoder
		gemini crush cursor qwen`) {
		list = append(list, "."+a+"/skills")
	}
	return list
}

func userFolders() []string {
	return []string{
		skillsDir, ".config/react-agent/skills", ".config/agents/skills", ".claude/skills", ".codex/skills", ".gemini/skills",
		".config/opencode/skills", ".config/crush/skills", ".cursor/skills", ".copilot/skills", ".pi/agent/skills", ".qwen/skills",
	}
}

// Installed gives a func that says whether a skill's folder holds what a lock file of these places records, or what this
// program has put there: something that came from elsewhere. A person's lock files are read wherever they may be. They are
// read now, once; one that cannot be read makes every skill of its place count as installed. The func may be called from many goroutines.
func Installed(places []Place) func(path string) bool {
	known := map[string]bool{} // resolved folders
	up := &parents{}
	paths, whole := recorded(places)
	for _, path := range paths {
		known[up.resolved(path)] = true
	}
	if len(known) == 0 && len(whole) == 0 {
		return func(string) bool { return false }
	}
	for i, w := range whole {
		whole[i] = resolved(w)
	}
	return func(path string) bool {
		path = up.resolved(path)
		for _, w := range whole {
			if inside(path, w) {
				return true
			}
		}
		for p := path; ; p = filepath.Dir(p) {
			if known[p] {
				return true
			}
			if p == filepath.Dir(p) {
				return false
			}
		}
	}
}

// recorded are the paths that lock files and marks name, and the places whose lock file is there and cannot be understood.
func recorded(places []Place) (paths, whole []string) {
	for _, at := range places {
		for _, p := range at.known() {
			lock, err := readLock(p)
			if err != nil {
				whole = append(whole, p.folders()...)
				continue
			}
			paths = append(paths, lock.recorded()...)
		}
	}
	marks, err := readMarks(marksOf(places))
	if err != nil { // nobody knows what it said
		for _, p := range places {
			whole = append(whole, p.folders()...)
		}
	}
	return append(paths, marks...), whole
}

// recorded are the paths that the entries may stand for and that are there.
func (l *lockFile) recorded() (out []string) {
	dirs := l.place.folders()
	if l.place.Level == Project { // some agents keep theirs there; it is not ours to change
		dirs = append(dirs, filepath.Join(l.place.Dir, "skills"))
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		for _, e := range l.entries {
			for _, name := range folderNames(e.key) {
				path := filepath.Join(dir, name)
				if _, err := os.Lstat(path); err == nil {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// parents remember what folders resolve to: skills are beside each other.
type parents struct{ known sync.Map }

// resolved is [resolved].
func (p *parents) resolved(path string) string {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return resolved(path)
	}
	dir := filepath.Dir(path)
	at, ok := p.known.Load(dir)
	if !ok {
		at, _ = p.known.LoadOrStore(dir, resolved(dir))
	}
	s, _ := at.(string) // always one
	return filepath.Join(s, filepath.Base(path))
}

// resolved is a path with its links resolved, as far as that can be done.
func resolved(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}
