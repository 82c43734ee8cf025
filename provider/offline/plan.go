package offline

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"react-agent/agent"
)

// turn is what stands in the conversation since the person spoke.
type turn struct {
	question string
	given    string            // what a feature has put beside the question: instructions of called skills
	rounds   [][]*agent.Result // what came of the calls of each reply, in order
}

// turnOf finds the newest message of the person, and the calls since.
func turnOf(msgs []agent.Message) turn {
	from := len(msgs) - 1
	for ; from >= 0; from-- {
		if m := &msgs[from]; m.Role == agent.User && m.From == "" {
			break
		}
	}
	t := turn{}
	if from >= 0 {
		t.question = msgs[from].Text()
	}
	for _, m := range msgs[from+1:] {
		if m.Role == agent.User && len(t.rounds) == 0 {
			t.given += m.Text()
		}
		if m.Role == agent.Assistant && len(m.Calls()) > 0 {
			t.rounds = append(t.rounds, nil)
		}
		if r := m.Result(); r != nil && len(t.rounds) > 0 {
			last := len(t.rounds) - 1
			t.rounds[last] = append(t.rounds[last], r)
		}
	}
	return t
}

// walk goes through what a turn needs, over what has been done of it.
type walk struct {
	goos   string
	lang   string
	system string
	given  string // see turn
	called bool   // the person has called the skills by name
	tools  []agent.Tool
	rounds [][]*agent.Result
	next   []agent.Chunk // what is to be done now, once it is known
}

// step says whether a step was taken, and with what results. If it was not, its calls are what is to be done now.
func (w *walk) step(calls func() []agent.Chunk) ([]*agent.Result, bool) {
	if w.next != nil {
		return nil, false
	}
	if len(w.rounds) > 0 {
		first := w.rounds[0]
		w.rounds = w.rounds[1:]
		return first, true
	}
	w.next = calls()
	return nil, false
}

// prepare lists the skills and reads those that are used, all in one reply. Those that the person has called are known, and
// read already, unless what came with the call says that they are to be read.
func (w *walk) prepare(hits []hit) bool {
	var names []string
	for _, h := range hits {
		if h.Skill != "" && !slices.Contains(names, h.Skill) {
			names = append(names, h.Skill)
		}
	}
	view, ok := w.tool("skill_view")
	if len(names) == 0 || !ok || w.called && !strings.Contains(w.given, view.Shown()) {
		return true
	}
	if list, ok := w.tool("skills_list"); ok && !w.called && !w.listed(names) {
		if _, done := w.step(func() []agent.Chunk {
			return ask(text(w.lang, "先看看有哪些技能。", "First a look at the skills there are."), call{tool: list})
		}); !done {
			return false
		}
	}
	_, done := w.step(func() []agent.Chunk {
		var calls []call
		for _, n := range names {
			calls = append(calls, call{view, map[string]string{required(view, "name"): n}})
		}
		return ask(text(w.lang, "要用的技能：%s。先读说明。", "The skills to use: %s. Their instructions come first.", strings.Join(names, ", ")), calls...)
	})
	return done
}

// listed says that the system prompt has a line for each skill: then there is no need to ask for a list.
func (w *walk) listed(names []string) bool {
	for _, n := range names {
		if !regexp.MustCompile(`(?m)^\s*[-*] ` + regexp.QuoteMeta(n) + `:`).MatchString(w.system) {
			return false
		}
	}
	return true
}

// run carries out a rule's action. false: something has to be done first, or cannot be.
func (w *walk) run(h hit) (done, bool) {
	d := done{hit: h}
	for _, a := range h.Run {
		c, why := w.call(a, h)
		if why != "" {
			d.output, d.failed = why, true
			continue
		}
		res, ok := w.step(func() []agent.Chunk {
			return ask(text(w.lang, "规则“%s”命中，用工具取得事实。", "The rule “%s” matches; a tool has the facts.", h.Name), c)
		})
		if !ok {
			return d, false
		}
		d.output, d.failed = "", true
		if len(res) > 0 {
			d.output, d.failed = strings.TrimSpace(res[len(res)-1].Text()), res[len(res)-1].Error
		}
		if !d.failed {
			break
		}
	}
	return d, true
}

// able says that a rule's question can be answered with the tools that are offered.
func (w *walk) able(r *compiled) bool {
	return len(r.Run) == 0 || slices.ContainsFunc(r.Run, func(a Action) bool {
		_, why := w.call(a, hit{compiled: r})
		return why == ""
	})
}

// call makes an action's tool call, or says why there is none.
func (w *walk) call(a Action, h hit) (call, string) {
	get := func(name, _ string) (string, bool) { v, ok := h.values[name]; return v, ok }
	word := scope{get: get, as: func(_, _, v string) string { return quote(v) }}
	switch {
	case a.Tool != "":
		t, ok := w.tool(a.Tool)
		if !ok {
			return call{}, text(w.lang, "规则“%s”要用工具 %s，但这里没有提供。", "The rule “%s” needs the tool %s, and it is not offered here.", h.Name, a.Tool)
		}
		args := map[string]string{}
		for name, v := range a.Input {
			args[name], _ = scope{get: get}.fill(v)
		}
		return call{t, args}, ""
	case a.Script != "":
		args, _ := word.fill(a.Args)
		if t, ok := w.tool("run_script"); ok {
			return call{t, map[string]string{"path": a.Script, "args": args}}, ""
		}
		return w.shell(h, strings.TrimSpace(interpreter(a.Script)+quote(a.Script)+" "+args))
	}
	command, ok := a.Shell[w.goos]
	if !ok {
		command, ok = a.Shell["any"]
	}
	if !ok {
		return call{}, text(w.lang, "规则“%s”没有适合 %s 的命令。", "The rule “%s” has no command for %s.", h.Name, w.goos)
	}
	if h.find == nil { // what code has found is a command already
		command, _ = word.fill(command)
	} else {
		command, _ = scope{get: get}.fill(command)
	}
	return w.shell(h, command)
}

func (w *walk) shell(h hit, command string) (call, string) {
	t, ok := w.tool("bash")
	if !ok {
		return call{}, text(w.lang, "规则“%s”要用命令行工具，但这里没有提供。", "The rule “%s” needs a shell tool, and none is offered here.", h.Name)
	}
	return call{t, map[string]string{required(t, "command"): command}}, ""
}

// interpreter is the program that a script is for, by the ending of its name.
func interpreter(script string) string {
	switch strings.ToLower(filepath.Ext(script)) {
	case ".js", ".mjs", ".cjs":
		return "node "
	case ".py":
		return "python3 "
	case ".sh":
		return "sh "
	}
	return ""
}

// tool finds an offered tool by its name: ours, whatever the face shows.
func (w *walk) tool(name string) (agent.Tool, bool) {
	same := func(n string) bool {
		return strings.EqualFold(strings.ReplaceAll(n, "-", "_"), strings.ReplaceAll(name, "-", "_"))
	}
	for _, t := range w.tools {
		if same(t.Name) || same(t.Shown()) || slices.ContainsFunc(t.Aliases, same) {
			return t, true
		}
	}
	return agent.Tool{}, false
}

// required is a tool's first required argument as the face shows it.
func required(t agent.Tool, otherwise string) string {
	var s struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(t.Schema, &s) != nil || len(s.Required) == 0 {
		return otherwise
	}
	return s.Required[0]
}
