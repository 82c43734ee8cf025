package skill

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"react-agent/internal/msg"
)

//go:embed scaffold
var scaffold embed.FS

// Scaffold makes a skill to begin with in dir/name, and dir if it is not there: SKILL.md for one that is a text, or a small
// pipeline that already runs. It gives the paths of the files. What is there is never touched: an existing dir/name is an
// error, and so is a name that not every program takes.
func Scaffold(dir, name string, pipeline bool) ([]string, error) {
	if want := portable(name); name != want {
		return nil, msg.Errorf(msg.NewName, name, want)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // skills are for everybody to read, like sources
		return nil, fmt.Errorf("skill new: %w", err)
	}
	to := filepath.Join(dir, name)
	if err := os.Mkdir(to, 0o755); err != nil { //nolint:gosec // see above
		if errors.Is(err, fs.ErrExist) {
			return nil, msg.Errorf(msg.NewExists, to)
		}
		return nil, fmt.Errorf("skill new: %w", err)
	}
	files, err := fill(to, name, pipeline)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("skill new: %w", err), os.RemoveAll(to)) // it is ours: Mkdir has made it
	}
	return files, nil
}

// portable makes a name that every program takes of one that is not: of a to z, digits and single hyphens.
func portable(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '-'
		}
		return r
	}, name)
	return strings.TrimRight(proper(ascii)[:min(len(proper(ascii)), maxName)], "-")
}

// fill writes the files of a kind of skill.
func fill(to, name string, pipeline bool) ([]string, error) {
	kind := "scaffold/single"
	if pipeline {
		kind = "scaffold/pipeline"
	}
	var files []string
	err := fs.WalkDir(scaffold, kind, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == kind {
			return err
		}
		file := filepath.Join(to, filepath.FromSlash(strings.TrimPrefix(p, kind+"/")))
		if d.IsDir() {
			return os.Mkdir(file, 0o755) //nolint:gosec // see above
		}
		data, err := scaffold.ReadFile(p)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Dir(p) == kind+"/scripts" {
			mode = 0o755
		}
		files = append(files, file)
		return os.WriteFile(file, []byte(strings.ReplaceAll(string(data), "@NAME@", name)), mode)
	})
	return files, err
}

// template says of what a new skill begins with that it is still there.
func (x *linter) template(file string, f fields, first int, body string) {
	words := func(v value) string { return strings.Join(strings.Fields(v.flat()), " ") }
	said, line := f.get("description")
	for _, kind := range []string{"single", "pipeline"} {
		data, err := scaffold.ReadFile("scaffold/" + kind + "/" + fileName)
		if err != nil {
			continue // it is built in
		}
		text := strings.ReplaceAll(string(data), "@NAME@", x.skill.Name)
		d := split(text)
		original := parse(file, text).fields
		if given, _ := original.get("description"); words(said) == words(given) {
			x.note(TemplateText, Hint, file, line, msg.Errorf(msg.LintTemplateDescription), msg.Errorf(msg.LintFixTemplateDescription))
		}
		if slices.Equal(strings.Fields(body), strings.Fields(text[d.body:])) {
			x.note(TemplateText, Hint, file, first, msg.Errorf(msg.LintTemplateBody), msg.Errorf(msg.LintFixEmpty))
		}
	}
}
