// Package local knows model servers on one's own machine: Ollama, the server of llama.cpp, LM Studio, vLLM, SGLang, and
// whatever else speaks Chat Completions on a port here. It finds them, says what they serve and what each model can, and
// makes a model of one that does not surprise: [New] wraps the wire.
//
// # Asking
//
// [Client.Find] asks the usual ports of this machine at once, [Client.Ask] one address. A server is known by the shape of
// what it answers, never by its port or a status: some answer 200 to everything. Each question has a short limit of its
// own. Nothing is asked before somebody calls.
//
// # The model
//
// Before the first call of a [Model] the server is read: which model answers when none was named (a loaded one first),
// how many tokens it can take, whether it knows tools and pictures. What was read is kept, and read again when an error
// shows that it no longer holds. A server that says nothing is used as it is, with a note.
//
//   - The window is obeyed. Results of tools that alone would take a quarter of it are cut, with a line that says so; the
//     answer's limit is set so that both fit; what cannot fit fails with kind context_length and says what fills the
//     window. Tokens are estimated, and the estimate is corrected by what the server counts.
//   - Ollama cuts a long prompt without a word. That it did so is seen from its count, and said.
//   - While a model is loaded the call waits, and says that it waits.
//   - A model without tools is given to [Options.Tags], which teaches it to call them in its text.
//   - A server that is not there, and a model that it does not have, are errors that say what to do.
package local
