package tool

import (
	"encoding/json"

	"react-agent/agent"
)

// Path is one file or directory that a call touches.
type Path struct {
	Given  string // as it stands in the call
	Real   string // absolute, without links: what is read or written
	Inside bool   // Real is in the work directory
	Writes bool   // it may be changed, made or removed
}

// Paths tells what files and directories a call of this package's file tools touches, in the order of the call. The
// arguments must be checked and under our names. Of list_dir, grep and glob it is where they begin; of run_script it is
// the script: what that does in its turn nobody can tell, which is what [agent.Executes] says. ok is false when the tool
// is none of these, and when a path leads nowhere, so that the call will fail.
//
// The answer holds for the moment: the tools look again, as late as they can, before they write.
func Paths(e Env, t agent.Tool, c agent.Call) (paths []Path, ok bool) {
	given, writes, ok := givenPaths(t.Name, c.Args)
	if !ok {
		return nil, false
	}
	for _, g := range given {
		p, err := e.resolve(g)
		if err != nil {
			return nil, false
		}
		paths = append(paths, Path{Given: g, Real: p.real, Inside: p.inside, Writes: writes})
	}
	return paths, len(paths) > 0
}

// givenPaths lists the paths in the arguments of a tool.
func givenPaths(tool string, raw json.RawMessage) (given []string, writes, ok bool) {
	var a struct {
		Path  string `json:"path"`
		Patch string `json:"patch"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, false, false
	}
	switch tool {
	case "read_file", "run_script":
		return []string{a.Path}, false, true
	case "list_dir", "grep", "glob":
		if a.Path == "" {
			a.Path = "."
		}
		return []string{a.Path}, false, true
	case "write_file", "edit_file", "multi_edit":
		return []string{a.Path}, true, true
	case "apply_patch":
		files, err := parsePatch(a.Patch)
		for _, f := range files {
			given = append(given, f.path)
			if f.to != "" {
				given = append(given, f.to)
			}
		}
		return given, true, err == nil
	}
	return nil, false, false
}
