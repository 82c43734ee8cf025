package job

import (
	"fmt"
	"strings"

	"react-agent/internal/shell"
	"react-agent/internal/text"
)

// Texts are the words of results, with the verbs of fmt where a value stands.
type Texts struct {
	Started string // %[1]s the id, %[2]s the command
	Unknown string // %s an id
	None    string // there are no jobs
	Empty   string // stands for a job that printed nothing and succeeded
	Error   string // wraps every failure: %s is the detail
	Exit    string // follows the output of a job that failed: %s is how; empty: it is left out
	Timeout string // a job that ran out of time: %d seconds
	Notice  string // encloses the notices of jobs that ended: %s is one or more lines
	Noted   string // acknowledges a notice in the model's name, before the model is asked; empty: nobody does
	// Bare is for the source face: statuses running, completed and error only, the output alone or one line for what went
	// wrong, and no argument that the source system does not know.
	Bare bool
}

// Lean are the words of every face but server: whatever happened can be seen.
func Lean() Texts {
	return Texts{
		Started: "Background task %[1]s started: %[2]s",
		Unknown: "Unknown: %s",
		None:    "No bg tasks.",
		Empty:   "(no output)",
		Error:   "Error: %s",
		Exit:    "[%s]",
		Timeout: "[timed out after %d s]",
		Notice:  "<background-results>\n%s\n</background-results>",
	}
}

// Server are the words of the server face.
func Server() Texts {
	t := Lean()
	t.Exit, t.Timeout, t.Bare = "", "Error: Timeout", true
	t.Noted = "Noted background results."
	return t
}

// Named finds a set by the name that profiles use; every name but "server" is [Lean].
func Named(name string) Texts {
	if name == "server" {
		return Server()
	}
	return Lean()
}

// state is the job's status now. The caller holds x.mu.
func (x *job) state() Status {
	switch {
	case x.ended():
		return x.end.Status
	case x.why != "":
		return Waiting
	}
	return Running
}

// status names a state in the words of the face.
func (t *Texts) status(s Status) Status {
	switch {
	case !t.Bare:
	case s == Orphaned:
		return Failed
	case s == Waiting:
		return Running
	}
	return s
}

// result is what a job that ended has come to, with at most limit characters of output. The caller holds x.mu.
func (j *Jobs) result(x *job, limit int) string {
	if j.o.Texts.Bare {
		return j.bareResult(x, limit)
	}
	out := j.readOutput(x.id, limit)
	lines := []string{out}
	if out == "" {
		lines = nil
	}
	failed := x.end.Status != Completed
	if how := j.how(x); failed && how != "" {
		lines = append(lines, how)
	}
	lines = append(lines, x.end.Left...)
	if failed {
		if why := j.o.Explain(out); why != "" {
			lines = append(lines, why)
		}
	}
	if len(lines) == 0 {
		return j.o.Texts.Empty
	}
	return strings.Join(lines, "\n")
}

// how says how a job failed.
func (j *Jobs) how(x *job) string {
	switch {
	case x.end.Reason == reasonTimeout:
		return fmt.Sprintf(j.o.Texts.Timeout, int(x.start.Timeout+0.999))
	case x.end.Reason != "":
		return "[" + x.end.Reason + "]"
	case x.end.Code != nil:
		r := shell.Result{Code: *x.end.Code}
		return fmt.Sprintf(j.o.Texts.Exit, r.Status())
	}
	return ""
}

// bareResult is the result in the source face: output, or what went wrong.
func (j *Jobs) bareResult(x *job, limit int) string {
	t := &j.o.Texts
	switch {
	case x.end.Reason == reasonTimeout:
		return t.Timeout
	case x.end.Reason != "":
		return fmt.Sprintf(t.Error, x.end.Reason)
	}
	if out := j.readHead(x.id, limit); out != "" {
		return out
	}
	if x.end.Code != nil && *x.end.Code != 0 {
		return fmt.Sprintf(t.Error, fmt.Sprintf("exit status %d", *x.end.Code))
	}
	return t.Empty
}

// leftOver says what a job left behind.
func leftOver(list []shell.Process) []string {
	const most = 10
	var out []string
	for i, p := range list {
		if i == most {
			return append(out, fmt.Sprintf("[and %d more]", len(list)-most))
		}
		what := "stopped what the job left behind: "
		if p.Running {
			what = "still running: "
		}
		out = append(out, fmt.Sprintf("[%s%d %s]", what, p.PID, text.Head(text.Clean([]byte(p.Command)), 60)))
	}
	return out
}

// short is the first line's worth of a command.
func short(command string, limit int, more string) string {
	r := []rune(command)
	if len(r) <= limit {
		return command
	}
	return string(r[:limit]) + more
}
