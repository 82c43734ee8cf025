// Package config gathers the settings of one start: flags, environment, .env, the project's config.yaml, the user's
// config.yaml and defaults, in that order of precedence, into one [Config] that remembers where each value came from.
//
// It is strict. An unknown key, at any depth, is an error with file, line and the nearest known key; so is a value of
// the wrong type. What was read but has no effect is listed in [Config.Ignored], never dropped in silence.
//
// It is careful with repositories. Files inside the work directory may come from anybody, so what could send data or a
// key elsewhere, or let more be done without a question, takes effect only once the person trusted the file's content:
// [Load] returns an [UntrustedError] that names file, line, key and value.
//
// Nothing here is global: the environment, directories and the table of vendors are passed in ([Source]); only
// [Environment] looks at the process. Files that are absent cost one failed open each.
//
// To add a key: a field in [Config] (or one of its groups) and a line in its fields method.
package config
