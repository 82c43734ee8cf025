package command

import (
	"context"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/job"
)

// tailBytes is how much of a job's output is shown.
const tailBytes = 4000

// jobsCommand lists the session's background jobs, shows what one printed, stops it, or types into it.
func jobsCommand() Command {
	return Command{
		Name: "jobs", Args: "[tail|kill ID | type ID TEXT]", Help: msg.HelpJobs, Slash: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			jobs, err := h.Jobs(ctx, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			list, err := jobs.List(ctx, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			if len(in.Args) == 0 {
				return Outcome{}, printJobs(h, in, list)
			}
			if len(in.Args) == 1 {
				return Outcome{}, usage(msg.SlashArgs, "/jobs [tail|kill ID | type ID TEXT]")
			}
			id := in.Args[1]
			at := slices.IndexFunc(list, func(i job.Info) bool { return i.ID == id })
			if at < 0 {
				return Outcome{}, usage(msg.JobsUnknown, id)
			}
			if s := list[at].Status; in.Args[0] == "kill" && s != job.Running && s != job.Waiting && s != job.Orphaned {
				return Outcome{}, usage(msg.JobsOver, id)
			}
			return Outcome{}, oneJob(ctx, h, in, jobs)
		},
	}
}

func printJobs(h *Host, in Input, list []job.Info) error {
	if len(list) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.NoJobs))
	}
	for _, i := range list {
		if err := in.printf("%s\n", jobLine(h.Msg, i)); err != nil {
			return err
		}
	}
	return nil
}

// jobLine describes a job. One that waits for what only a person can type says how to do that.
func jobLine(c msg.Catalogue, i job.Info) string {
	if i.Status == job.Waiting && i.PTY {
		i.Reason = c.Text(msg.JobType, i.ID)
	}
	return i.Line(c)
}

func oneJob(ctx context.Context, h *Host, in Input, jobs *job.Jobs) error {
	id := in.Args[1]
	switch verb := in.Args[0]; {
	case verb == "tail" && len(in.Args) == 2:
		piece, _, _, err := jobs.Output(ctx, id, -tailBytes, tailBytes)
		return said(in, strings.TrimRight(text.Clean(piece), "\n"), err)
	case verb == "kill" && len(in.Args) == 2:
		return said(in, h.Msg.Text(msg.JobsKilled, id), jobs.Kill(ctx, id))
	case verb == "type" && len(in.Args) > 2:
		return jobs.Input(ctx, id, strings.Join(in.Args[2:], " ")+"\n")
	}
	return usage(msg.SlashArgs, "/jobs [tail|kill ID | type ID TEXT]")
}
