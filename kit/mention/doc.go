// Package mention attaches the files that a person names with an at-sign: `@main.go`, `@src/`, `@main.go:10-20`,
// `@"a b.txt"`.
//
// # What is a mention
//
// An at-sign in what the person typed, outside of code between backticks and not within a word (an address of mail has
// none), followed by the path of something that exists: from the work directory, from the home directory with ~/, or
// absolute. Where the path has blanks it stands in double quotes. Signs of punctuation behind it do not belong to it, nor
// does text in a script without blanks, if the shorter path exists. A range of lines may follow: `:10`, `:10-20`, `:10-`,
// `#L10-L20`. Whatever leads to nothing is ordinary text; when it looks like a path, the person is told.
//
// # What is attached
//
// Set as a hook, [New] gives each message of the person a further part for each file: its text between marks, from
// Options.Read, which is where rules about reading hold. The text that was typed stays as it is. Only the person's own
// messages are looked at, and of these only what was typed ([Typed]): what comes from a pipe, a tool, a skill or a file may
// be anybody's.
package mention
