// Package gauge says what fills a model's window: the system prompt by its parts, each tool, and the conversation by who
// wrote it. What shows the window to a person and what a compaction says when it frees too little both read a [Report].
//
// Its sum is what package internal/weigh says of the request, to the token: the same number that decides when a history is
// compacted. When an answer's vendor has reported the tokens of its request, what stood in that request is scaled so that
// its sum is exactly that number, and the answer to what the vendor has counted of it; what came since is an estimate.
package gauge
