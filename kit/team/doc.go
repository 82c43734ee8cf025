// Package team gives an agent agents of its own: one runner behind the tool task, the tool spawn_subagent, a skill's fork
// and the steps of a pipeline.
//
// # A child
//
// A child is a session of its own, PARENT.N, with its own fresh history and its own log; the engine runs it like any
// other session. What it is (system prompt, tools, model, limits) is written down before it starts, so that it goes on
// after a crash; see [Team.Spec]. A child belongs to the key of the call that started it: the same call run again finds
// the same child. Its events are followed, never copied: what comes back is its last words, what it has spent, and one of
// the final states.
//
// A foreground child is waited for. What it does is shown as progress of the call, under its path ("main/explore-1");
// what it asks is asked by the call, so the person at the root answers, over any number of levels. A background child
// gives its id at once; its end is pulled into the parent's conversation by the event that forgets the id, so that it is
// told once over any crash. It has nobody to ask.
//
// # Bounds
//
// A tree may be [Options.Depth] deep; a parent has [Options.Width] children at work at once, further ones wait for their
// turn; models start [Options.Total] children between two messages of the person. What is beyond is refused with the
// reason as the call's result, and the third refusal in a tree ends all its runs with stop loop; a
// child that ended as a loop counts like one. Children that a program
// starts ([Task.Driver]) count for the depth only. A child has at most the steps that its parent has left, and ends with
// it: a cancel or the end of its time reaches the whole tree.
package team
