// Package sandbox holds the commands of an agent, and gives a session a git worktree of its own.
//
// # What commands may do
//
// [Open] makes a [Sandbox] from [Options], which [Parse] reads from the setting `sandbox`. [Sandbox.Prepare] is the last
// change of a command before it starts. Inside it can write the work directory and /tmp, and whatever the person named;
// everything else is read-only. Keys, tokens, browsers' data and histories below the home directory are hidden, and so
// are /run, where the services of the machine listen, and what the caller hides. Git's hooks and configuration, and files
// that the caller protects, cannot be changed although they lie in the work directory; git itself works, also in a
// worktree and in a folder within a repository. There is no network unless it is allowed, no other process to see, trace
// or signal, no device but the harmless ones, no power of root but to own and change files, and no way to get one: no
// program gains privileges. The environment is kept, without what leads to agents for keys, buses and screens.
//
// /tmp is a directory of the sandbox's own, the same for all its commands, removed by [Sandbox.Close]. Caches of tools that
// fail when they cannot write them are sent to Options.Cache.
//
// # What holds them
//
// Bubblewrap, if it really works here. Else Landlock: the command is started as this program, whose main calls [Main],
// which confines itself and becomes the command; with namespaces of its own where the system lets it, by itself
// otherwise. Landlock by itself is weaker: files stay visible by name, and [Sandbox.Warning] says what is open.
// [Abilities] tells doctor. What works is tried once per Sandbox, when it is first needed. A kind that was asked for by
// name and does not work is an error of every command; only kind auto may end with nothing, and says so.
//
// A sandbox guards against a command that does harm by mistake or because of what the model has read. It is no virtual
// machine: system calls are not filtered, and a fault in the kernel opens it. A repository whose git directory a command
// may write can be prepared to do something else when the person uses it next; hooks and configuration are guarded, a
// build file is not.
//
// # How commands end
//
// As without a sandbox, with two differences under bubblewrap: a signal's death is seen as exit status 128 + its number,
// and what a command leaves behind ends with it, even if it was started with nohup. A command does not end with this
// process when that is killed: background jobs are to outlive it.
//
// # Worktrees
//
// [OpenWorktree] gives a session a git worktree on a branch wt/NAME below .worktrees, with records in index.json and
// events.jsonl, and repairs what a crash has left. [Worktree.Diff], [Worktree.Merge] and [Worktree.Discard] look at, take
// over and drop what the session did. The main tree is only ever moved forward to a finished commit, and what is dropped
// can be brought back by a ref. Git runs none of the repository's hooks, helpers or editors here, and asks nobody.
package sandbox
