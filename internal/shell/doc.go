// Package shell runs one command and always comes back.
//
// [Run] starts `SHELL -c COMMAND` in a session of its own: no controlling terminal, an empty standard input, standard
// output and error in one pipe. It returns when the command itself ends, even if a process it left behind still holds the
// pipe. Such left-overs are stopped and named; only what was started with nohup, and writes elsewhere, is left running,
// and named too. At the time limit, or when the context ends, the whole tree of processes is stopped: first asked with
// SIGTERM, then killed, also those that moved to a process group or session of their own.
//
// Of the output the beginning and the end are kept in memory, so memory is bounded; what is longer is written to a file,
// whole. Many commands may run at once: nothing is shared between them, and there is no lock.
//
// The way for everything is short when nothing is wrong: two system calls more than os/exec makes by itself. Lists of
// processes are read only when there is something to stop.
package shell
