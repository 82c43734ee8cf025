package command

import (
	"context"

	"react-agent/internal/msg"
	"react-agent/kit/sandbox"
)

// worktreeCommands look at, keep or drop what a session did in its own worktree.
func worktreeCommands() []Command {
	return []Command{
		{
			Name: "diff", Help: msg.HelpDiff, Slash: true,
			Run: onWorktree(func(ctx context.Context, h *Host, in Input, w *sandbox.Worktree) error {
				text, err := w.Diff(ctx)
				if err == nil && text == "" {
					text = h.Msg.Text(msg.WorktreeSame)
				}
				return said(in, text, err)
			}),
		},
		{
			Name: "merge", Help: msg.HelpMerge, Slash: true,
			Run: onWorktree(func(ctx context.Context, h *Host, in Input, w *sandbox.Worktree) error {
				if err := idle(ctx, h, in.Session); err != nil {
					return err
				}
				text, err := w.Merge(ctx)
				return said(in, text, err)
			}),
		},
		{
			Name: "discard", Args: "[yes]", Help: msg.HelpDiscard, Slash: true, Max: 1,
			Run: onWorktree(func(ctx context.Context, h *Host, in Input, w *sandbox.Worktree) error {
				if len(in.Args) == 0 || in.Args[0] != "yes" {
					return usage(msg.WorktreeDiscard, w.Root())
				}
				if err := idle(ctx, h, in.Session); err != nil {
					return err
				}
				text, err := w.Discard(ctx)
				if err == nil {
					err = h.LeaveWorktree(ctx, in.Session)
				}
				return said(in, text, err)
			}),
		},
	}
}

func onWorktree(fn func(ctx context.Context, h *Host, in Input, w *sandbox.Worktree) error) func(context.Context, *Host, Input) (Outcome, error) {
	return func(ctx context.Context, h *Host, in Input) (Outcome, error) {
		w, err := h.Worktree(ctx, in.Session)
		if err != nil {
			return Outcome{}, err
		}
		if w == nil {
			return Outcome{}, usage(msg.NoWorktree)
		}
		return Outcome{}, fn(ctx, h, in, w)
	}
}

func said(in Input, text string, err error) error {
	if err != nil {
		return err
	}
	return in.printf("%s\n", text)
}
