// Package pipeline drives skills that lead an agent through many phases. Such a skill has a program, scripts/run.py, that
// says at any time what the next step is; the driver does that step and asks again, until the program says that it is
// done. All of it happens inside one tool call, run_NAME_pipeline, so the steps of the model are not used up.
//
// # The protocol
//
// The program is called with `next --dir RUNDIR --query TEXT`. It only reads, may be called at any time, and prints one
// block between two lines of ━ (see [Parse]). The block's TYPE says what to do: an isolated sub-agent works with a prompt
// and input files and its reply becomes an output file; commands are run; or the run has ended. State is nothing but
// files in RUNDIR.
//
// # The driver
//
// [New] takes skills and what the driver needs from its neighbours, [Pipelines.Tools] gives a tool for each skill. A call
// makes a run folder of its own, skill_run/NAME/SLUG, unless it is given one that it goes on with. What is under way is
// kept in a document for each call, so the same call after a crash goes on with the same folder and the same step, and
// what a step has already done is not done again. A run that cannot go on ends with the output of what failed, and
// says how to go on.
//
// A skill may bring pipeline.yaml ([Settings], [LoadSettings]). Query injection and the check for questions that are out
// of scope are in special.go, which is not entered when they are switched off.
//
// # What it guards against
//
// The query is cleaned before a program sees it, and what is put into a command is quoted for where it stands. Outputs are
// written inside the run folder only, inputs are read from the work directory and the skill's own. A block that comes three
// times while nothing changes on disk ends the run. Commands and sub-agents have time limits, output is bounded, and
// whether a command may run is for the caller to say.
//
// All methods may be used from many goroutines; one run folder is driven by one call at a time.
package pipeline
