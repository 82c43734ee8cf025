// Package skill teaches an agent what people have written down for it: folders with a SKILL.md, or single Markdown files,
// in the places where the common agents keep them.
//
// # What is loaded
//
// [Load] looks through the roots of [Options] in their order ([Places] lists the usual ones). A root holds NAME/SKILL.md,
// also some levels down, and NAME.md; it may be one skill itself. A file begins with a YAML header between two lines of
// three dashes; what follows is the skill's body, which is read only when it is wanted. Loading never runs anything, never
// waits for a pipe, and looks at a bounded number of places.
//
// Whatever is odd is loaded as far as it makes sense and told as a [Diagnostic] with file, line, reason and a fix. A skill
// without a description, or with a header that cannot be understood, is left out, and the others load. Options.Strict
// also refuses names that differ from the folder, Options.Loose takes skills without header or description. Names are the
// same when [NormalizeSkillName] makes them the same. Of equal names the first root wins, and in one root a folder wins
// over a file; the loser is told as shadowed. [Set.Doctor] lists all that was found.
//
// # What the model gets
//
// [Set.Index] is the text for the system prompt: one line a skill, the same bytes for the same skills, within a budget.
// [Set.Tools] are skills_list, skill_view and Skill. skill_view returns the body, then REACT_AGENT.md, in which a skill
// says what only this program needs; with file_path it returns another file of the skill's folder and nothing outside it.
// Skill invokes: the rendered text enters as a message of its own, or, with `context: fork` in the header, a sub-agent
// works on it and only its answer comes back.
//
// # What a person calls
//
// [Set.Called] reads a line such as "/summarize notes.md": up to [MaxStack] skills at its beginning, by any spelling of their
// names, which all get the rest. The message that it makes stays as it was typed and carries a mark; [Set.Hook] puts behind
// it, before the model reads it, what each skill brings: its text with the arguments in it, or an order to read it with the
// face's own tool where its header or its pipeline.yaml says `slash_mode: reference`, or what its sub-agent has found. A skill
// that a pipeline drives comes with the name of that tool and the contract to ask nothing before it has ended. All of this
// happens once, over any crash.
//
// Files that people have as commands of other agents ([CommandPlaces]) are skills, too, that only a person calls unless their
// header says otherwise. Sub-folders are the first part of the name (git:commit), the rest of which is enough while it is the
// only one. Those of Gemini are TOML with {{args}}, !{command} and @{file}; their arguments enter a command as one word. A
// skill of the same name wins, unless it came with the program.
//
// # Rendering
//
// $ARGUMENTS, $ARGUMENTS[N], $N and the header's own names stand for arguments; ${SKILL_DIR} and its like for facts. What
// was put in is never looked at again. A command between backticks after an exclamation mark is run only through
// Options.Run, and never for a skill that was installed from elsewhere; arguments enter a command as
// variables.
//
// # What is remembered
//
// Each invoked skill stays in the session's State, so each agent has its own: [Invoked] lists them, [Reattach] gives the
// text that has to be in the conversation again after a compaction. [Set.Hook] must be among the agent's hooks.
//
// A [Set] does not change after Load; all its methods may be used from many goroutines. Nothing is watched: a session that
// is opened later loads anew.
package skill
