package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// environment is that of a command, without what leads outside, and with caches that it can write. own says that it has a
// /tmp of its own.
func (s *Sandbox) environment(env []string, own bool) []string {
	hide := hiddenVars()
	temp := ""
	if own {
		temp = "/tmp"
	}
	set := map[string]string{}
	for _, c := range cacheVars() {
		switch {
		case s.o.Cache != "":
			set[c] = filepath.Join(s.o.Cache, strings.ToLower(c))
		case own:
			set[c] = filepath.Join("/tmp/.cache", strings.ToLower(c))
		}
	}
	out := make([]string, 0, len(env)+len(set))
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case slices.Contains(hide, name):
			continue
		case own && (name == "TMPDIR" || name == "TMP" || name == "TEMP"):
			v = name + "=" + temp
		case set[name] != "":
			if s.writable(value) {
				delete(set, name)
			} else {
				continue
			}
		}
		out = append(out, v)
	}
	for _, c := range cacheVars() {
		if set[c] != "" {
			out = append(out, c+"="+set[c])
		}
	}
	return out
}

// writable reports whether the person has named a place around path as writable, or it lies in the work directory.
func (s *Sandbox) writable(path string) bool {
	path = resolved(path)
	for _, w := range append([]string{s.root}, s.o.Write...) {
		w = resolved(expand(w, s.home))
		if path == w || within(path, w) {
			return true
		}
	}
	return false
}

// cacheVars name the caches of tools that give up when they cannot write them. Each is sent to a directory of its own.
func cacheVars() []string {
	return []string{"GOCACHE", "npm_config_cache", "UV_CACHE_DIR", "YARN_CACHE_FOLDER", "CCACHE_DIR"}
}
