// Package install brings skills from elsewhere into the places where agents look for them, and keeps account of them in the
// lock files that the npm `skills` program reads and writes too: what one installs, the other lists, updates and removes.
//
// # The way of a skill
//
// [Parse] reads what a person typed: a path, owner/repo, a URL. [Fetcher.Fetch] brings that onto the disk, in a folder of
// its own that nobody else looks at, and gives a [Bundle]: the skills that were found there, by the rules of the npm
// program. Nothing of it is run. Git runs without prompts, hooks, submodules and helpers; downloads and archives have
// bounds; addresses of the own network are asked about. [Store.Plan] reads each chosen skill into memory, whole, and says
// what would happen: which files come, which of them are scripts, what lies in the way. That is shown to a person, and what
// was shown is what [Store.Apply] writes.
//
// # What is promised
//
// A skill of which a file is a link, or has a path that leads elsewhere or would collide on another file system, is refused
// whole. A skill appears, changes or goes away in one step: whoever looks, or whatever ends the program in between, finds
// the old one or the new one; what a dead process left half done is finished or cleared by the next. One process at a time
// changes a place. Files that a person has changed are not lost without Force. Removing touches the skill's folder, links
// to it, its copies and its entry in the lock file, and nothing else.
//
// The entry is written before the files appear: there is no moment at which a skill from elsewhere is there and [Installed]
// does not know it.
//
// # Lock files
//
// ./skills-lock.json belongs to a project, ~/.agents/.skill-lock.json (or skills/.skill-lock.json in $XDG_STATE_HOME) to a
// person. Entries and fields that are not ours are kept. We add to an entry the commit and the hash of each file, by which
// [Store.States] tells what has been changed since; entries without them are checked by the one hash they have.
package install
