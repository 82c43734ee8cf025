// Package text prepares text for people and models: [Cut] and [CutEnds] shorten it and keep both ends, [Clean] turns what
// a program printed, whatever the bytes, into valid UTF-8 that can be read, [Head] shortens a line, and [Tokens]
// says about how many tokens a text is.
//
// Limits count characters (runes), never bytes, and nothing is ever cut inside a character. Every function is pure and
// may be used from many goroutines.
package text
