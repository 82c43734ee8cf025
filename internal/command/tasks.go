package command

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/task"
)

const tasksArgs = "[show ID | add SUBJECT | done ID... | rm ID...]"

// tasksOwner is in whose name a person claims who gives none.
const tasksOwner = "user"

// taskCommands look at the board of tasks, and change it: in a conversation and as a group.
func taskCommands() []Command {
	links := []Flag{
		{Name: "description", Help: msg.FlagTaskAbout},
		{Name: "blocked-by", Help: msg.FlagTaskAfter},
		{Name: "blocks", Help: msg.FlagTaskBefore},
		jsonFlag(),
	}
	change := append([]Flag{{Name: "status", Help: msg.FlagTaskStatus}, {Name: "subject", Help: msg.FlagTaskSubject}}, links...)
	owner := Flag{Name: "owner", Default: tasksOwner, Help: msg.FlagTaskOwner}
	list := []Command{
		{Name: "task list", Help: msg.HelpTaskList, Flags: []Flag{jsonFlag()}, Run: onBoard(listTasks)},
		{Name: "task show", Args: "ID", Help: msg.HelpTaskShow, Min: 1, Max: 1, Run: onBoard(showTask)},
		{Name: "task add", Args: "SUBJECT...", Help: msg.HelpTaskAdd, Min: 1, Max: -1, Flags: links, Run: onBoard(addTask)},
		{Name: "task update", Args: "ID", Help: msg.HelpTaskUpdate, Min: 1, Max: 1, Flags: change, Run: onBoard(updateTask)},
		{Name: "task done", Args: "ID...", Help: msg.HelpTaskDone, Min: 1, Max: -1, Flags: []Flag{jsonFlag()}, Run: onBoard(completeTasks)},
		{Name: "task claim", Args: "ID", Help: msg.HelpTaskClaim, Min: 1, Max: 1, Flags: []Flag{owner, jsonFlag()}, Run: onBoard(claimTask)},
		{Name: "task rm", Args: "ID...", Help: msg.HelpTaskRm, Min: 1, Max: -1, Flags: []Flag{jsonFlag()}, Run: onBoard(removeTasks)},
	}
	for i := range list {
		list[i].Shell, list[i].Lenient = true, true // a faulty setting is no reason not to look
	}
	return append(list, Command{Name: "tasks", Args: tasksArgs, Help: msg.HelpTasks, Slash: true, Max: -1, Run: onBoard(tasksSlash)})
}

// onBoard runs a command on the board; a mistake in what was asked for is the person's.
func onBoard(fn func(ctx context.Context, h *Host, in Input) error) func(context.Context, *Host, Input) (Outcome, error) {
	return func(ctx context.Context, h *Host, in Input) (Outcome, error) {
		in.JSON = in.wantsJSON()
		err := fn(ctx, h, in)
		if _, known := AsUsage(err); !known && task.IsMistake(err) {
			err = &UsageError{err}
		}
		return Outcome{}, err
	}
}

// tasksSlash is the command in a conversation, where there are no flags.
func tasksSlash(ctx context.Context, h *Host, in Input) error {
	if len(in.Args) == 0 {
		return listTasks(ctx, h, in)
	}
	what := in.Args[0]
	in.Args = in.Args[1:]
	switch {
	case what == "show" && len(in.Args) == 1:
		return showTask(ctx, h, in)
	case what == "add" && len(in.Args) > 0:
		return addTask(ctx, h, in)
	case what == "done" && len(in.Args) > 0:
		return completeTasks(ctx, h, in)
	case what == "rm" && len(in.Args) > 0:
		return removeTasks(ctx, h, in)
	}
	return usage(msg.SlashArgs, "/tasks "+tasksArgs)
}

// Tasks is the board as a person reads it.
func Tasks(ctx context.Context, h *Host) (string, error) {
	list, faults, err := h.Tasks.List(ctx)
	if err != nil {
		return "", err
	}
	text := task.Lines(list, faults, h.Msg)
	if rest, ok := strings.CutPrefix(text, task.Empty); ok {
		text = h.Msg.Text(msg.TasksNone) + rest
	}
	return text, nil
}

func listTasks(ctx context.Context, h *Host, in Input) error {
	if !in.JSON {
		text, err := Tasks(ctx, h)
		if err != nil {
			return err
		}
		return in.printf("%s\n", text)
	}
	list, faults, err := h.Tasks.List(ctx)
	if err != nil {
		return err
	}
	type fault struct {
		File   string `json:"file"`
		Reason string `json:"reason"`
	}
	broken := []fault{}
	for _, f := range faults {
		broken = append(broken, fault{".tasks/" + f.File, h.Msg.Err(f.Err)})
	}
	return printJSON(in, map[string]any{"tasks": listOf(list), "broken": broken})
}

func showTask(ctx context.Context, h *Host, in Input) error {
	id, err := taskID(in.Args[0])
	if err != nil {
		return err
	}
	t, err := h.Tasks.Get(ctx, id)
	if err != nil {
		return err
	}
	return in.printf("%s\n", t)
}

func addTask(ctx context.Context, h *Host, in Input) error {
	c, err := linksOf(in)
	if err != nil {
		return err
	}
	if err := h.Mates.Meet(ctx); err != nil {
		return err
	}
	t, err := h.Tasks.Create(ctx, strings.Join(in.Args, " "), in.Flags["description"])
	if err != nil {
		return err
	}
	if len(c.AddBlockedBy)+len(c.AddBlocks) > 0 {
		made := t.ID
		if t, err = h.Tasks.Update(ctx, made, c); err != nil { // it does not stay without what it waits for
			_, other := h.Tasks.Update(ctx, made, task.Change{Status: task.Deleted})
			return errors.Join(err, other)
		}
	}
	return reportTask(h, in, t, msg.TaskAdded, t.ID, t.Subject)
}

func updateTask(ctx context.Context, h *Host, in Input) error {
	id, err := taskID(in.Args[0])
	if err != nil {
		return err
	}
	c, err := linksOf(in)
	if err != nil {
		return err
	}
	if c.Status = in.Flags["status"]; c.Status == task.Deleted {
		return usage(msg.TaskDeleteRm)
	}
	for name, to := range map[string]**string{"subject": &c.Subject, "description": &c.Description} {
		if v := in.Flags[name]; v != "" {
			*to = &v
		}
	}
	if c.Status == "" && c.Subject == nil && c.Description == nil && len(c.AddBlockedBy)+len(c.AddBlocks) == 0 {
		return usage(msg.TaskNothing)
	}
	t, err := h.Tasks.Update(ctx, id, c)
	if err != nil {
		return err
	}
	if in.JSON {
		return printJSON(in, t)
	}
	return changedTask(ctx, h, in, t)
}

func completeTasks(ctx context.Context, h *Host, in Input) error {
	var done []task.Task
	for _, arg := range in.Args {
		id, err := taskID(arg)
		if err != nil {
			return err
		}
		t, err := h.Tasks.Update(ctx, id, task.Change{Status: task.Completed})
		if err != nil {
			return err
		}
		if done = append(done, t); in.JSON {
			continue
		}
		if err := changedTask(ctx, h, in, t); err != nil {
			return err
		}
	}
	if in.JSON {
		return printJSON(in, map[string]any{"completed": done})
	}
	return nil
}

// changedTask shows a task as it stands on the board now.
func changedTask(ctx context.Context, h *Host, in Input, t task.Task) error {
	list, faults, err := h.Tasks.List(ctx)
	if err != nil {
		return err
	}
	return in.printf("%s\n", task.Line(t, list, faults))
}

func claimTask(ctx context.Context, h *Host, in Input) error {
	id, err := taskID(in.Args[0])
	if err != nil {
		return err
	}
	t, err := h.Tasks.Claim(ctx, id, in.Flags["owner"])
	if err != nil {
		return err
	}
	return reportTask(h, in, t, msg.TaskClaimed, t.ID, t.Owner)
}

func removeTasks(ctx context.Context, h *Host, in Input) error {
	removed := []int{}
	for _, arg := range in.Args {
		id, err := taskID(arg)
		if err != nil {
			return err
		}
		if _, err := h.Tasks.Update(ctx, id, task.Change{Status: task.Deleted}); err != nil {
			return err
		}
		removed = append(removed, id)
		if in.JSON {
			continue
		}
		if err := in.printf("%s\n", h.Msg.Text(msg.TaskGone, id)); err != nil {
			return err
		}
	}
	if in.JSON {
		return printJSON(in, map[string]any{"removed": removed})
	}
	return nil
}

// reportTask prints the task, or a sentence about what became of it.
func reportTask(h *Host, in Input, t task.Task, k msg.Key, args ...any) error {
	if in.JSON {
		return printJSON(in, t)
	}
	return in.printf("%s\n", h.Msg.Text(k, args...))
}

// taskID reads the number of a task, as 3 or #3.
func taskID(s string) (int, error) {
	id, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(s), "#"))
	if err != nil || id < 1 {
		return 0, usage(msg.TaskNumber, s)
	}
	return id, nil
}

// linksOf reads what a task waits for and what waits for it.
func linksOf(in Input) (c task.Change, err error) {
	for name, to := range map[string]*[]int{"blocked-by": &c.AddBlockedBy, "blocks": &c.AddBlocks} {
		for s := range strings.SplitSeq(in.Flags[name], ",") {
			if in.Flags[name] == "" {
				break
			}
			id, err := taskID(s)
			if err != nil {
				return c, err
			}
			*to = append(*to, id)
		}
	}
	return c, nil
}
