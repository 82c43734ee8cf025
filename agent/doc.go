// Package agent is the kernel of react-agent: messages, models, tools, hooks, and the loop that ties them together. It
// imports the standard library only, so it can be copied out and read on its own.
//
// # The loop
//
// A [Session] is a conversation; it is nothing but the fold of its durable events. An [Agent] is configuration. Run brings
// the two together and yields what happens as it happens.
//
// First it finishes what an earlier run left open: calls without a result are decided again, or answered as
// interrupted. Then it adds the input. Then it goes round: the history is compacted if it is too long, hooks may inject
// messages, the model is called, and its message is stored. A message without calls is the answer; hooks get a last
// chance to inject something, and the run ends with an end event. A message with calls is decided call by call: the
// name is looked up, the arguments are checked, the hooks judge, the person may be asked. Whatever is turned down gets an
// error result that the model can read. What is allowed runs: a tool that only reads, or is Shared, beside its neighbours,
// any other one alone in its place. Each result is stored the moment it comes, and the next round begins.
//
// Every durable event goes the same way: it is journaled, then folded into the session, then shown to hooks, then
// yielded. What was seen has been stored, so a process that dies at any point goes on from its log. A tool starts only
// after its call event is stored. A failed model attempt is withdrawn, never glued to the next. Only the goroutine that
// ranges over Run stores or yields anything; tools that run beside each other talk to it. Breaking out of the range
// cancels the run, and even then every call gets its result and the log gets its end.
//
// # Where to begin
//
// [NewTool] makes a tool of a struct and a function, [Say] makes input, [Agent.Run] runs. message.go has the nouns,
// run.go the loop, turn.go one model call, calls.go and batch.go what happens to tool calls, session.go the fold, load.go
// how a log becomes a session again. Package agenttest has a scripted model for tests.
package agent
