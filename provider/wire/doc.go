// Package wire holds what the wires share: the table of vendors, the classifier of failures, and the passes that make a
// history fit to be sent.
package wire
