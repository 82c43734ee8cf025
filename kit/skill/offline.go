package skill

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/yaml"
)

// Offline is what a skill says to the offline model, a table of rules that stands where no model is: what to do about
// questions that the skill is for, and what its sub-agents answer. It stands in offline.yaml in the skill's folder:
//
//	rules:
//	  - name: weather                        # for people
//	    match: ['weather in (?P<city>\w+)']  # RE2, case is ignored; one must be found in the question
//	    run: {script: weather.js, args: '{city}'}
//	    take: {sky: '"condition":"([^"]*)"'} # parts of the output, as values
//	    answer: {zh: '{city}：{sky}', en: '{city}: {sky}, {output.temp}'}
//	    otherwise: {zh: …, en: …}            # when a value of the answer is missing
//	    words: {en: {阵雨: showers}}         # what values are called in a language
//	    example: {zh: …, en: …}              # shown to those who ask something else
//	agents:
//	  - name: judge
//	    system: '^# Judge'                   # in the system prompt
//	    message: '(?m)^Topic: (?P<topic>.+)' # in the first message; may be left out
//	    reply: 'About {topic}: fine.'        # or a list of them, given in turn within one conversation
//	    json: {topic: '{topic}', ok: true}   # instead of reply
//
// Of match, run, answer and reply one may stand without a list; a text without a language is for both. run is one action,
// or several of which the first that succeeds counts: `shell` (a command, or one by operating system: linux, darwin,
// windows, any), `script` (a file of the skill) with `args`, or `tool` with `input`. {NAME} is what the group (?P<NAME>…)
// has found, what take has found, {output} what the action gave, {output.PATH} a field of it when it is JSON, {before} what
// the rules of other skills answer: a rule with {before} works on that. {NAME@en} is a value in another language. Values
// enter commands and args as one quoted word.
type Offline struct {
	Rules  []OfflineRule
	Agents []OfflineAgent
}

// OfflineRule is one rule; fields are as in the file, answers by language.
type OfflineRule struct {
	Name                       string
	Match                      []string
	Run                        []OfflineAction
	Take                       map[string]string
	Answer, Otherwise, Example map[string]string
	Words                      map[string]map[string]string
}

// OfflineAction has one of Shell (by operating system), Script (absolute) and Tool.
type OfflineAction struct {
	Shell        map[string]string
	Script, Args string
	Tool         string
	Input        map[string]string
}

// OfflineAgent is what the offline model says as a sub-agent.
type OfflineAgent struct {
	Name, System, Message string
	Replies               []OfflineReply
}

// OfflineReply has Text, or JSON: a JSON text with values inside its strings.
type OfflineReply struct{ Text, JSON string }

const (
	offlineName = "offline.yaml"
	maxOffline  = 200 // rules and sub-agents
)

// Offline reads the skill's rules for the offline model. A rule that is wrong is left out with a diagnostic that is an
// error, a field that nobody knows is a warning. A skill without rules, and a flat file, has none.
func (k *Skill) Offline() (Offline, []Diagnostic) {
	x := offlineReader{skill: k, file: filepath.Join(k.Dir, offlineName)}
	if k.Flat {
		return x.out, nil
	}
	data, err := k.readInside(offlineName)
	if errors.Is(err, fs.ErrNotExist) {
		return x.out, nil
	}
	if err != nil {
		x.note(Unreadable, Error, 0, msg.Errorf(msg.SkillUnreadable, cause(err)), msg.Errorf(msg.SkillFixUnreadable))
		return x.out, x.notes
	}
	top, err := yaml.Parse("", data)
	if err != nil {
		line := 0
		if at, ok := errors.AsType[*yaml.Error](err); ok {
			line, err = at.Line, errors.New(at.Text)
		}
		x.note(YAMLInvalid, Error, line, msg.Errorf(msg.SkillYAML, err), msg.Errorf(msg.SkillFixQuote))
		return x.out, x.notes
	}
	x.top(top)
	return x.out, x.notes
}

// offlineReader reads one file. ok is false once something is wrong with the present rule.
type offlineReader struct {
	skill *Skill
	file  string
	out   Offline
	notes []Diagnostic
	ok    bool
	names map[string]bool // values that the present rule has
}

func (x *offlineReader) note(code Code, sev Severity, line int, reason, fix error) {
	x.notes = append(x.notes, Diagnostic{Code: code, Severity: sev, File: x.file, Line: line, Reason: reason, Fix: fix})
}

// bad leaves the present rule out.
func (x *offlineReader) bad(n yaml.Node, k msg.Key, args ...any) {
	x.ok = false
	x.note(FieldInvalid, Error, n.Line, msg.Errorf(k, args...), msg.Errorf(msg.OfflineFix))
}

func (x *offlineReader) shape(n yaml.Node, field string, want msg.Key) {
	x.bad(n, msg.OfflineShape, field, msg.Errorf(want))
}

// fields reads a map; others than the known ones are told.
func (x *offlineReader) fields(n yaml.Node, what string, known ...string) map[string]yaml.Node {
	out := map[string]yaml.Node{}
	if n.Kind != yaml.Map {
		x.shape(n, what, msg.OfflineMap)
		return out
	}
	for _, p := range n.Pairs {
		key := strings.ReplaceAll(strings.ToLower(p.Key.Text), "-", "_")
		found := false
		for _, name := range known {
			found = found || name == key
		}
		if !found {
			x.note(FieldInvalid, Warn, p.Key.Line, msg.Errorf(msg.OfflineField, p.Key.Text), msg.Errorf(msg.OfflineFixNear, strings.Join(known, ", ")))
			continue
		}
		out[key] = p.Value
	}
	return out
}

func (x *offlineReader) top(n yaml.Node) {
	if n.Kind == yaml.Null {
		return
	}
	f := x.fields(n, offlineName, "rules", "agents")
	for _, r := range x.items(f["rules"]) {
		if rule := x.rule(r); x.ok {
			x.out.Rules = append(x.out.Rules, rule)
		}
	}
	for _, a := range x.items(f["agents"]) {
		if speaks := x.agent(a); x.ok {
			x.out.Agents = append(x.out.Agents, speaks)
		}
	}
}

// items are the entries of a list of rules.
func (x *offlineReader) items(n yaml.Node) []yaml.Node {
	list := several(n)
	if len(list) > maxOffline {
		x.note(TooMany, Warn, list[maxOffline].Line, msg.Errorf(msg.OfflineMany, maxOffline), msg.Errorf(msg.OfflineFix))
		list = list[:maxOffline]
	}
	return list
}

// several takes one value for a list of one.
func several(n yaml.Node) []yaml.Node {
	switch n.Kind {
	case yaml.List:
		return n.Items
	case yaml.Null:
		return nil
	case yaml.Scalar, yaml.Map:
	}
	return []yaml.Node{n}
}

func (x *offlineReader) rule(n yaml.Node) OfflineRule {
	x.ok, x.names = true, map[string]bool{"before": true}
	f := x.fields(n, "rules", "name", "match", "run", "take", "answer", "otherwise", "words", "example")
	r := OfflineRule{Name: f["name"].Text, Take: x.texts(f["take"], "take", "")}
	for _, m := range several(f["match"]) {
		r.Match = append(r.Match, x.pattern(m, "match", false))
	}
	if len(r.Match) == 0 {
		x.bad(n, msg.OfflineMissing, "match")
	}
	for name := range r.Take {
		x.names[name] = true
		if _, err := regexp.Compile(r.Take[name]); err != nil {
			x.bad(f["take"], msg.OfflinePattern, "take", r.Take[name], err)
		}
	}
	for _, a := range several(f["run"]) {
		r.Run = append(r.Run, x.action(a))
		x.names["output"] = true
	}
	r.Answer = x.worded(f["answer"], "answer")
	r.Otherwise = x.worded(f["otherwise"], "otherwise")
	if len(r.Answer) == 0 {
		x.bad(n, msg.OfflineMissing, "answer")
	}
	r.Example = x.texts(f["example"], "example", "en")
	r.Words = x.words(f["words"])
	if r.Name == "" {
		r.Name = x.skill.Name
	}
	return r
}

func (x *offlineReader) words(n yaml.Node) map[string]map[string]string {
	out := map[string]map[string]string{}
	if n.Kind == yaml.Null {
		return out
	}
	for lang, list := range x.fields(n, "words", "zh", "en") {
		out[lang] = x.texts(list, "words."+lang, "")
	}
	return out
}

// pattern reads an expression and the values it gives.
func (x *offlineReader) pattern(n yaml.Node, field string, every bool) string {
	text := x.text(n, field)
	re, err := regexp.Compile("(?i)" + text)
	switch {
	case err != nil:
		x.bad(n, msg.OfflinePattern, field, text, err)
		return text
	case !every && re.MatchString(""):
		x.bad(n, msg.OfflineEvery, field, text)
	}
	for _, name := range re.SubexpNames() {
		x.names[name] = true
	}
	return text
}

func (x *offlineReader) text(n yaml.Node, field string) string {
	if n.Kind != yaml.Scalar {
		x.shape(n, field, msg.OfflineText)
	}
	return n.Text
}

// texts reads a map of texts; one text alone stands under the key alone, if there is one.
func (x *offlineReader) texts(n yaml.Node, field, alone string) map[string]string {
	out := map[string]string{}
	switch {
	case n.Kind == yaml.Null:
	case n.Kind == yaml.Scalar && alone != "":
		out[alone] = n.Text
	case n.Kind != yaml.Map:
		x.shape(n, field, msg.OfflineMap)
	}
	for _, p := range n.Pairs {
		if p.Value.Kind == yaml.Null {
			out[p.Key.Text] = ""
			continue
		}
		out[p.Key.Text] = x.text(p.Value, field+"."+p.Key.Text)
	}
	return out
}

// worded reads a text in one or both languages, with values in it.
func (x *offlineReader) worded(n yaml.Node, field string) map[string]string {
	out := x.texts(n, field, "en")
	for _, text := range out {
		x.values(n, field, text)
	}
	return out
}

func offlineValue() *regexp.Regexp {
	return regexp.MustCompile(`\{([a-z_]+)(?:\.[A-Za-z0-9_.]+)?(?:@(?:zh|en))?\}`)
}

// values wants every value of a text to come from somewhere.
func (x *offlineReader) values(n yaml.Node, field, text string) {
	for _, v := range offlineValue().FindAllStringSubmatch(text, -1) {
		if !x.names[v[1]] {
			x.bad(n, msg.OfflineValue, field, v[1])
		}
	}
}

func (x *offlineReader) action(n yaml.Node) OfflineAction {
	f := x.fields(n, "run", "shell", "script", "args", "tool", "input")
	a := OfflineAction{Shell: x.texts(f["shell"], "run.shell", "any"), Args: f["args"].Text, Tool: f["tool"].Text, Input: x.texts(f["input"], "run.input", "")}
	kinds := 0
	for _, text := range a.Shell {
		x.values(n, "run.shell", text)
	}
	for _, text := range a.Input {
		x.values(n, "run.input", text)
	}
	x.values(n, "run.args", a.Args)
	if script := f["script"].Text; script != "" {
		kinds++
		rel := filepath.FromSlash(script)
		if !filepath.IsLocal(rel) || !x.skill.Has(script) {
			x.bad(f["script"], msg.OfflineScript, script)
		}
		a.Script = filepath.Join(x.skill.Dir, rel)
	}
	if len(a.Shell) > 0 {
		kinds++
	}
	if a.Tool != "" {
		kinds++
	}
	if kinds != 1 {
		x.bad(n, msg.OfflineAction)
	}
	return a
}

func (x *offlineReader) agent(n yaml.Node) OfflineAgent {
	x.ok, x.names = true, map[string]bool{}
	f := x.fields(n, "agents", "name", "system", "message", "reply", "json")
	a := OfflineAgent{Name: f["name"].Text}
	if f["system"].Kind == yaml.Null {
		x.bad(n, msg.OfflineMissing, "system")
		return a
	}
	a.System = x.pattern(f["system"], "system", false)
	if f["message"].Kind != yaml.Null {
		a.Message = x.pattern(f["message"], "message", true)
	}
	for _, r := range several(f["reply"]) {
		text := x.text(r, "reply")
		x.values(r, "reply", text)
		a.Replies = append(a.Replies, OfflineReply{Text: text})
	}
	if j, ok := f["json"]; ok && len(a.Replies) == 0 {
		text := string(jsonOf(j))
		x.values(j, "json", text)
		a.Replies = []OfflineReply{{JSON: text}}
	}
	if len(a.Replies) == 0 {
		x.bad(n, msg.OfflineMissing, "reply")
	}
	return a
}
