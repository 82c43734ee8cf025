package skill

import "strings"

// Texts are the words of the tools and of the index, with the verbs of fmt where a value stands.
type Texts struct {
	Unknown  string // %[1]s the name, %[2]s the names there are
	Body     string // wraps a skill's text: %[1]s the name, %[2]s the text
	Again    string // in place of a text that is in the conversation already: %s the name; empty: it is given again
	Files    string // follows the text when the skill has more files: %[1]s the directory, %[2]s the files; empty: left out
	Launched string // result of Skill: %s the name
	Head     string // first lines of the index; empty: there is no index
	Item     string // a line of the index: %[1]s the name, %[2]s the description
	NoText   string // stands for a missing description
	None     string // the index when there are no skills; empty: no index then
	// Always gives the tools even when there are no skills.
	Always bool
	// Plain makes an unknown name an ordinary result instead of a failed one.
	Plain bool
}

// Lean are the words of every face that is not named below.
func Lean() Texts {
	return Texts{
		Unknown:  "There is no skill %[1]q. Known skills: %[2]s",
		Body:     "%[2]s",
		Again:    "Skill %s is already loaded and has not changed; its text stands above.",
		Files:    "[Paths in this skill are relative to %[1]s. More files there: %[2]s]",
		Launched: "Launching skill: %s",
		Head:     "Skills are instructions for special tasks. When a task fits one, read it with skill_view before you begin, and follow it:\n",
		Item:     "- %[1]s: %[2]s\n",
		NoText:   "-",
	}
}

// Classic are the words of the classic face: no index, since skills_list is the first step there.
func Classic() Texts {
	t := Lean()
	t.Again, t.Head, t.Always = "", "", true
	return t
}

// Skills are the words of the skills face, whose model has list_skills and get_skill.
func Skills() Texts {
	t := Classic()
	t.Unknown, t.Files, t.Plain = "未找到名为 \"%[1]s\" 的 Skill", "", true
	return t
}

// Server are the words of the server face, whose model has load_skill and a list of skills in its prompt.
func Server() Texts {
	t := Classic()
	t.Unknown, t.Files, t.Plain = "Error: Unknown skill '%[1]s'. Available: %[2]s", "", true
	t.Body = "<skill name=\"%[1]s\">\n%[2]s\n</skill>"
	t.Head, t.Item, t.None = "Skills:\n", "  - %[1]s: %[2]s\n", "Skills:\n(no skills)\n"
	return t
}

// Named finds a set by the name that profiles use: classic, skills, server; every other name is [Lean].
func Named(name string) Texts {
	switch strings.ToLower(name) {
	case "classic":
		return Classic()
	case "skills":
		return Skills()
	case "server":
		return Server()
	}
	return Lean()
}
