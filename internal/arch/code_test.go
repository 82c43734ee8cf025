package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestCodeRules(t *testing.T) {
	report(t, codeFaults(tree(t)))
}

// codeFaults holds what can be seen in one file, and that every package has its manual.
func codeFaults(all []source) []string {
	var faults []string
	documented := map[string]bool{}
	for _, s := range all {
		if s.test() {
			faults = append(faults, testFaults(s)...)
			continue
		}
		if s.ast.Doc != nil && len(strings.Fields(s.ast.Doc.Text())) > 5 {
			documented[s.pkg()] = true
		}
		faults = append(faults, productFaults(s)...)
	}
	for _, p := range packages(all) {
		if !documented[p] {
			faults = append(faults, p+": the package has no doc comment: say what it is for and how it is used")
		}
	}
	return faults
}

func productFaults(s source) []string {
	var faults []string
	for _, d := range s.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "init" && d.Recv == nil {
				faults = append(faults, s.at(d)+": no init: what happens at start stands in main and app")
			}
			if d.Name.IsExported() && receiverExported(d) && d.Doc == nil {
				faults = append(faults, fmt.Sprintf("%s: %s has no comment", s.at(d), d.Name.Name))
			}
		case *ast.GenDecl:
			faults = append(faults, declFaults(s, d)...)
		}
	}
	return faults
}

func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			exported = exported || id.IsExported()
			return false
		}
		return true
	})
	return exported
}

// declFaults wants a comment on exported types, constants and variables; in a group, one for the group will do.
func declFaults(s source, d *ast.GenDecl) []string {
	if d.Doc != nil || d.Tok == token.IMPORT {
		return nil
	}
	var faults []string
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && spec.Doc == nil {
				faults = append(faults, fmt.Sprintf("%s: type %s has no comment", s.at(spec), spec.Name.Name))
			}
		case *ast.ValueSpec:
			if spec.Names[0].IsExported() && spec.Doc == nil && spec.Comment == nil {
				faults = append(faults, fmt.Sprintf("%s: %s has no comment", s.at(spec), spec.Names[0].Name))
			}
		}
	}
	return faults
}

// testFaults: a test waits for the event, and says why it skips. "needs X" is something that .ci/run installs, and there
// the test may not skip; "not here: X" is something that this machine cannot do.
func testFaults(s source) []string {
	var faults []string
	fakeTime := slices.Contains(s.imports(), "testing/synctest")
	ast.Inspect(s.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		recv, _ := sel.X.(*ast.Ident)
		switch sel.Sel.Name {
		case "Sleep":
			if recv != nil && recv.Name == "time" && !fakeTime {
				faults = append(faults, s.at(n)+": time.Sleep in a test: wait for the event, or use synctest")
			}
		case "SkipNow":
			faults = append(faults, s.at(n)+": a silent skip: say why with Skip")
		case "Skip", "Skipf":
			if recv != nil && len(recv.Name) <= 2 && !goodReason(call.Args) {
				faults = append(faults, s.at(n)+`: a reason to skip begins with "needs " (.ci/run provides it) or "not here: "`)
			}
		}
		return true
	})
	return faults
}

func goodReason(args []ast.Expr) bool {
	if len(args) == 0 {
		return false
	}
	first := args[0]
	for { // "needs " + name
		sum, ok := first.(*ast.BinaryExpr)
		if !ok {
			break
		}
		first = sum.X
	}
	lit, ok := first.(*ast.BasicLit)
	if !ok {
		return false
	}
	text, err := strconv.Unquote(lit.Value)
	return err == nil && (strings.HasPrefix(text, "needs ") || strings.HasPrefix(text, "not here: "))
}

func TestPlantedCodeFaultsAreFound(t *testing.T) {
	const doc = "// Package p is a package for a test of a test.\npackage p\n\n"
	for _, c := range []struct{ name, file, text, fault string }{
		{"fine", "x.go", doc + "// F does nothing.\nfunc F() {}\n\ntype t struct{}\n\nfunc (t) M() {}\n", ""},
		{"no package comment", "x.go", "package p\n", "no doc comment"},
		{"a package comment that says nothing", "x.go", "// Package p.\npackage p\n", "no doc comment"},
		{"init", "x.go", doc + "func init() {}\n", "no init"},
		{"function", "x.go", doc + "func F() {}\n", "F has no comment"},
		{"method of a generic type", "x.go", doc + "// T is a type.\ntype T[E any] struct{}\n\nfunc (t *T[E]) M() {}\n", "M has no comment"},
		{"type", "x.go", doc + "type T struct{}\n", "type T has no comment"},
		{"constant", "x.go", doc + "const C = 1\n", "C has no comment"},
		{"constant in a group", "x.go", doc + "// Some.\nconst (\n\tC = 1\n)\n", ""},
		{"sleep", "x_test.go", "package p\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n", "time.Sleep in a test"},
		{"sleep on fake time", "x_test.go", "package p\n\nimport (\n\t_ \"testing/synctest\"\n\t\"time\"\n)\n\nfunc f() { time.Sleep(1) }\n", ""},
		{"silent skip", "x_test.go", "package p\n\nfunc f() { t.SkipNow() }\n", "a silent skip"},
		{"vague skip", "x_test.go", "package p\n\nfunc f() { t.Skip(\"tmux not found\") }\n", "a reason to skip"},
		{"good skip", "x_test.go", "package p\n\nfunc f() { t.Skipf(\"needs %s\", x); b.Skip(\"not here: \" + why + \".\") }\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := readTree(plant(t, map[string]string{c.file: c.text}))
			if err != nil {
				t.Fatal(err)
			}
			wantFault(t, codeFaults(all), c.fault)
		})
	}
}
