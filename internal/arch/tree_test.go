package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the top of the repository, seen from this package's folder.
const root = "../.."

// source is one parsed Go file; path is slash-separated, from the top.
type source struct {
	path string
	ast  *ast.File
	fset *token.FileSet
}

func (s source) pkg() string { return path.Dir(s.path) }
func (s source) test() bool  { return strings.HasSuffix(s.path, "_test.go") }
func (s source) imports() []string {
	var out []string
	for _, i := range s.ast.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

func (s source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// readTree parses every Go file below dir, whatever its build tags say. Folders with a go.mod of their own, testdata and
// names that the go command ignores are left out.
func readTree(dir string) ([]source, error) {
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipFolder(dir, p)
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(fset, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		all = append(all, source{path: filepath.ToSlash(rel), ast: file, fset: fset})
		return err
	})
	return all, err
}

func skipFolder(dir, p string) error {
	if p == dir {
		return nil
	}
	name := filepath.Base(p)
	_, err := os.Stat(filepath.Join(p, "go.mod"))
	if err == nil || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return filepath.SkipDir
	}
	return nil
}

func tree(t *testing.T) []source {
	t.Helper()
	all, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("found only %d files below %s", len(all), root)
	}
	return all
}

// packages lists the folders that have product code.
func packages(all []source) []string {
	var out []string
	for _, s := range all {
		if !s.test() {
			out = append(out, s.pkg())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// plant writes a small tree for a test of a test.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func report(t *testing.T, faults []string) {
	t.Helper()
	for _, f := range faults {
		t.Error(f)
	}
}
