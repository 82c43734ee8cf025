package mates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/store"
)

// firstKey is the document that says what lay in the folder when this state first had to do with its team.
const firstKey = "arrival/team"

// first is what came with the folder: how long each inbox was, and the tasks. What was added since is taken for what people
// and agents have written here.
type first struct {
	Inboxes map[string]int64 `json:"inboxes"`
	Tasks   map[int]string   `json:"tasks"` // by id, the hash of what is to be done
}

// Meet writes down, once for a state, what came with the folder. It is called before anything of the team is changed.
func (m *Mates) Meet(ctx context.Context) error {
	found, stored, err := m.met(ctx)
	if err != nil || stored {
		return err
	}
	return edit(ctx, m, firstKey, func(x *first) error {
		if x.Inboxes != nil {
			return store.ErrSame
		}
		*x = found
		return nil
	})
}

// met is what came with the folder: what was written down, else all that lies there now, as nothing was changed by us yet. A
// look writes nothing down.
func (m *Mates) met(ctx context.Context) (x first, stored bool, err error) {
	if rev, err := m.load(ctx, firstKey, &x); rev != 0 || err != nil {
		return x, true, err
	}
	x, err = m.lying(ctx)
	return x, false, err
}

// lying is what lies in the folder now.
func (m *Mates) lying(ctx context.Context) (first, error) {
	x := first{Inboxes: map[string]int64{}, Tasks: map[int]string{}}
	keys, err := m.inboxes(ctx)
	if err != nil {
		return x, err
	}
	for _, key := range keys {
		end, err := m.end(ctx, key)
		if err != nil {
			return x, err
		}
		if end > 0 {
			x.Inboxes[key] = end
		}
	}
	if m.o.Board == nil {
		return x, nil
	}
	tasks, err := m.o.Board.All(ctx)
	for _, t := range tasks {
		x.Tasks[t.ID] = t.hash()
	}
	return x, err
}

// inboxes lists whose there are. The lead's is always among them: where names are compared without case it may have another
// spelling.
func (m *Mates) inboxes(ctx context.Context) ([]string, error) {
	keys := []string{Lead}
	for e, err := range m.o.Log.Names(ctx, inboxLog("")) {
		if err != nil {
			return nil, err
		}
		if key := strings.TrimPrefix(e.Name, inboxLog("")); key != Lead {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// hash tells apart what is to be done.
func (t Task) hash() string {
	sum := sha256.Sum256([]byte(t.Subject + "\x00" + t.Description))
	return hex.EncodeToString(sum[:8])
}

// mark is how far an inbox came with the folder; 0 where that is trusted.
func (m *Mates) mark(ctx context.Context, key string) (int64, error) {
	if m.o.Trusted {
		return 0, nil
	}
	x, stored, err := m.met(ctx)
	to := x.Inboxes[key]
	if err != nil || to == 0 || !stored {
		return to, err
	}
	if end, err := m.end(ctx, key); err != nil || end >= to {
		return to, err
	}
	return 0, edit(ctx, m, firstKey, func(x *first) error { // somebody has emptied it since
		delete(x.Inboxes, key)
		return nil
	})
}

// takes gives what tells the tasks that may be claimed by themselves: not what came with the folder, unless the project is
// trusted.
func (m *Mates) takes(ctx context.Context) (func(Task) bool, error) {
	x, _, err := m.met(ctx)
	return func(t Task) bool { return m.o.Trusted || x.Tasks[t.ID] != t.hash() }, err
}

// ready reports whether there is a task to claim.
func (m *Mates) ready(ctx context.Context) (bool, error) {
	takes, err := m.takes(ctx)
	if err != nil || m.o.Board == nil {
		return false, err
	}
	return m.o.Board.Ready(ctx, takes)
}

// told is the team as models are told it: in a project that is not trusted it has no name but the usual one, and only
// members that this state knows.
func (m *Mates) told(ctx context.Context) (Roster, error) {
	r, err := m.Team(ctx)
	if err != nil || m.o.Trusted {
		return r, err
	}
	all, err := m.mates(ctx)
	r.Name = usualName
	r.Members = slices.DeleteFunc(r.Members, func(x Member) bool {
		key, err := Clean(x.Name)
		_, known := all[key]
		return err != nil || !known
	})
	return r, err
}

// notice tells once what came with the folder and waits for trust.
func (m *Mates) notice(ctx context.Context) {
	m.mu.Lock()
	again := m.noticed
	m.noticed = true
	m.mu.Unlock()
	if again {
		return
	}
	m.warn(m.Meet(ctx))
	mail, err := m.leftMail(ctx)
	if err == nil && mail > 0 {
		err = msg.Errorf(msg.MateBrought, mail)
	}
	m.warn(err)
	tasks, err := m.leftTasks(ctx)
	if err == nil && tasks > 0 {
		err = msg.Errorf(msg.MateBroughtTasks, tasks)
	}
	m.warn(err)
}

// leftMail counts the unread messages that came with the folder.
func (m *Mates) leftMail(ctx context.Context) (n int, err error) {
	keys, err := m.inboxes(ctx)
	for _, key := range keys {
		c, err := m.cursorOf(ctx, key)
		if err != nil {
			return n, err
		}
		for x, err := range m.read(ctx, key, c.Pos, false) {
			if err != nil {
				return n, err
			}
			if !x.Brought {
				break
			}
			n++
		}
	}
	return n, err
}

// leftTasks counts the tasks that came with the folder and that a teammate would claim by itself.
func (m *Mates) leftTasks(ctx context.Context) (n int, err error) {
	takes, err := m.takes(ctx)
	if err != nil || m.o.Board == nil {
		return 0, err
	}
	_, err = m.o.Board.Ready(ctx, func(t Task) bool { // it is asked about each that is ready
		if !takes(t) {
			n++
		}
		return false
	})
	return n, err
}
