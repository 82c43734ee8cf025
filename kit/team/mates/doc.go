// Package mates gives a lead teammates: agents with a name that work, wait for mail and for tasks, and answer.
//
// # A teammate
//
// A teammate is a session of its own, LEAD.N, that [team.Team] knows as a child. A driver, which is a goroutine of the
// process that has the teammate's lock, leads it through its phases: work is one run of at most [Rounds] model calls; idle
// looks at the inbox, then at the board, at once and [Polls] times [Poll] apart. Mail, or a task that was claimed, makes it work again.
// A teammate ends when nothing came, when it agrees to a request to stop, when it is stopped with its lead's run, and when its run fails. Of
// a failure the lead is told, and the tasks that it had claimed are free again.
//
// When the lead's session is opened by another process, teammates that were open go on.
//
// # Mail
//
// Every name has an inbox, an append-only log of [Message]s with a cursor beside it. A message enters a session by the event
// that uses it up, once over any crash; see [Mates.Inbox]. The lead's is "lead". It is drained by the lead's rounds and by whoever asks.
//
// # What came with the folder
//
// A folder may be anybody's. The first time that a state has to do with a team it writes down what lies there; without
// [Options.Trusted] nothing of that enters a conversation by itself: no mail, no task, no name. See [Mates.Meet].
//
// # Places
//
// Logs inbox/NAME and documents cursor/NAME and roster/config are at .team/inbox and .team/config.json in the work directory;
// mate/NAME, request/ID, intent/SESSION and arrival/team are the product's own. All are changed by compare-and-swap and may be used by many processes.
package mates
