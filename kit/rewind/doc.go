// Package rewind keeps what a call may change before the call runs, so that chat and files can be brought back to any
// turn of a conversation, with or without git.
//
// [New] makes a [Rewind] for one work directory, [Rewind.Wrap] puts it around tools. Before a tool that writes runs, the
// files it will write are kept; before one that executes, the whole work directory is compared with an index of sizes,
// times and inodes, and what changed since is read and kept. Afterwards the same places are looked at again, so of every
// call the state before and the state after are known.
//
// # Going back
//
// [Rewind.Turns] lists the turns, [Rewind.Plan] says what would change, [Rewind.Perform] does it and appends the void
// event; it is called inside engine.Local.Do. A plan takes back, last change first, what the calls of the session from
// an event on have done, those of its sub-agents included. A file that somebody else changed after the agent did is a
// conflict: it is named and left alone unless forced. What nobody but others changed is left alone always.
// [Rewind.PlanRedo] plans the way forward again, as long as nothing was said since.
//
// # Who changed it
//
// A change that is found when a call ends, or while calls run, belongs to those calls: what a person edits while a
// command runs in the foreground cannot be told from what the command did. Calls that ran side by side share their
// changes and are taken back together. A change that is found otherwise while a job runs that a call has started in the
// background, or at the first look after it has ended, belongs to that call, but nobody knows for sure: it is a conflict, which
// names the job and is left alone unless forced. What has a later time than the job's end is not its work. Any other change
// belongs to others: a person or another program; it is never overwritten unasked. What a call did that was killed together with the
// process is found by the next checkpoint, and is a conflict, because a person may have been there first.
//
// # What is kept
//
// Contents lie in Dir under their SHA-256, once each: as a reflink where the file system has them, else as a copy, never
// as a hard link. What git has in its object store is not copied; the objects (git never changes one in place) are linked into
// Dir, so that neither a garbage collection nor the loss of .git loses them. A restore checks every
// content, so it gives the recorded bytes or says that they are lost. Modes (not owners, times or extended attributes), links and empty directories
// are kept as well. FIFOs, sockets and devices are left alone.
//
// Not kept are .git and its like (a commit made by a command stays), what git ignores, and without git what any
// tool can make again: node_modules, __pycache__, virtual environments and directories with a CACHEDIR.TAG. A file named by
// a call is kept in any case, also outside the work directory. Files over MaxFile are noted and not kept. When all
// contents together exceed MaxBytes the oldest checkpoints are dropped. One look copies no more than MaxLook and takes no longer than
// Patience allows, small files first, so that a directory full of data neither keeps anybody waiting nor fills the disk; what it does
// not come to is read by later looks, and a search that takes too long is given up for a while. Each of these is told once through Notice.
//
// # Safety
//
// A checkpoint is on the disk before its tool starts; if it cannot be, the tool does not run. A restore writes down what
// it is about to do; after a crash the next use of the directory finishes it. Any number of processes may share Dir.
package rewind
