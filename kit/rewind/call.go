package rewind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/internal/filelock"
	"react-agent/internal/msg"
)

// locked runs fn while nobody else, in this process or another, uses the directory. Everything is read again that others have
// changed, and a restore that was cut off is finished first.
func (r *Rewind) locked(ctx context.Context, fn func() error) error {
	select {
	case r.door <- struct{}{}:
		defer func() { <-r.door }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := os.MkdirAll(filepath.Join(r.o.Dir, "active"), 0o700); err != nil {
		return err
	}
	lock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	r.history.lineage = nil // a session may have been removed, and another have its name
	if err := errors.Join(r.readMap(), r.index.read(), r.history.read()); err != nil {
		return err
	}
	if err := r.recover(ctx); err != nil {
		return err
	}
	if err := fn(); err != nil {
		r.forget()
		return err
	}
	return nil
}

// forget makes the next use read everything again: what was noted in memory was not stored.
func (r *Rewind) forget() {
	r.index.pending, r.history.pending = nil, nil
	r.index.file.info, r.history.file.info, r.objects.git.file.info = nil, nil, nil
}

func (r *Rewind) lock(ctx context.Context) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(r.o.Dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Lock(ctx, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (r *Rewind) readMap() error {
	m := r.objects.git
	return m.file.read(func() { m.oids = map[string]string{} }, func(raw []byte) error {
		var l objectLine
		if err := decode(raw, &l); err != nil {
			return err
		}
		m.oids[l.Sum] = l.OID
		return nil
	})
}

// save stores what was noted: contents first, then what names them.
func (r *Rewind) save() error {
	sync := !r.o.NoSync
	err := r.objects.flush()
	if err == nil && sync {
		err = r.objects.git.file.sync()
	}
	if err == nil {
		err = r.index.save(sync)
	}
	if err == nil {
		err = r.history.save()
	}
	return err
}

// settle waits until what was stored is on the disk.
func (r *Rewind) settle() error {
	if r.o.NoSync {
		return nil
	}
	return errors.Join(r.index.file.sync(), r.history.file.sync())
}

// scopeOf tells where a call may change something.
func (r *Rewind) scopeOf(t agent.Tool, c agent.Call) scope {
	if r.o.Paths == nil {
		return scope{all: true}
	}
	paths, ok := r.o.Paths(t, c)
	if !ok {
		return scope{all: true}
	}
	var sc scope
	for _, p := range paths {
		p = filepath.Join(resolve(filepath.Dir(p)), filepath.Base(p))
		to := resolve(p)
		if info, err := os.Lstat(to); err == nil && info.Mode().IsRegular() && links(info) > 1 {
			return scope{all: true} // its other names change with it
		}
		sc.add(r, p)
		if to != p { // a link may be written through, or replaced
			sc.add(r, to)
		}
	}
	return sc
}

// add adds a path, with the directories that will be made for it.
func (s *scope) add(r *Rewind, path string) {
	for {
		n := r.nameOf(path)
		up := filepath.Dir(path)
		if n == "" || up == path {
			return
		}
		if !slices.Contains(s.paths, n) {
			s.paths = append(s.paths, n)
		}
		if exists(up) {
			return
		}
		path = up
	}
}

// begin makes the checkpoint of a call. It is on the disk when begin returns.
func (r *Rewind) begin(ctx context.Context, t agent.Tool, c agent.Call, sc scope) (id int64, err error) {
	err = r.locked(ctx, func() error {
		if err := r.catchUp(ctx, sc); err != nil {
			return err
		}
		id = r.history.add(record{Type: recBegin, Key: c.Key, Tool: t.Name, Paths: sc.paths, Outer: t.Resume})
		if err := errors.Join(r.save(), r.settle()); err != nil {
			return err
		}
		f, ok, err := filelock.Take(r.activePath(id))
		if err == nil && !ok {
			err = fmt.Errorf("%s is locked by somebody else", r.activePath(id))
		}
		if err == nil {
			r.running[id] = f
		}
		return err
	})
	return id, err
}

// end records what a call has changed. A fault is told: the call has run, and its result counts.
func (r *Rewind) end(ctx context.Context, id int64, sc scope) {
	err := r.locked(ctx, func() error {
		f := r.running[id]
		err := r.over(ctx, id, sc)
		if err == nil {
			err = r.save()
		}
		_ = f.Close()
		delete(r.running, id)
		return errors.Join(err, os.Remove(r.activePath(id)))
	})
	if err != nil && r.o.Notice != nil {
		r.o.Notice(r.msg.Text(msg.RewindNoEnd, err))
	}
}

// over looks at what a call has done. One that works through others may have started what runs on.
func (r *Rewind) over(ctx context.Context, id int64, sc scope) error {
	if outer, ok := r.history.open[id]; ok {
		if name, _ := r.o.Background(ctx, outer.Key); name == "" {
			r.history.end(id)
		}
		return nil
	}
	changes, err := r.observe(ctx, sc)
	if err == nil {
		r.attribute(changes, nil, nil)
		r.history.end(id)
	}
	return err
}

func (r *Rewind) activePath(id int64) string {
	return filepath.Join(r.o.Dir, "active", strconv.FormatInt(id, 10))
}

// catchUp records what has changed since the last look, in this scope and where calls were cut off.
func (r *Rewind) catchUp(ctx context.Context, sc scope) error {
	dead := r.cutOff()
	jobs, err := r.jobs(ctx)
	if err != nil {
		return err
	}
	// What a job did is looked for at once when it has ended: what comes later is then not its work.
	if slices.ContainsFunc(jobs, func(j job) bool { return !j.ended.IsZero() }) {
		sc.all = true
	}
	for _, rec := range dead {
		sc = sc.with(scope{all: len(rec.Paths) == 0, paths: rec.Paths})
	}
	for try := 0; ; try++ {
		changes, err := r.observe(ctx, sc)
		if err != nil {
			return err
		}
		r.attribute(changes, dead, jobs)
		dropped, err := r.makeRoom()
		if err != nil {
			return err
		}
		if !dropped || try > 0 {
			break
		}
	}
	for id := range dead {
		if err := r.finish(id); err != nil {
			return err
		}
	}
	return r.seen(jobs)
}

// cutOff gives the calls that were begun by a process that is gone.
func (r *Rewind) cutOff() map[int64]record {
	dead := map[int64]record{}
	for id, rec := range r.history.active {
		if r.running[id] != nil {
			continue
		}
		if f, ok, err := filelock.Take(r.activePath(id)); err == nil && ok {
			_ = f.Close()
			dead[id] = rec
		}
	}
	return dead
}

// attribute records changes as those of the calls that are running where they happened, else perhaps of jobs, else of
// others. A call that was cut off shares its changes with whoever came after it.
func (r *Rewind) attribute(changes []change, dead map[int64]record, jobs []job) {
	groups := map[string]*record{}
	var order []string
	for _, c := range changes {
		var keys []string
		unsure := false
		for id, rec := range r.history.active {
			sc := scope{all: len(rec.Paths) == 0, paths: rec.Paths}
			if sc.covers(c.Path) {
				keys = append(keys, rec.Key)
				_, isDead := dead[id]
				unsure = unsure || isDead
			}
		}
		slices.Sort(keys)
		rec := record{Type: recChange, Keys: slices.Compact(keys), Unsure: unsure}
		if len(keys) == 0 {
			rec = r.perhaps(c, jobs)
		}
		group := strconv.FormatBool(rec.Unsure) + strings.Join(rec.Keys, "\x00")
		if groups[group] == nil {
			groups[group] = &rec
			order = append(order, group)
		}
		groups[group].Changes = append(groups[group].Changes, c)
	}
	for _, group := range order {
		r.history.add(*groups[group])
	}
}
