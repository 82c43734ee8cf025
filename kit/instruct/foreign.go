package instruct

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"react-agent/internal/msg"
)

// foreign says why a directory below the work directory, or what is above it up to there, is not the project's own although it
// is in its folder: nil, it is. Whoever trusted the project did not mean the orders of such a place.
func (s *Set) foreign(ctx context.Context, dir string) error {
	if err := vendored(dir); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil { // a folder, or the file of a submodule or work tree
		return msg.Errorf(msg.InstructRepo, filepath.Base(dir))
	}
	if s.o.Ignored == nil || len(files(dir)) == 0 {
		return nil
	}
	ignored, known := s.ignored.Load(dir)
	if !known {
		ignored = s.o.Ignored(ctx, dir)
		s.ignored.Store(dir, ignored)
	}
	if ignored == true {
		return msg.Errorf(msg.InstructIgnored)
	}
	return nil
}

// vendored says that a directory is by its name one where programs put the code of others.
func vendored(dir string) error {
	names := []string{
		"node_modules", "bower_components", "jspm_packages", ".yarn", ".pnpm-store", "vendor", "_vendor", "Godeps", "third_party",
		"third-party", "thirdparty", ".venv", "venv", "site-packages", "dist-packages", "__pypackages__", ".tox", "Pods", "Carthage",
		".bundle", ".cargo", ".gradle", ".m2", ".terraform", "elm-stuff",
	}
	if name := filepath.Base(dir); slices.Contains(names, name) {
		return msg.Errorf(msg.InstructVendored, name)
	}
	return nil
}

// files lists what standing orders are in a directory.
func files(dir string) (paths []string) {
	for _, name := range []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			paths = append(paths, path)
		}
	}
	if rules := filepath.Join(dir, ".claude", "rules"); len(paths) == 0 {
		if info, err := os.Stat(rules); err == nil && info.IsDir() {
			paths = append(paths, rules)
		}
	}
	return paths
}

// skipped tells once that the files of a directory are not used. why is nil when the project is not trusted.
func (s *Set) skipped(dir string, why error) {
	if s.o.Skipped == nil {
		return
	}
	for _, path := range files(dir) {
		if _, told := s.told.LoadOrStore(path, true); !told {
			s.o.Skipped(path, why)
		}
	}
}
