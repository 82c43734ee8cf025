package app

import (
	"path/filepath"

	"react-agent/internal/config"
	"react-agent/kit/skill/install"
)

// installed tells which skills were brought here from elsewhere, by the lock files: their commands are never run.
func (p *product) installed(root string) func(path string) bool {
	return install.Installed(p.installPlaces(root))
}

// installPlaces are where skills from elsewhere are, for a work directory.
func (p *product) installPlaces(root string) []install.Place {
	var known [2]string
	for i, name := range []string{"HOME", "XDG_STATE_HOME"} {
		if value := config.Getenv(p.o.Env, name); filepath.IsAbs(value) {
			known[i] = value
		}
	}
	return install.Places(root, p.c.Project(), known[0], known[1])
}
