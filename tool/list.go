package tool

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
)

//go:embed list_dir.md
var listDoc string

type listArgs struct {
	Path string `json:"path,omitempty" doc:"default ."`
}

// ListDir makes the tool that lists a directory by name: directories end in a slash, links show where they lead.
func ListDir(e Env) agent.Tool {
	e = e.withDefaults()
	return agent.NewTool("list_dir", strings.TrimSpace(listDoc), agent.Reads,
		func(_ context.Context, a listArgs) (agent.Result, error) {
			s, err := e.list(a)
			if err != nil {
				return e.readFailed(err), nil
			}
			return agent.TextResult(s), nil
		})
}

func (e Env) list(a listArgs) (string, error) {
	if a.Path == "" {
		a.Path = "."
	}
	p, err := e.locate(a.Path)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(p.real)
	if err != nil {
		return "", err
	}
	if e.Texts.Files != "" || e.Texts.Dirs != "" {
		return e.twoLines(p.real, entries), nil
	}
	lines := make([]string, 0, len(entries))
	for _, d := range entries {
		lines = append(lines, entry(p.real, d))
	}
	if len(lines) == 0 {
		return "(empty)", nil
	}
	return text.Cut(strings.Join(lines, "\n"), e.Cut, ""), nil
}

func entry(dir string, d fs.DirEntry) string {
	name := text.Clean([]byte(strings.ReplaceAll(d.Name(), "\n", `\n`)))
	switch {
	case d.IsDir():
		return name + "/"
	case d.Type()&fs.ModeSymlink != 0:
		if to, err := os.Readlink(filepath.Join(dir, d.Name())); err == nil {
			return name + " -> " + text.Clean([]byte(to))
		}
	}
	return name
}

// twoLines is the form of the mini face. A link counts as what it leads to.
func (e Env) twoLines(dir string, entries []fs.DirEntry) string {
	var files, dirs []string
	for _, d := range entries {
		name := text.Clean([]byte(d.Name()))
		if info, err := os.Stat(filepath.Join(dir, d.Name())); err == nil && info.IsDir() {
			dirs = append(dirs, name)
		} else {
			files = append(files, name)
		}
	}
	s := fmt.Sprintf(e.Texts.Files, strings.Join(files, ", ")) + "\n" + fmt.Sprintf(e.Texts.Dirs, strings.Join(dirs, ", "))
	return text.Cut(s, e.Cut, "")
}
