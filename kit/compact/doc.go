// Package compact makes the history of a session smaller when its model's window fills up, so that an agent can work for
// hours and keeps its orders. It gives [agent.Agent] its Compact function, and never copies a message that stays: what it
// decides is an [agent.Trim].
//
// # Layers
//
//   - Micro: results of tools that the model has seen are replaced by a short text, all but the last few; texts of skills
//     stay. Where [Settings.Micro] is set this happens before every call, elsewhere only together with a summary, so that
//     requests in between share their beginning byte for byte.
//   - Auto: before a call whose request is estimated to be over [Compact.Threshold], the older part of the history is
//     replaced by a summary, which one call of the model makes, and by what is carried.
//   - On overflow: when the model refuses a request as too long, likewise. Where no summary can be had the older part is
//     left out with what is carried in its place, and says so.
//   - Asked: by the person, or by the model with the tool compress.
//
// # What is carried
//
// A summary may lose anything. Therefore the message that stands in the place of the older part (its From is [Name]) also
// holds, word for word and within budgets: what the person has said, lines that are orders or constraints before others;
// the [Section] texts of other features, such as a plan, todos and skills; the files that were worked on; the questions
// that are open. The message's data keeps these apart, so that the next compaction carries them on, whatever the summary
// says.
//
// # What never happens
//
// A call is never separated from its result. What the model has not seen yet, the newest input and the newest results,
// stays as it is; only a result that does not fit any window is replaced by a text that says so. A compaction that would
// free too little is not made: at an overflow the run then ends, and the person is told what fills the window.
package compact
