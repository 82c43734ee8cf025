package skill

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"react-agent/internal/msg"
)

// What [Set.Lint] finds besides the findings of the loader and those of offline.yaml.
const (
	ToolNamed        Code = "framework_word"
	PipelineNamed    Code = "pipeline_in_description"
	SecretInside     Code = "secret"
	ProductTracked   Code = "product_tracked"
	DescriptionShort Code = "description_short"
	OneLanguage      Code = "one_language"
	BodyEmpty        Code = "body_empty"
	TemplateText     Code = "template_text"
	BodyLong         Code = "body_long"
	LinkBroken       Code = "link_broken"
	LinkLeaves       Code = "link_leaves"
	NotExecutable    Code = "not_executable"
	ScriptCRLF       Code = "script_crlf"
	SettingsInvalid  Code = "pipeline_settings"
	EntryMissing     Code = "pipeline_entry"
	NotChecked       Code = "not_checked"
	FieldIdle        Code = "field_idle"
)

// Hint is the severity of what could be better. Only [Set.Lint] gives it.
const Hint Severity = "hint"

// The measures of a good skill: characters of a description (a Chinese one counts as three), lines and tokens of a body.
const (
	shortDescription = 40
	longLines        = 500
	longTokens       = 5000
)

// Secret is a line that holds one, and what kind it seems to be.
type Secret struct {
	Line int // from 1
	Kind string
}

// LintOptions is what only the whole program knows. Every field may be left empty: then that is not checked.
type LintOptions struct {
	// Tools are the names and aliases of the program's tools. Those that are ordinary words are not looked for.
	Tools []string
	// Secrets finds secrets in a text, beside what has the shape of a key.
	Secrets func(text string) []Secret
	// Pipeline checks the settings of the pipeline in a skill's folder, if there are any.
	Pipeline func(dir string) []Diagnostic
	// Tracked lists the folders with products of runs that git keeps in the repository around a directory, as absolute paths.
	Tracked func(ctx context.Context, dir string) ([]string, error)
}

// Linted is a skill, or what looked like one, with all that can be said against it. A Finding without a name is of the
// project.
type Linted struct {
	Finding
	Installed bool
}

// Lint looks at the skills of a set as their author should: conventions, keys, links, scripts and settings, beside what the
// loader has found. want says which; nil: all. Nothing is run. An error says that git could not be asked, or that ctx ended.
func (s *Set) Lint(ctx context.Context, o LintOptions, want func(Finding) bool) ([]Linted, error) {
	find := newPatterns(o.Tools)
	var out []Linted
	for _, f := range s.findings {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("lint: %w", err)
		}
		if want != nil && !want(f) {
			continue
		}
		l := Linted{Finding: f}
		if k, ok := s.Find(f.Name); ok && k.File == f.Path {
			l.Installed = k.Installed
		}
		x := linter{o: &o, find: find, skill: lintedSkill(f), notes: slices.Clone(f.Diagnostics)}
		x.all()
		slices.SortStableFunc(x.notes, func(a, b Diagnostic) int {
			return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		l.Diagnostics = bounded(x.notes)
		out = append(out, l)
	}
	products, err := tracked(ctx, &o, out)
	return append(out, products...), err
}

// lintedSkill is what is known of a skill by where it is; it may be one that was not loaded.
func lintedSkill(f Finding) *Skill {
	return &Skill{Name: f.Name, File: f.Path, Dir: filepath.Dir(f.Path), Flat: !strings.EqualFold(filepath.Base(f.Path), fileName)}
}

// tracked looks once in each place where skills are.
func tracked(ctx context.Context, o *LintOptions, skills []Linted) ([]Linted, error) {
	if o.Tracked == nil {
		return nil, nil
	}
	var out []Linted
	seen := map[string]bool{}
	for _, l := range skills {
		// Where the skills of a root are: one folder above a skill's own.
		dir := filepath.Dir(filepath.Dir(l.Path))
		if seen[dir] {
			continue
		}
		seen[dir] = true
		files, err := o.Tracked(ctx, dir)
		if err != nil {
			return out, err
		}
		for _, file := range files {
			if seen[file] {
				continue
			}
			seen[file] = true
			out = append(out, Linted{Finding: Finding{Path: file, Scope: Project, Diagnostics: []Diagnostic{{
				Code: ProductTracked, Severity: Error, File: file,
				Reason: msg.Errorf(msg.LintTracked), Fix: msg.Errorf(msg.LintFixTracked, file),
			}}}})
		}
	}
	return out, nil
}

// linter looks at one skill.
type linter struct {
	o     *LintOptions
	find  *patterns
	skill *Skill
	notes []Diagnostic
}

func (x *linter) note(code Code, sev Severity, file string, line int, reason, fix error) {
	x.notes = append(x.notes, Diagnostic{Code: code, Severity: sev, File: file, Line: line, Reason: reason, Fix: fix})
}

func (x *linter) all() {
	data, err := readFile(x.skill.File)
	if err != nil {
		return // the loader has said so
	}
	text, _, binary := decode(data)
	if binary {
		return
	}
	x.markdown(x.skill.File, text)
	if x.skill.Flat {
		x.secrets(x.skill.File, text)
		return
	}
	x.folder()
	if x.o.Pipeline != nil {
		x.notes = append(x.notes, x.o.Pipeline(x.skill.Dir)...)
	}
	_, notes := x.skill.Offline()
	x.notes = append(x.notes, notes...)
}

// markdown looks at the skill's own file.
func (x *linter) markdown(file, text string) {
	d := split(text)
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	first := 1 // line of the body
	if d.closed {
		p := parse(file, text)
		x.idle(file, p.fields)
		x.header(file, lines, p.fields, strings.Count(text[:d.body], "\n"))
		first = strings.Count(text[:d.body], "\n") + 1
		x.template(file, p.fields, first, text[d.body:])
	}
	body := lines[min(first-1, len(lines)):]
	for i, line := range body {
		for _, word := range x.named(line) {
			x.note(ToolNamed, Error, file, first+i, msg.Errorf(msg.LintTool, word), msg.Errorf(msg.LintFixTool))
		}
	}
	x.size(file, first, strings.Trim(strings.Join(body, "\n"), "\n"))
}

func (x *linter) size(file string, first int, body string) {
	if strings.TrimSpace(body) == "" {
		x.note(BodyEmpty, Warn, file, 0, msg.Errorf(msg.LintEmpty), msg.Errorf(msg.LintFixEmpty))
		return
	}
	if n := strings.Count(body, "\n") + 1; n > longLines {
		x.note(BodyLong, Hint, file, first, msg.Errorf(msg.LintLongLines, n, longLines), msg.Errorf(msg.LintFixLong))
	} else if n := tokensOf(body); n > longTokens {
		x.note(BodyLong, Hint, file, first, msg.Errorf(msg.LintLongTokens, n, longTokens), msg.Errorf(msg.LintFixLong))
	}
}

// tokensOf estimates: four letters of ASCII are one, each other character is one.
func tokensOf(s string) int {
	other := 0
	for _, r := range s {
		if r >= utf8.RuneSelf {
			other++
		}
	}
	return other + (utf8.RuneCountInString(s)-other+3)/4
}

// header looks at what decides whether a model thinks of the skill. last is the header's closing line.
func (x *linter) header(file string, lines []string, f fields, last int) {
	said := ""
	for i, e := range f.list {
		if e.norm != "description" && e.norm != "when-to-use" {
			continue
		}
		said += e.val.flat() + "\n"
		end := last - 1
		if i+1 < len(f.list) {
			end = f.list[i+1].line - 1
		}
		for n := e.line; n <= min(end, len(lines)); n++ {
			x.headerLine(file, n, lines[n-1])
		}
	}
	_, line := f.get("description")
	if said = strings.TrimSpace(said); said == "" {
		return // the loader says so
	}
	if n := weight(said); n < shortDescription {
		x.note(DescriptionShort, Hint, file, line, msg.Errorf(msg.LintShort, utf8.RuneCountInString(said)), msg.Errorf(msg.LintFixShort))
	}
	if !strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		x.note(OneLanguage, Hint, file, line, msg.Errorf(msg.LintNoChinese), msg.Errorf(msg.LintFixLanguage))
	}
	if !hasWord(said) {
		x.note(OneLanguage, Hint, file, line, msg.Errorf(msg.LintNoEnglish), msg.Errorf(msg.LintFixLanguage))
	}
}

// idle names the fields of the header that have no effect in this program.
func (x *linter) idle(file string, f fields) {
	if v, line := f.get("allowed-tools"); v.kind != null {
		x.note(FieldIdle, Hint, file, line, msg.Errorf(msg.LintAllowed), msg.Errorf(msg.LintFixAllowed))
	}
	to, line := f.get("model")
	model, fork := strings.TrimSpace(to.flat()), false
	for _, key := range []string{"context", "subtask"} { // of skills, of commands
		v, _ := f.get(key)
		fork = fork || slices.Contains([]string{"fork", "true", "yes", "on", "1", "y"}, strings.ToLower(strings.TrimSpace(v.text)))
	}
	if model != "" && !fork && !slices.Contains([]string{"inherit", "default"}, strings.ToLower(model)) {
		x.note(FieldIdle, Hint, file, line, msg.Errorf(msg.LintModel, model), msg.Errorf(msg.LintFixModel))
	}
}

func (x *linter) headerLine(file string, n int, line string) {
	for _, word := range x.named(line) {
		if x.find.pipeline.MatchString(word) {
			x.note(PipelineNamed, Error, file, n, msg.Errorf(msg.LintPipeline, word), msg.Errorf(msg.LintFixPipeline))
			continue
		}
		x.note(ToolNamed, Error, file, n, msg.Errorf(msg.LintTool, word), msg.Errorf(msg.LintFixTool))
	}
}

// weight is how much a description says, in characters of a Latin script.
func weight(s string) int {
	n := 0
	for _, r := range s {
		if n++; unicode.Is(unicode.Han, r) {
			n += 2
		}
	}
	return n
}

// hasWord says whether there are three Latin letters in a row.
func hasWord(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.Is(unicode.Latin, r) {
			if n++; n == 3 {
				return true
			}
			continue
		}
		n = 0
	}
	return false
}
