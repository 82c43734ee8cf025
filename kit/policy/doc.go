// Package policy decides which calls may run: by rules, by the mode the person chose, and by asking.
//
// [NewPolicy] makes a policy, and [Policy.Hook] the hook that judges every call. A call is looked at in this order:
//
//  1. Options.Blocklist: a command that contains one of these texts is refused, in every mode.
//  2. Deny rules: they hold in every mode and whatever else allows the call. The model reads which part of the call met
//     which rule. A refusal by a rule does not end a run as denied.
//  3. The modes readonly and plan: what only reads runs, all else is refused. Nothing is asked.
//  4. Ask rules, but in yolo: the person is asked, whatever allows the call.
//  5. The mode: yolo lets all through, auto lets writes inside the work directory and sandboxed commands through, and in
//     every mode what only reads runs. A command that wants to leave the sandbox is asked about, but in yolo.
//  6. Allow rules, of the configuration and of the person's own earlier "always".
//  7. The question, with "always" for what is safe to allow for good.
//
// # Rules
//
// A rule is the name of a tool, or a name and in parentheses what is meant ([ParseRule]):
//
//	bash                       every command (but one that cannot be read is always asked about)
//	bash(git status)           this command
//	bash(git *)                git, alone or with any words; bash(git:*) says the same
//	bash(npm run test*)        a star stands for anything, words included
//	bash(=make -j4 && ./run)   exactly this text, whatever is in it
//	edit_file(src/**)          files below src; * and ? stand for characters of one name, ** for any directories
//	read_file(~/.ssh/**)       below the home directory;  write_file(/etc/**) an absolute path
//	Edit(*.md)                 a name without a slash is meant at any depth
//	web_fetch(domain:go.dev)   a site;  web_fetch(https://go.dev/doc/**) addresses
//	Skill(deploy-*)            these skills, in any spelling, to read or to invoke
//	mcp__server__*             all tools of a server, as mcp__server;  * every tool
//
// The names that people bring from other agents are known: Bash, Read, Grep, Glob, WebFetch and so on; Edit means every
// tool that changes files. A rule about commands covers every tool that runs the argument "command". In deny and ask
// rules, a rule about writing a file with one tool means all that write, and so does one about reading; a rule that names
// a directory means what is in it. An allow rule must mean the file that is really there once links are followed, and
// reaches outside the work directory only if it says where.
//
// # Commands
//
// A command line is read as the shell reads it. Each simple command in it is a segment of its own, wherever it stands:
// in lists, pipes, loops, conditions, functions, substitutions and here-documents. Commands that only run another one
// (timeout, nice, env, xargs, find -exec, bash -c, eval …) are taken apart. A redirection is a write or a read of its
// file. Words are compared without their quotes.
//
// An allow rule must spell each segment: what is only known when the command runs must stand under a star, and so must
// not be the name of the command. A star stands for no option by which a known program runs other programs or writes
// files (git -c, find -delete, sort -o, tar --to-command …), and nothing but bash, bash(*) or the exact text covers
// what cannot be told: a computed name, a variable like PATH in front, arithmetic on variables, code for a shell's input.
//
// A deny rule hits if any segment is meant, also behind sudo or under another path, and if a segment only may be meant,
// the person is asked. Rules about files look at redirections, not at the arguments of commands: nobody can tell what
// programs do with theirs, and a search that begins above a file is not one of the file. A sandbox holds those.
//
// # Always
//
// Who answers "always" adds the rules that the question shows: for ls -l a it is bash(ls *), for git log it is
// bash(git log *). Commands that destroy, send, or run what they are given get the exact text only. [Store] keeps the
// rules; [Always] does so in a file of the person's, by project.
package policy
