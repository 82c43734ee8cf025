// Package command holds what a person can ask of the product besides talking to the model: slash commands of a
// conversation and subcommands of the command line, one file each. A command is a value; [All] lists them. Commands
// write plain text to the writer they are given and know no terminal.
//
// To add one: write a file with a func that returns a [Command], and name it in All.
package command
