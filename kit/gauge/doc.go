// Package gauge measures what fills a model's window: the system prompt by its parts, each tool, and the conversation by
// who wrote it. There is one such measure in the product; what shows the window to a person and what a compaction says when
// it frees too little both read a [Report].
//
// Sizes in tokens are estimates (package internal/text), except that they are corrected by what the vendor has counted:
// when the conversation holds an answer whose vendor reported the tokens of its request, what stood in that request is
// scaled so that its sum is exactly that number, and what came since is scaled alike.
package gauge
