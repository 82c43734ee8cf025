// Package toolname knows what other agents call the tools we have, for texts that people bring from there: rules, agents
// from files, headers of skills. There is one table for all who read such texts.
//
// [All] is for who takes tools away or rules over them: a name covers everything that does the same work. [Nearest] is for
// who gives a tool: one name, one tool.
package toolname

import (
	"slices"
	"strings"
)

// Writers are our tools that change files, in the order in which they are likely meant.
func Writers() []string { return []string{"edit_file", "multi_edit", "write_file", "apply_patch"} }

// Readers are our tools that look at files, in the order in which they are likely meant.
func Readers() []string { return []string{"read_file", "grep", "glob", "list_dir", "view_image"} }

// ours is the table. Names are in lower case, but where one of ours is spelt like that and means less.
func ours(name string) []string {
	switch name {
	case "bash", "shell", "run_shell_command", "run_command", "execute_command":
		return []string{"bash", "background_run"}
	case "read", "readfile", "view":
		return Readers()
	case "edit":
		return Writers()
	case "multiedit":
		return []string{"multi_edit", "edit_file", "write_file", "apply_patch"}
	case "replace", "str_replace":
		return []string{"edit_file"}
	case "write", "writefile":
		return []string{"write_file"}
	case "patch":
		return []string{"apply_patch"}
	case "grep", "search_file_content":
		return []string{"grep"}
	case "glob":
		return []string{"glob"}
	case "ls", "list":
		return []string{"list_dir"}
	}
	return oursBeyond(name)
}

// oursBeyond are the tools for what is neither a file nor a command.
func oursBeyond(name string) []string {
	switch name {
	case "webfetch", "fetch":
		return []string{"web_fetch"}
	case "http_get":
		return []string{"http_request"}
	case "websearch":
		return []string{"web_search"}
	case "Task", "agent":
		return []string{"task", "spawn_subagent"}
	case "skill":
		return []string{"skill_view", "Skill", "load_skill", "get_skill"}
	case "bashoutput", "taskoutput":
		return []string{"check_background"}
	case "killshell", "killbash":
		return []string{"job"}
	case "todowrite":
		return []string{"TodoWrite"}
	}
	return nil
}

// known looks a name up, as it stands and then in lower case.
func known(name string) []string {
	if list := ours(name); list != nil {
		return list
	}
	return ours(strings.ToLower(name))
}

// All gives our names of all tools that a name in a rule stands for. A name that is in no table stands for itself, and the
// name of a server (mcp__SERVER) for all its tools. The names may hold stars; see [Means].
func All(name string) []string {
	if list := known(name); list != nil {
		return list
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok && !strings.Contains(rest, "__") && !strings.Contains(rest, "*") {
		return []string{name, name + "__*"}
	}
	return []string{name}
}

// Nearest gives our name of the one tool that another agent's name stands for; empty: nothing is known of it.
func Nearest(name string) string {
	if list := known(name); list != nil {
		return list[0]
	}
	return ""
}

// Means reports whether one of the names that [All] gave is one of a tool's names. Empty ones are no names.
func Means(all []string, names ...string) bool {
	for _, want := range all {
		if slices.ContainsFunc(names, func(n string) bool { return n != "" && Match(want, n) }) {
			return true
		}
	}
	return false
}

// Match compares a text with a pattern in which a star stands for anything, also for nothing.
func Match(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		at := strings.Index(s, p)
		if at < 0 {
			return false
		}
		s = s[at+len(p):]
	}
	return strings.HasSuffix(s, last)
}
