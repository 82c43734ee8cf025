package arch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestImports(t *testing.T) {
	report(t, importFaults(tree(t)))
}

// importFaults holds product code against the table; test files are free.
func importFaults(all []source) []string {
	var faults []string
	for _, s := range all {
		if s.test() {
			continue
		}
		r, ok := rowOf(s.pkg())
		if !ok {
			faults = append(faults, fmt.Sprintf("%s: package %s is in no row of the table: give it a place", s.path, s.pkg()))
			continue
		}
		for _, imp := range s.imports() {
			if why := r.refuses(s.pkg(), imp); why != "" {
				faults = append(faults, fmt.Sprintf("%s imports %q: %s", s.path, imp, why))
			}
		}
	}
	return faults
}

func rowOf(pkg string) (row, bool) {
	for _, r := range table() {
		for _, pattern := range r.pkgs {
			if matches(pattern, pkg, "") {
				return r, true
			}
		}
	}
	return row{}, false
}

// refuses says why a package may not import something, or nothing.
func (r row) refuses(self, imp string) string {
	if imp == "C" {
		return "no cgo: the binary is static"
	}
	if inner, ours := strings.CutPrefix(imp, module()+"/"); ours {
		if slices.ContainsFunc(r.may, func(p string) bool { return matches(p, inner, self) }) {
			return ""
		}
		return self + " may import only " + list(r.may)
	}
	first, _, _ := strings.Cut(imp, "/")
	if !strings.Contains(first, ".") { // the standard library has no dot there
		return ""
	}
	if slices.ContainsFunc(r.link, func(m string) bool { return under(imp, m) }) {
		return ""
	}
	return self + " may link only " + list(r.link)
}

func list(names []string) string {
	if len(names) == 0 {
		return "the standard library"
	}
	return strings.Join(names, ", ")
}

func TestPlantedImportsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, file, imp string
		fault           string // part of it, "" = allowed
	}{
		{"kernel, third party", "agent/x.go", "github.com/tidwall/gjson", "agent may link only the standard library"},
		{"kernel, our own", "agent/x.go", "react-agent/internal/text", "agent may import only the standard library"},
		{"kernel, standard", "agent/x.go", "net/http", ""},
		{"kernel's tests", "agent/x_test.go", "pgregory.net/rapid", ""},
		{"kernel on another system", "agent/x_windows.go", "golang.org/x/sys/windows", "agent may link only"},
		{"feature to feature", "kit/guard/x.go", "react-agent/kit/policy", "kit/guard may import only"},
		{"feature to its own tree", "kit/guard/x.go", "react-agent/kit/guard/deep", ""},
		{"feature's part to the feature", "kit/skill/install/x.go", "react-agent/kit/skill", ""},
		{"feature's part to another feature", "kit/skill/install/x.go", "react-agent/kit/policy", "kit/skill/install may import only"},
		{"feature's part links what is the feature's", "kit/skill/install/x.go", "github.com/goccy/go-yaml", "kit/skill/install may link only"},
		{"feature to engine", "kit/todo/x.go", "react-agent/engine", "kit/todo may import only"},
		{"feature links what is its own", "kit/policy/x.go", "mvdan.cc/sh/v3/syntax", ""},
		{"feature links what is another's", "kit/guard/x.go", "mvdan.cc/sh/v3/syntax", "kit/guard may link only"},
		{"feature that reads YAML", "kit/profile/x.go", "react-agent/internal/yaml", ""},
		{"feature that does not", "kit/guard/x.go", "react-agent/internal/yaml", "kit/guard may import only"},
		{"YAML in one place", "internal/config/x.go", "go.yaml.in/yaml/v4", "internal/config may link only"},
		{"wire to wire", "provider/completions/x.go", "react-agent/provider/offline", "provider/completions may import only"},
		{"wire to what wires share", "provider/completions/x.go", "react-agent/provider/wire", ""},
		{"wire to its parent", "provider/completions/x.go", "react-agent/provider", "provider/completions may import only"},
		{"parent to wire", "provider/x.go", "react-agent/provider/completions", ""},
		{"store to agent", "store/disk/x.go", "react-agent/agent", "store/disk may import only store"},
		{"engine to provider", "engine/x.go", "react-agent/provider", "engine may import only"},
		{"front end to feature", "internal/cli/x.go", "react-agent/kit/guard", "internal/cli may import only"},
		{"front end to front end", "server/native/x.go", "react-agent/client", "server/native may import only"},
		{"front end to a store", "client/x.go", "react-agent/store/disk", "client may import only"},
		{"gin elsewhere", "server/native/x.go", "github.com/gin-gonic/gin", "server/native may link only"},
		{"gin at home", "server/x.go", "github.com/gin-gonic/gin", ""},
		{"module with a longer name", "server/x.go", "github.com/gin-gonic/ginx", "server may link only"},
		{"app", "internal/app/x.go", "react-agent/kit/guard", ""},
		{"app is no place for libraries", "internal/app/x.go", "github.com/gin-gonic/gin", "internal/app may link only"},
		{"cgo", "internal/app/x.go", "C", "no cgo"},
		{"a new folder", "util/x.go", "fmt", "package util is in no row"},
		{"layer one upwards", "internal/text/x.go", "react-agent/agent", "internal/text may import only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := plant(t, map[string]string{c.file: "package p\n\nimport _ \"" + c.imp + "\"\n"})
			all, err := readTree(dir)
			if err != nil {
				t.Fatal(err)
			}
			wantFault(t, importFaults(all), c.fault)
		})
	}
}

// wantFault expects exactly one fault that has the text, or none.
func wantFault(t *testing.T, faults []string, part string) {
	t.Helper()
	switch {
	case part == "" && len(faults) > 0:
		t.Errorf("unexpected: %s", faults)
	case part != "" && (len(faults) != 1 || !strings.Contains(faults[0], part)):
		t.Errorf("got %q, want one fault with %q", faults, part)
	}
}
