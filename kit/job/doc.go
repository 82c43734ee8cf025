// Package job runs commands in the background of a session and tells the model when they end.
//
//	jobs, err := job.New(job.Options{Log: store, Dir: state + "/jobs", Root: workDir})
//	…
//	a.Tools = append(a.Tools, jobs.Tools(spec.Waiting)...)
//	a.Hooks = append(a.Hooks, jobs.Hook(spec.Waiting))
//	…
//	defer jobs.Close(ctx)
//
// # What a job is
//
// A command with a file for its output, which it writes itself, and a file for its exit status, which a small shell
// around it writes. So a job goes on when this process dies, and its end is known later all the same. Its input is empty.
// What happened to it stands in the log job/ID: how it was started, as which process, why it was stopped, how it ended.
// Entries are appended behind the last one that was read, so of two processes that watch a job one records its end.
//
// The id is the beginning of a UUID that is made from the key of the call which started the job. The same call, run again
// after a crash, finds the log of its job and not a place for a second one.
//
// A job with a terminal (pty) is different: its output goes through this process, and it is hung up with it. When it
// switches the echo off and waits, or asks for a password, its state is "waiting": it needs a human.
//
// # How the model learns of the end
//
// The result that starts a job leaves job/ID in the session's State. Before each model call the hook looks at these: what
// has ended is told in one message, whose event takes job/ID out of the State. So the message is stored exactly once, and
// what cannot be stored now comes later. How many jobs end at a time does not matter. [Options.Notify] is only a hint
// that there is something to pull; [Jobs.Pull] takes it into a session that is idle. With [Options.WaitAtEnd] an answer of the model is not the end while jobs run: the
// hook waits for the next one to end, unless the person speaks or the run is cancelled.
//
// # How jobs end
//
// By themselves; at their time limit; when their output grows beyond [Options.MaxOutput]; by [Jobs.Kill]; and all that
// this process has started by [Jobs.Close], but for those with keep. The whole tree of processes is stopped, also those
// that made themselves daemons. What a job leaves behind when it ends by itself is stopped too, except what was started
// with nohup. Time limit and size are watched by whoever runs: after a crash, from the moment the session is opened again
// or [Jobs.Recover] has been called. A job that nobody saw ending and that left no status, because it was killed or the
// machine was restarted, is orphaned. Logs and outputs of jobs that ended [Options.Retain] ago are removed by Recover.
//
// Everything here may be used by many sessions at once.
package job
