// Package todo gives an agent a short list of what it has to do: the tool TodoWrite, which replaces the whole list with each
// call, and a reminder when the list was not touched for three rounds of calls.
//
// # The list
//
// An item has a content ("Run the tests"), a status (pending, in_progress, completed) and an active form ("Running the
// tests"). Texts are trimmed, the status is lower-cased, and pending when there is none. Items are checked one after the
// other, each for its content, its status and its active form; then that there are 20 at most, and one in progress at most.
// The first fault is the answer, and the old list stays. The model reads the list as [List.String] renders it.
//
// The list is a value in [agent.Session.State], so it lives as long as its session: a restart and a compaction leave it
// alone, a new session has none, and a sub-agent has one of its own.
//
// # The reminder
//
// A round is a message of the model with calls. Rounds are counted from the person's last message, and anew from a round
// that has used the tool, whatever came of that. From the third on, while something is not completed, a message stands
// behind the results of each round: <reminder>Update your todos.</reminder>. It is a durable user message From [Name].
//
// # Putting it in
//
// [Tool] and [Hook] belong together: the hook says in the tool's words what the kernel's check of arguments has turned down
// already, and sees that of two calls in one message the second one counts. [Of] reads the list for a screen, [Carry] gives
// what a compaction has to keep.
package todo
