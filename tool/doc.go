// Package tool has the built-in tools: bash and run_script; read_file, write_file, edit_file, multi_edit and apply_patch;
// list_dir, grep and glob; http_request and web_fetch.
//
// Each constructor takes an [Env], the world in which the tool works, and returns an [agent.Tool], a plain value. Nothing
// is shared between tools but what Env says, and nothing is started before a call comes.
//
//	tools := tool.All(tool.Env{Root: "/home/me/project"})
//
// What a tool does and what it says are kept apart: the words are in [Texts], a set of sentences that is data, so that a
// face of the product with other words ([Lean], [Server], [Classic], [Mini], [Skills]) needs no other code. The text that
// explains a tool to the model is in the .md file beside its code.
//
// Paths are relative to Env.Root. They are resolved element by element, links included, before anything is decided: a
// write whose real place is outside the root needs somebody's yes. Files are changed by the bytes that were asked for and
// no others: encoding, byte order mark, line ends, mode and links stay. Whatever cannot be done so is refused with the
// reason.
package tool
