package skill

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rules loads one skill with this offline.yaml, and a script.
func rules(t *testing.T, text string) (*Skill, Offline, []Diagnostic) {
	t.Helper()
	dir := write(t, map[string]string{"s/SKILL.md": file("s"), "s/run.sh": "echo", "s/offline.yaml": text})
	k, ok := load(t, Options{Roots: []Root{{Path: dir, Scope: User}}}).Find("s")
	if !ok {
		t.Fatal("there is no skill")
	}
	o, notes := k.Offline()
	return k, o, notes
}

func TestOfflineRules(t *testing.T) {
	k, o, notes := rules(t, `
rules:
  - name: one
    match: 'weather in (?P<city>\w+)'
    run:
      - {script: run.sh, args: '{city} -v'}
      - shell: {linux: 'a {city}', any: b}
      - {tool: run_s_pipeline, input: {query: '{city}'}}
    take: {sky: 'sky=(\w+)'}
    answer: {zh: '{city}：{sky@zh} {output.temp}', en: '{city}: {sky} {before}'}
    otherwise: nothing known
    words: {zh: {sunny: 晴}}
    example: {en: How is it?}
  - match: [a, b]
    answer: plain text
agents:
  - name: judge
    system: '^# Judge of (?P<what>\w+)'
    message: 'Topic: (?P<topic>\w+)'
    reply: ['first {topic}', 'second {what}']
  - system: x
    json: {topic: 'about x', ok: true, n: 3, s: '3', none: , list: [a, 1.5]}
`)
	for _, d := range notes {
		t.Error(d.String())
	}
	if len(o.Rules) != 2 || len(o.Agents) != 2 {
		t.Fatalf("%+v", o)
	}
	r := o.Rules[0]
	if r.Name != "one" || len(r.Match) != 1 || len(r.Run) != 3 || r.Run[0].Script != filepath.Join(k.Dir, "run.sh") ||
		r.Run[0].Args != "{city} -v" || r.Run[1].Shell["any"] != "b" || r.Run[2].Input["query"] != "{city}" ||
		r.Take["sky"] == "" || r.Otherwise["en"] != "nothing known" || r.Words["zh"]["sunny"] != "晴" || r.Example["en"] == "" {
		t.Errorf("%+v", r)
	}
	if r := o.Rules[1]; r.Name != "s" || r.Answer["en"] != "plain text" || len(r.Match) != 2 {
		t.Errorf("%+v", r)
	}
	if a := o.Agents[0]; len(a.Replies) != 2 || a.Replies[1].Text != "second {what}" {
		t.Errorf("%+v", a)
	}
	const want = `{"topic":"about x","ok":true,"n":3,"s":"3","none":null,"list":["a",1.5]}`
	if got := o.Agents[1].Replies[0].JSON; got != want || !json.Valid([]byte(got)) {
		t.Error(got)
	}
}

// What is wrong is named with its line, the rule is left out, and the others stay.
func TestOfflineFaults(t *testing.T) {
	const good = "rules:\n- {match: x, answer: y}\n"
	for text, want := range map[string]struct {
		place, word string
		rules       int
	}{
		"rules: [":                                {":1", "cannot be read", 0},
		"rules:\n\t- x":                           {":2", "cannot be read", 0},
		"- a":                                     {":1", "list of keys", 0},
		"rulez: []":                               {":1", "rulez", 0},
		good + "- {match: x}":                     {":3", "answer is missing", 1},
		good + "- {answer: x}":                    {":3", "match is missing", 1},
		good + "- just words":                     {":3", "list of keys", 1},
		good + "- {match: '(', answer: x}":        {":3", "regular expression", 1},
		good + "- {match: '.*', answer: x}":       {":3", "fits everything", 1},
		good + "- match: x\n  answer: '{who}'":    {":4", "{who}", 1},
		good + "- match: x\n  answer: '{output}'": {":4", "{output}", 1},
		good + "- match: x\n  run: {shell: '{who}'}\n  answer: x":      {":4", "{who}", 1},
		good + "- match: x\n  run: {args: a}\n  answer: x":             {":4", "one of shell", 1},
		good + "- match: x\n  run: {shell: a, tool: b}\n  answer: x":   {":4", "one of shell", 1},
		good + "- match: x\n  run: {script: no.sh}\n  answer: x":       {":4", "no.sh", 1},
		good + "- match: x\n  run: {script: ../s/run.sh}\n  answer: x": {":4", "../s/run.sh", 1},
		good + "- match: x\n  take: {a: '('}\n  answer: x":             {":4", "regular expression", 1},
		good + "- match: x\n  answer: [a]":                             {":4", "a list of keys", 1},
		good + "- match: [[x]]\n  answer: a":                           {":3", "a text", 1},
		good + "- match: x\n  words: {fr: {a: b}}\n  answer: x":        {":4", "fr", 2},
		good + "- match: x\n  answr: z\n  answer: x":                   {":4", "answr", 2},
		good + "agents: [{reply: x}]":                                  {":3", "system is missing", 1},
		good + "agents: [{system: x}]":                                 {":3", "reply is missing", 1},
		good + "agents: [{system: '(', reply: x}]":                     {":3", "regular expression", 1},
		good + "agents: [{system: x, reply: '{y}'}]":                   {":3", "{y}", 1},
	} {
		k, o, notes := rules(t, text)
		if len(notes) == 0 {
			t.Errorf("%q: nothing is said", text)
			continue
		}
		all := ""
		for _, d := range notes {
			all += d.String() + "\n"
			if d.File != filepath.Join(k.Dir, "offline.yaml") || d.Fix == nil {
				t.Errorf("%q: %+v", text, d)
			}
		}
		if !strings.Contains(all, "offline.yaml"+want.place+":") || !strings.Contains(all, want.word) || len(o.Rules) != want.rules {
			t.Errorf("%q: %d rules, want %d; want %s %q in\n%s", text, len(o.Rules), want.rules, want.place, want.word, all)
		}
	}
}

func TestOfflineAbsentOrUnreadable(t *testing.T) {
	dir := write(t, map[string]string{"s/SKILL.md": file("s"), "flat.md": file("flat"), "d/SKILL.md": file("d"), "d/offline.yaml/x": "", "e/SKILL.md": file("e"), "e/offline.yaml": ""})
	set := load(t, Options{Roots: []Root{{Path: dir, Scope: User}}})
	for name, faults := range map[string]int{"s": 0, "flat": 0, "d": 1, "e": 0} {
		k, _ := set.Find(name)
		if o, notes := k.Offline(); len(notes) != faults || len(o.Rules) > 0 {
			t.Errorf("%s: %v", name, notes)
		}
	}
}

func TestOfflineManyRules(t *testing.T) {
	_, o, notes := rules(t, "rules:\n"+strings.Repeat("- {match: x, answer: y}\n", maxOffline+5))
	if len(o.Rules) != maxOffline || len(notes) != 1 || notes[0].Code != TooMany || notes[0].Line != maxOffline+2 {
		t.Errorf("%d rules, %v", len(o.Rules), notes)
	}
}

// A copy of a skill of the system stands for it without a word; another one of its name is told.
func TestCopiesOfSystemSkills(t *testing.T) {
	dir := write(t, map[string]string{
		"sys/one/SKILL.md": file("one"), "sys/one/a/x.sh": "x", "sys/one/__pycache__/c.pyc": "1",
		"sys/two/SKILL.md": file("two"), "sys/two/x.sh": "x", "sys/three.md": file("three"),
		"p/one/SKILL.md": file("one"), "p/one/a/x.sh": "x", "p/one/more.md": "m",
		"p/two/SKILL.md": file("two"), "p/two/x.sh": "y", "p/three.md": file("three"),
	})
	s := load(t, Options{Roots: []Root{{Path: filepath.Join(dir, "p"), Scope: Project}, {Path: filepath.Join(dir, "sys"), Scope: System}}})
	told := ""
	for _, d := range s.Diagnostics() {
		if d.Code == DuplicateShadowed {
			told += filepath.Base(filepath.Dir(d.File)) + "/" + filepath.Base(d.File) + " "
		}
	}
	if told != "two/SKILL.md sys/three.md " {
		t.Errorf("told of %q", told)
	}
	if k, _ := s.Find("one"); k.Root.Scope != Project {
		t.Error("the system's copy wins")
	}
}

func TestNotesBesideSkillsAreNone(t *testing.T) {
	dir := write(t, map[string]string{"AGENTS.md": "x", "AGENTS.zh.md": "x", "README.md": "x", "one.md": file("one")})
	s := load(t, Options{Roots: []Root{{Path: dir, Scope: Project}}})
	if len(s.Diagnostics()) != 0 || namesOf(s) != "one" {
		t.Errorf("%s, %v", namesOf(s), s.Diagnostics())
	}
}

// yamlBreak is what ends a line for YAML.
var yamlBreak = regexp.MustCompile("\r\n|[\n\r\u0085\u2028\u2029]")

func FuzzOffline(f *testing.F) {
	for _, seed := range []string{"rules: [{match: a, answer: '{b}'}]", "agents:\n- {system: a, json: {b: [1, {c: '{d}'}]}}", "rules: {a: 1}", "- \n- - x", "rules:\n  - run: [[]]\n    words: 3", "rules:\r\r\r\r\r- match: {\r\r\r", "rules:\r\r\r\r\r- match: 3\r\r\r- 7", "agents: [{system: a, json: {b: [1e999, .inf, .nan, {.nan: 1, 1: 2, [a]: 3}]}}]", "agents: [{system: a, json: \"\\ud800\"}]", "a: b\u2028\u2028\u2028\u0085\u0085\u0085: ["} {
		f.Add(seed)
	}
	dir := f.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "s"), 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s", "SKILL.md"), []byte(file("s")), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "s", "offline.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		k, ok := load(t, Options{Roots: []Root{{Path: dir, Scope: User}}}).Find("s")
		if !ok {
			t.Fatal("there is no skill")
		}
		o, notes := k.Offline()
		for _, d := range notes {
			if d.Line < 0 || d.Line > len(yamlBreak.FindAllString(text, -1))+2 || d.Reason == nil {
				t.Errorf("%+v", d)
			}
		}
		for _, r := range o.Rules {
			if len(r.Match) == 0 || len(r.Answer) == 0 {
				t.Errorf("%+v", r)
			}
		}
		for _, a := range o.Agents {
			for _, r := range a.Replies {
				if r.JSON != "" && !json.Valid([]byte(r.JSON)) {
					t.Errorf("%q", r.JSON)
				}
			}
		}
	})
}
