package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"react-agent/internal/msg"
)

// FileName is the name of settings files, in the work directory and in the user's configuration directory.
const FileName = "config.yaml"

// Load gathers the settings. Its error is one of configuration (exit 2): an [*UntrustedError] when the person has to be
// asked, else [ProblemsError], everything that is wrong, one line each. That no model can be reached is no error here, because
// many commands need none: ask [Config.Ready].
func Load(s Source) (*Config, error) {
	l := &loader{src: s, c: &Config{origins: map[string]Origin{}}, hashes: map[string]string{}}
	c := l.c
	c.Trust = isTrue(s.Flags["trust"])
	c.rest.environ = s.Environ
	l.defaults()
	l.environment()
	l.workDir()
	dotenv := l.dotEnv()
	l.files()
	l.setVars(dotenv)
	l.setVars(l.vars)
	l.flags()
	l.paths()
	l.language()
	l.resolve()
	l.checkEmbeddings()
	l.collectSecrets()
	if len(l.problems) > 0 {
		return nil, ProblemsError(l.problems)
	}
	if err := l.untrusted(); err != nil {
		return nil, err
	}
	return c, nil
}

func isTrue(s string) bool {
	ok, err := text(s, Origin{}).boolean()
	return err == nil && ok
}

// defaults are the few that no profile and no other part decides.
func (l *loader) defaults() {
	l.c.Profile, l.c.Durability, l.c.ToolMode, l.c.Listen = "lean", "disk", "native", "127.0.0.1:8080"
	l.c.Log.Level, l.c.Log.Format = "info", "text"
	for _, key := range []string{"profile", "durability", "tool_mode", "listen", "log.level", "log.format"} {
		l.c.origins[key] = Origin{Layer: LayerDefault}
	}
}

// workDir finds the work directory: --cwd, WORKDIR, where the process was started. (.env may move it once more.)
func (l *loader) workDir() {
	l.c.WorkDir = l.src.WorkDir
	l.c.origins["workdir"] = Origin{Layer: LayerDefault}
	if dir := l.src.Flags["cwd"]; dir != "" {
		l.moveTo(dir, Origin{Layer: LayerFlag, Name: "cwd"})
	} else if v, ok := l.vars["WORKDIR"]; ok {
		l.moveTo(v.value, v.origin)
	}
}

func (l *loader) moveTo(dir string, o Origin) {
	dir = l.absolute(dir, l.c.WorkDir)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "chdir", Path: dir, Err: errors.New("not a directory")}
	}
	if err != nil {
		l.fail(msg.Errorf(msg.ConfigWorkDir, o, err))
		return
	}
	l.c.WorkDir, l.c.origins["workdir"] = dir, o
}

// absolute resolves a path a person wrote: ~ is the home directory.
func (l *loader) absolute(path, base string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home := Getenv(l.src.Environ, "HOME"); home != "" {
			path = filepath.Join(home, path[1:])
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return filepath.Clean(path)
}

// files applies the user's file, then the project's, or the one that was named instead of it.
func (l *loader) files() {
	if l.src.NoFiles {
		return
	}
	project := filepath.Join(l.c.WorkDir, FileName)
	user := l.userFile()
	if user != "" {
		l.file(user, LayerUser, false)
	}
	if named, o := l.namedFile(); named != "" {
		l.named(named, o)
	} else if project != user {
		l.file(project, LayerProject, true)
	}
}

// userFile is the path of the user's config.yaml, or "" without a home.
func (l *loader) userFile() string {
	dir := l.src.UserConfigDir
	if dir == "" {
		dirs, err := FindDirs(l.src.Environ)
		if err != nil {
			return ""
		}
		dir = dirs.Config
	}
	return filepath.Join(dir, FileName)
}

func (l *loader) namedFile() (string, Origin) {
	if f := l.src.Flags["config"]; f != "" {
		return l.absolute(f, l.src.WorkDir), Origin{Layer: LayerFlag, Name: "config"}
	}
	if v, ok := l.vars[prefix+"CONFIG"]; ok {
		return l.absolute(v.value, l.src.WorkDir), v.origin
	}
	return "", Origin{}
}

// named reads a file that the person chose; to name it is to trust it, and it has to be there.
func (l *loader) named(path string, o Origin) {
	data, err := os.ReadFile(path)
	if err != nil {
		l.fail(msg.Errorf(msg.ConfigNoFile, o, err))
		return
	}
	n, err := parseYAML(data, Origin{Layer: LayerUser, File: path})
	if err != nil {
		l.fail(err)
		return
	}
	l.apply(l.c.fields(), n, "")
}

// file reads a file that may be absent. foreign: it may belong to another program.
func (l *loader) file(path string, layer Layer, foreign bool) {
	data, err := os.ReadFile(path)
	if absent(err) {
		return
	}
	if err != nil {
		l.fail(msg.Errorf(msg.ConfigUnreadable, err))
		return
	}
	origin := Origin{Layer: layer, File: path}
	n, err := parseYAML(data, origin)
	if err != nil {
		l.fail(err)
		return
	}
	if foreign {
		l.hash(path, data)
		if l.isForeign(n) {
			l.ignore(FileName, at(origin, 1), msg.Errorf(msg.ConfigForeign))
			return
		}
	}
	l.apply(l.c.fields(), n, "")
}

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (l *loader) hash(path string, data []byte) {
	sum := sha256.Sum256(data)
	l.hashes[path] = hex.EncodeToString(sum[:])
}

// isForeign tells a config.yaml of another program: not one key is ours, was once ours, or looks like a misspelt one. A key
// called server is everybody's: what stands in it tells. One of the keys there has to be ours; where they look like misspelt
// ones, as host does, all of them have to, and nothing else may stand in the file.
func (l *loader) isForeign(n node) bool {
	names := keysOf(l.c.fields())
	names = slices.DeleteFunc(names, func(key string) bool { return key == "server" })
	own := keysOf(l.c.Server.fields())
	for _, e := range n.keys {
		in := e.value.keys
		switch {
		case e.key != "server":
			if oldKey(e.key) != "" || slices.Contains(names, e.key) || Nearest(e.key, names) != "" {
				return false
			}
		case slices.ContainsFunc(in, func(x entry) bool { return slices.Contains(own, x.key) }),
			len(n.keys) == 1 && len(in) > 0 && !slices.ContainsFunc(in, func(x entry) bool { return Nearest(x.key, own) == "" }):
			return false
		}
	}
	return len(n.keys) > 0
}

// language settles which language is spoken.
func (l *loader) language() { l.c.Language = pick(l.c.Lang, l.src.Environ) }

// paths makes the paths among the settings absolute: those of a file are meant from where it stands, others from where
// the process was started.
func (l *loader) paths() {
	fix := func(key string, p *string) {
		if *p == "" {
			return
		}
		base := l.src.WorkDir
		if o := l.c.origins[key]; o.File != "" {
			base = filepath.Dir(o.File)
		}
		*p = l.absolute(*p, base)
	}
	fix("state_dir", &l.c.StateDir)
	fix("log.file", &l.c.Log.File)
	for i := range l.c.Skills.Paths {
		fix("skills.paths", &l.c.Skills.Paths[i])
	}
}

// untrusted is the error that names what waits for trust. A value that a stronger layer replaced does not count.
func (l *loader) untrusted() error {
	var items []Untrusted
	for _, g := range l.guarded {
		if g.still != nil && !g.still(l.c) {
			continue
		}
		if g.adds || l.c.origins[g.key] == g.origin {
			u := Untrusted{File: g.origin.File, Line: g.origin.Line, Key: g.key, SHA256: l.hashes[g.origin.File]}
			u.Value, u.More = preview(g.key, g.value)
			items = append(items, u)
		}
	}
	if len(items) == 0 {
		return nil
	}
	slices.SortStableFunc(items, func(a, b Untrusted) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return &UntrustedError{Items: items}
}
