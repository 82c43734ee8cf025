package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// app is the product's name in the file system.
const app = "react-agent"

// Environment is the process's environment and working directory, read once at the start.
func Environment() (environ []string, workDir string, err error) {
	workDir, err = os.Getwd()
	return os.Environ(), workDir, err
}

// Getenv finds a variable in an environment; of equal names the last counts.
func Getenv(environ []string, name string) string {
	for _, e := range slices.Backward(environ) {
		if n, v, ok := strings.Cut(e, "="); ok && n == name {
			return v
		}
	}
	return ""
}

// Language is the language to speak before any file is read: flag --lang, REACT_AGENT_LANG, then the locale. A wrong
// name is reported by [Load].
func Language(s Source) msg.Lang {
	chosen := s.Flags["lang"]
	if chosen == "" {
		chosen = Getenv(s.Environ, prefix+"LANG")
	}
	return pick(chosen, s.Environ)
}

func pick(chosen string, environ []string) msg.Lang {
	lang, _ := msg.Pick(chosen, Getenv(environ, "LC_ALL"), Getenv(environ, "LC_MESSAGES"), Getenv(environ, "LANG"))
	return lang
}

// Dirs are the product's directories under the XDG base directories, absolute.
type Dirs struct {
	Config string // config.yaml
	State  string // one directory per project, and user/
}

// FindDirs finds the directories from the environment; none is created. A relative XDG directory does not count, as its
// standard says.
func FindDirs(environ []string) (Dirs, error) {
	home := Getenv(environ, "HOME")
	if home == "" {
		home = Getenv(environ, "USERPROFILE")
	}
	base := func(name string, under ...string) (string, error) {
		if dir := Getenv(environ, name); filepath.IsAbs(dir) {
			return filepath.Join(dir, app), nil
		}
		if !filepath.IsAbs(home) {
			return "", msg.Errorf(msg.ConfigNoHome, name)
		}
		return filepath.Join(append(append([]string{home}, under...), app)...), nil
	}
	config, err := base("XDG_CONFIG_HOME", ".config")
	if err != nil {
		return Dirs{}, err
	}
	state, err := base("XDG_STATE_HOME", ".local", "state")
	return Dirs{Config: config, State: state}, err
}

// State is the directory of this project's state: state_dir as given, else NAME-HASH8 of the resolved git root, or of
// the work directory outside of git, under the XDG state directory. It is not created.
func (c *Config) State() (string, error) {
	if c.StateDir != "" {
		return c.StateDir, nil
	}
	dirs, err := FindDirs(c.rest.environ)
	if err != nil {
		return "", err
	}
	return filepath.Join(dirs.State, projectName(c.WorkDir)), nil
}

// UserState is the directory of state that belongs to the person, not to a project. It is not created.
func (c *Config) UserState() (string, error) { return UserState(c.rest.environ) }

// UserState is the same before anything is loaded, for the record of trust.
func UserState(environ []string) (string, error) {
	dirs, err := FindDirs(environ)
	return filepath.Join(dirs.State, "user"), err
}

// Project is the root of the project, links resolved: of the git repository, or the work directory outside of git. A home
// directory that is a repository itself is not the project of what lies in it: that may come from anybody.
func (c *Config) Project() string { return c.ProjectOf(c.WorkDir) }

// ProjectOf is the same for any directory.
func (c *Config) ProjectOf(dir string) string {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	top := GitRoot(dir)
	for _, name := range []string{"HOME", "USERPROFILE"} {
		home := Getenv(c.rest.environ, name)
		if resolved, err := filepath.EvalSymlinks(home); err == nil && home != "" {
			home = resolved
		}
		if home == top {
			return dir
		}
	}
	return top
}

// GitRoot is the root of the git repository around a directory, links resolved; outside of git, the directory itself.
func GitRoot(workDir string) string {
	if resolved, err := filepath.EvalSymlinks(workDir); err == nil {
		workDir = resolved
	}
	for dir := workDir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return workDir
		}
	}
}

// projectName is base name and hash of the project's root.
func projectName(workDir string) string {
	root := GitRoot(workDir)
	sum := sha256.Sum256([]byte(root))
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, filepath.Base(root))
	if r := []rune(name); len(r) > 40 {
		name = string(r[:40])
	}
	return name + "-" + hex.EncodeToString(sum[:4])
}
