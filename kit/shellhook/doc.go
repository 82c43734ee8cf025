// Package shellhook runs the person's own commands at fixed points of the loop, in the convention of hooks that people
// already have files for.
package shellhook
