package engine

import (
	"context"
	"slices"
)

// maxReplies bounds the answers of commands that are remembered.
const maxReplies = 1024

// replies are the answers of commands that had an ID.
type replies struct {
	list  map[commandID]*heardCommand
	order []commandID // of those that are answered, oldest first
}

type commandID struct{ session, id string }

// heardCommand is a command at work, or what it has come to.
type heardCommand struct {
	done  chan struct{}
	reply Reply
	err   error
}

// command answers a command line. The same ID twice gives the first answer, and waits for it if need be, as long as this
// process remembers it; of a message the input log remembers it. One that has failed may be said again.
func (l *Local) command(ctx context.Context, r *room, in Input) (Reply, error) {
	if l.c.Commands == nil {
		return Reply{}, FaultNoCommands.error()
	}
	if in.ID == "" {
		return l.c.Commands(ctx, r.id, in.Command)
	}
	key := commandID{r.id, in.ID}
	for {
		l.mu.Lock()
		h, known := l.said.list[key]
		if !known {
			h = &heardCommand{done: make(chan struct{}), err: context.Canceled} // unless it comes to its end
			l.said.list[key] = h
		}
		l.mu.Unlock()
		if !known {
			defer l.answered(key, h)
			h.reply, h.err = l.c.Commands(ctx, r.id, in.Command)
			return h.reply, h.err
		}
		select {
		case <-h.done:
		case <-ctx.Done():
			return Reply{}, context.Cause(ctx)
		}
		if h.err == nil {
			return h.reply, nil
		}
	}
}

// answered lets those go on who wait for a command's answer, and remembers it.
func (l *Local) answered(key commandID, h *heardCommand) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(h.done)
	if l.said.list[key] != h {
		return // the session is gone
	}
	if h.err != nil || h.reply.says() {
		delete(l.said.list, key)
		return
	}
	if l.said.order = append(l.said.order, key); len(l.said.order) > maxReplies {
		delete(l.said.list, l.said.order[0])
		l.said.order = slices.Delete(l.said.order, 0, 1)
	}
}

// unsay drops the answers of a session that is gone.
func (l *Local) unsay(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.said.list {
		if key.session == session {
			delete(l.said.list, key)
		}
	}
	l.said.order = slices.DeleteFunc(l.said.order, func(key commandID) bool { return key.session == session })
}
