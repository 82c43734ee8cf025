// Package yaml is the one reader of YAML: settings, profiles, headers of skills and agents, pipelines.
//
// [Parse] gives a tree of [Node], each with its line and column, for those who say where in a file something is wrong
// or who forgive much. [Decode] fills a struct and refuses what the struct does not know; it reports everything that is
// wrong at once. Both read one document, take time and memory that are linear in the length of the text, refuse nesting
// deeper than [MaxDepth], never follow an alias to more than a scalar, and never panic. An [Error] names the place.
//
// Nothing else links a YAML library. Every function is pure and may be used from many goroutines.
package yaml
