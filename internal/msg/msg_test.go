package msg_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/msg"
)

// keys finds every constant of type Key, as name -> value, by type-checking this package's own files.
func keys(t *testing.T) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("msg", fset, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if ok && types.TypeString(c.Type(), nil) == "msg.Key" {
			found[name] = constant.StringVal(c.Val())
		}
	}
	if len(found) == 0 {
		t.Fatal("no keys found: the test looks in the wrong place")
	}
	return found
}

// verbs lists the verbs of a format as "argument number, verb letter", sorted.
func verbs(format string) []string {
	re := regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])`)
	var list []string
	next := 1
	for _, m := range re.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			_, _ = fmt.Sscan(m[1], &next)
		}
		list = append(list, fmt.Sprintf("%d%s", next, m[2]))
		next++
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestEveryKeyHasBothLanguagesWithTheSameVerbs(t *testing.T) {
	for name, value := range keys(t) {
		zh, en, two := strings.Cut(value, "\x1f")
		switch {
		case !two || zh == "" || en == "" || strings.Contains(en, "\x1f"):
			t.Errorf("%s: needs two columns, has %q", name, value)
		case !slices.Equal(verbs(zh), verbs(en)):
			t.Errorf("%s: verbs differ: zh %v, en %v", name, verbs(zh), verbs(en))
		case !regexp.MustCompile(`\p{Han}`).MatchString(zh) && regexp.MustCompile(`\pL`).MatchString(regexp.MustCompile(`%(\[\d\])?[a-z]|^skill$`).ReplaceAllString(zh, "")):
			t.Errorf("%s: the first column is no Chinese: %q", name, zh)
		case regexp.MustCompile(`\p{Han}`).MatchString(en):
			t.Errorf("%s: the second column has Chinese: %q", name, en)
		}
	}
}

// TestCallsGiveEveryArgument reads all Go files of the module and counts the arguments behind msg.KEY.
func TestCallsGiveEveryArgument(t *testing.T) {
	table := keys(t)
	root := filepath.Join("..", "..")
	calls := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || call.Ellipsis.IsValid() {
				return true
			}
			for i, arg := range call.Args {
				key, ok := keyOf(arg)
				if !ok {
					continue
				}
				value, known := table[key]
				if !known {
					continue
				}
				calls++
				want := 0
				for _, v := range verbs(value[strings.Index(value, "\x1f"):]) {
					_, _ = fmt.Sscanf(v, "%d", &want)
				}
				if got := len(call.Args) - i - 1; got != want {
					t.Errorf("%s: %s needs %d arguments, gets %d", fset.Position(arg.Pos()), key, want, got)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls == 0 {
		t.Fatal("no call found: the test looks in the wrong place")
	}
}

// keyOf recognises msg.NAME.
func keyOf(e ast.Expr) (string, bool) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name, ok && pkg.Name == "msg"
}

func TestVerbs(t *testing.T) {
	for format, want := range map[string][]string{
		"plain 100%%":        nil,
		"%s of %d":           {"1s", "2d"},
		"%[2]s, %[1]q":       {"1q", "2s"},
		"%5.2f %-3d":         {"1f", "2d"},
		"%[1]s again %[1]s.": {"1s"},
	} {
		if got := verbs(format); !slices.Equal(got, want) {
			t.Errorf("verbs(%q) = %v, want %v", format, got, want)
		}
	}
}

func TestText(t *testing.T) {
	zh, en := msg.For(msg.Zh), msg.For(msg.En)
	if got := en.Text(msg.ConfigDuplicate, "a:3", "x", "a:1"); got != `a:3: key "x" is there twice, first at a:1` {
		t.Errorf("en: %s", got)
	}
	if got := zh.Text(msg.ConfigDuplicate, "a:3", "x", "a:1"); got != `a:3：键 "x" 重复，第一次在 a:1` {
		t.Errorf("zh: %s", got)
	}
	if zh.Lang() != msg.Zh || en.Lang() != msg.En || (msg.Catalogue{}).Lang() != msg.En {
		t.Error("a catalogue forgot its language")
	}
}

func TestErrKeepsWhatStandsAround(t *testing.T) {
	inner := msg.Errorf(msg.ConfigWrongSecret, "a.yaml:3", "x")
	outer := fmt.Errorf("start: %w", inner)
	zh := msg.For(msg.Zh)
	if got := zh.Err(outer); got != `start: a.yaml:3：x 应该是一段文本` {
		t.Errorf("zh: %s", got)
	}
	if got := outer.Error(); got != `start: a.yaml:3: x must be a text` {
		t.Errorf("en: %s", got)
	}
	if got := zh.Err(errors.New("plain")); got != "plain" {
		t.Errorf("plain: %s", got)
	}
	if zh.Err(nil) != "" {
		t.Error("nil has a text")
	}
	var typed *msg.Error
	if !errors.As(outer, &typed) || typed.Key != msg.ConfigWrongSecret {
		t.Error("the key got lost")
	}
}

// An error that is an argument is translated too and can be found in the chain.
func TestErrorArguments(t *testing.T) {
	inner := msg.Errorf(msg.ConfigWrongSecret, "a.yaml:3", "x")
	outer := msg.Errorf(msg.ConfigUnknownKeyNear, inner, "k", "n")
	if !errors.Is(outer, inner) {
		t.Error("the argument is not in the chain")
	}
	if got := msg.For(msg.Zh).Err(outer); !strings.HasPrefix(got, "a.yaml:3：x 应该") {
		t.Errorf("zh: %s", got)
	}
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		chosen, all, messages, lang string
		want                        msg.Lang
		ok                          bool
	}{
		{"", "", "", "", msg.En, true},
		{"", "", "", "zh_CN.UTF-8", msg.Zh, true},
		{"", "", "en_US.UTF-8", "zh_CN.UTF-8", msg.En, true},
		{"", "C", "zh_CN.UTF-8", "zh_CN.UTF-8", msg.En, true},
		{"", "zh-Hant", "", "", msg.Zh, true},
		{"", "zhuang", "", "", msg.En, true},
		{"zh", "C", "", "", msg.Zh, true},
		{"EN", "zh_CN", "", "", msg.En, true},
		{"de", "zh_CN", "", "", msg.Zh, false},
	} {
		got, ok := msg.Pick(c.chosen, c.all, c.messages, c.lang)
		if got != c.want || ok != c.ok {
			t.Errorf("Pick(%q, %q, %q, %q) = %s, %v; want %s, %v", c.chosen, c.all, c.messages, c.lang, got, ok, c.want, c.ok)
		}
	}
}

// A word that depends on a number is given for one and for many, and the text has the right one.
func TestNumbersAndWordsAgree(t *testing.T) {
	loose := regexp.MustCompile(`%(?:\[\d+\])?d (?:more |installed |agent |such )?([a-z-]+s)\b`)
	agree := []string{"is", "was", "has", "does", "as", "yes"}
	for name, value := range keys(t) {
		_, en, _ := strings.Cut(value, "\x1f")
		for _, m := range loose.FindAllStringSubmatch(en, -1) {
			if !slices.Contains(agree, m[1]) {
				t.Errorf("%s: write {one|many} for %q in %q", name, m[1], en)
			}
		}
	}
	c := msg.For(msg.En)
	for got, want := range map[string]string{
		c.Text(msg.LintTotal, 1, 0, 1, 2):                 "1 skill checked: 0 errors, 1 warning, 2 hints",
		c.Text(msg.LintTotal, 2, 1, 0, 1):                 "2 skills checked: 1 error, 0 warnings, 1 hint",
		c.Text(msg.InstallHead, "a", "b", 1, int64(1), 0): "a -> b (1 file, 1 byte, 0 scripts)",
		c.Text(msg.LintInstalled, 1):                      "1 installed skill is left out; name them to have them checked",
		msg.For(msg.Zh).Text(msg.UpdateQuestion, 1):       "更新 1 个 skill？[y/N] ",
	} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// What comes in as an argument is never taken for a choice of words.
func FuzzArgumentsStayAsTheyAre(f *testing.F) {
	f.Add("a|b", 1)
	f.Add("{x|y} 100%", 2)
	f.Fuzz(func(t *testing.T, name string, n int) {
		word := "skills"
		if n == 1 {
			word = "skill"
		}
		want := fmt.Sprintf("%d of %d %s were not installed, for the reasons above", 3, n, word)
		if got := msg.For(msg.En).Text(msg.InstallNotAll, 3, n); got != want {
			t.Errorf("%q", got)
		}
		if got := msg.For(msg.En).Text(msg.InstallRefusedOne, name, errors.New(name)); got != name+" is not installed: "+name {
			t.Errorf("%q", got)
		}
	})
}

// One thing has one Chinese name, in what the program says and in its manual.
func TestOneChineseWordForEachThing(t *testing.T) {
	others := map[string]string{"子代理": "子智能体", "技能": "skill", "管线": "流水线", "主代理": "主智能体", "其他代理": "其他智能体", "供应商": "厂商", "面孔": "profile", "您": "你", "总结": "摘要"}
	texts := keys(t)
	pages, err := filepath.Glob("../../docs/*.zh.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages of the manual: %v", err)
	}
	for _, page := range append(pages, "../../README.zh.md", "../../skills/AGENTS.zh.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(data)
	}
	for name, text := range texts {
		for other, word := range others {
			if strings.Contains(text, other) {
				t.Errorf("%s: it is called %s, not %s", name, word, other)
			}
		}
	}
}
