// Package instruct brings the standing orders that people keep in files before the model: AGENTS.md, CLAUDE.md and their
// like.
//
// # What is taken
//
// First the person's own files, then those of the project, from its top down to the work directory. In each directory that
// is AGENTS.override.md, or AGENTS.md where there is none; CLAUDE.md, or .claude/CLAUDE.md; CLAUDE.local.md; and the files
// of .claude/rules. What several names lead to (a link, an import, an equal copy) is taken once. Files of the project are
// taken only when Options.Project says that it is trusted, and links and imports of such a file never lead out of the
// project; those of the person's files stay in the home directory.
//
// `@path` in a text, outside of code, imports another file: relative to the file that names it, or from the home directory
// with ~/. Imports may import, up to five deep; a circle is taken once. HTML comments are left out.
//
// All files of the project together take at most Options.Max bytes, and so do the person's. What is too much is cut at the
// end of a line, with a remark in the text: the long files, so that the short ones are whole. Reading never waits for a pipe,
// and never reads more of a file than it can use.
//
// # Where it goes
//
// Set.System is a section of the system prompt: the same bytes for the same files. It is empty when there are no files. It
// is read once, in Load; a session that is opened anew loads anew.
//
// Files below the work directory (or beside it in the project) are nested: Set.Hook puts them into the conversation, as a
// message from [Name], when the agent first reads or changes a file there with a tool for files. So it does with files of .claude/rules whose
// header has `paths:`, when a file fits. What was put in is remembered in the session's State, so that it happens once, over
// restarts too; [Reattach] gives it again after a compaction.
//
// Set.Findings says of each file what became of it and why, for doctor.
package instruct
