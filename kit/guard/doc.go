// Package guard stops an agent that goes round in circles.
//
// [New] looks at what calls came to, not only at what was called: steps that repeat with equal results, patterns that
// alternate, and long rows of failures. It first tells the model, and stops the run only if that does not help. A step
// whose result is new is progress and never counts against the model. [Classic] is the plain rule of the classic face:
// so many equal steps in a row end the run.
//
// Both keep no state: everything is read from the session's messages, so a restart changes nothing.
package guard
