package config

import words "react-agent/internal/text"

// Nearest is [words.Nearest]; in this package text is something else.
func Nearest(word string, names []string) string { return words.Nearest(word, names) }
