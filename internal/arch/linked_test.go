package arch

import (
	"bufio"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

func TestSlowStartersAreNotLinked(t *testing.T) {
	w, err := newWalker(root, modCache())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.walk(module()+"/cmd/react-agent", nil); err != nil {
		t.Fatal(err)
	}
	if !w.seen[module()+"/agent"] || !w.seen["github.com/tidwall/gjson"] {
		t.Error("the walk did not even reach the kernel and gjson: it sees nothing")
	}
	report(t, w.faults)
}

// modCache is where the go command keeps the sources of modules.
func modCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	first := filepath.SplitList(build.Default.GOPATH)[0]
	return filepath.Join(first, "pkg", "mod")
}

// walker follows imports from one package through this module and the module cache, as a build for this machine would.
type walker struct {
	root, cache string
	modules     map[string]string // path to version, from go.mod
	build       build.Context
	seen        map[string]bool
	faults      []string
}

func newWalker(root, cache string) (*walker, error) {
	mods, err := readMod(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	ctx := build.Default
	ctx.CgoEnabled = false
	ctx.BuildTags = []string{"nomsgpack"}
	return &walker{root: root, cache: cache, modules: mods, build: ctx, seen: map[string]bool{}}, nil
}

// readMod lists the modules that go.mod requires. Since Go 1.17 these are all that the build needs.
func readMod(name string) (map[string]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mods := map[string]string{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line, _, _ := strings.Cut(sc.Text(), "//")
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) == 2 && strings.HasPrefix(fields[1], "v") {
			mods[fields[0]] = fields[1]
		}
	}
	return mods, sc.Err()
}

// walk visits a package; trail says through whom it is linked.
func (w *walker) walk(pkg string, trail []string) error {
	if w.seen[pkg] {
		return nil
	}
	w.seen[pkg] = true
	trail = append(slices.Clone(trail), pkg)
	for slow, why := range neverLinked() {
		if under(pkg, slow) || strings.HasPrefix(pkg, slow+"/v") {
			w.faults = append(w.faults, fmt.Sprintf("%s is linked (%s): %s", pkg, why, strings.Join(trail, " > ")))
			return nil
		}
	}
	dir, err := w.dir(pkg)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(trail, " > "), err)
	}
	imports, err := w.imports(dir)
	if err != nil {
		return err
	}
	for _, imp := range imports {
		first, _, _ := strings.Cut(imp, "/")
		if !strings.Contains(first, ".") && first != module() {
			continue // standard library
		}
		if err := w.walk(imp, trail); err != nil {
			return err
		}
	}
	return nil
}

// dir finds a package's folder: here, or in the module with the longest fitting path.
func (w *walker) dir(pkg string) (string, error) {
	if under(pkg, module()) {
		return filepath.Join(w.root, filepath.FromSlash(strings.TrimPrefix(pkg, module()))), nil
	}
	best := ""
	for m := range w.modules {
		if under(pkg, m) && len(m) > len(best) {
			best = m
		}
	}
	if best == "" {
		return "", errors.New("go.mod names no module for it")
	}
	return filepath.Join(w.cache, escape(best)+"@"+escape(w.modules[best]), filepath.FromSlash(strings.TrimPrefix(pkg, best))), nil
}

// escape writes capital letters as the module cache does: !c.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (w *walker) imports(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		match, err := w.build.MatchFile(dir, name)
		if err != nil {
			return nil, err
		}
		if !match {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, i := range file.Imports {
			if p, err := strconv.Unquote(i.Path.Value); err == nil && p != "C" {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

func TestPlantedSlowStarterIsFound(t *testing.T) {
	const mod = "module react-agent\n\ngo 1.26\n\nrequire github.com/Some/lib/v2 v2.0.1\n\nrequire (\n\tgithub.com/alecthomas/chroma/v2 v2.27.0 // indirect\n)\n"
	cache := plant(t, map[string]string{
		"github.com/!some/lib/v2@v2.0.1/sub/a.go":                  "package sub\n\nimport _ \"github.com/alecthomas/chroma/v2\"\n",
		"github.com/!some/lib/v2@v2.0.1/sub/ignored_windows.go":    "package sub\n\nimport _ \"github.com/none/such\"\n",
		"github.com/!some/lib/v2@v2.0.1/slow/a.go":                 "package slow\n\nimport _ \"github.com/alecthomas/chroma/v2/lexers\"\n",
		"github.com/alecthomas/chroma/v2@v2.27.0/chroma.go":        "package chroma\n",
		"github.com/alecthomas/chroma/v2@v2.27.0/lexers/lexers.go": "package lexers\n",
	})
	for imp, want := range map[string]string{
		"github.com/Some/lib/v2/sub":  "",
		"github.com/Some/lib/v2/slow": "react-agent/cmd/react-agent > github.com/Some/lib/v2/slow > github.com/alecthomas/chroma/v2/lexers",
	} {
		dir := plant(t, map[string]string{
			"go.mod":                  mod,
			"cmd/react-agent/main.go": "package main\n\nimport _ \"" + imp + "\"\n",
		})
		w, err := newWalker(dir, cache)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.walk(module()+"/cmd/react-agent", nil); err != nil {
			t.Fatal(err)
		}
		wantFault(t, w.faults, want)
	}
}
