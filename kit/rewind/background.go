package rewind

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"react-agent/internal/filelock"
	"react-agent/internal/msg"
)

// job is what a call has started in the background, until a look has seen all that it did.
type job struct {
	id    string
	call  record    // its begin
	ended time.Time // zero: it runs
}

// jobs asks what became of the calls that work through others, and forgets those that are over without having started
// anything. It is asked before a look, so that nothing a job did before its end is missed by the look that follows.
func (r *Rewind) jobs(ctx context.Context) ([]job, error) {
	var list []job
	for id, rec := range r.history.open {
		name, ended := r.o.Background(ctx, rec.Key)
		if name != "" {
			list = append(list, job{id: name, call: rec, ended: ended})
			continue
		}
		if r.held(id) {
			continue // it may start something yet
		}
		if err := r.finish(id); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b job) int { return int(a.call.ID - b.call.ID) })
	return list, nil
}

// seen forgets the jobs that had ended before the look that was just taken.
func (r *Rewind) seen(jobs []job) error {
	for _, j := range jobs {
		if j.ended.IsZero() || r.held(j.call.ID) {
			continue
		}
		if err := r.finish(j.call.ID); err != nil {
			return err
		}
	}
	return nil
}

// held reports whether a call is running, here or in another process.
func (r *Rewind) held(id int64) bool {
	if r.running[id] != nil {
		return true
	}
	path := r.activePath(id)
	if !exists(path) {
		return false
	}
	f, ok, err := filelock.Take(path)
	if err != nil || !ok {
		return true
	}
	_ = f.Close()
	return false
}

// finish notes that a call is over.
func (r *Rewind) finish(id int64) error {
	r.history.end(id)
	if err := os.Remove(r.activePath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// perhaps makes the record of a change that no call made which runs in the foreground: of the jobs that may have made
// it, or else of others.
func (r *Rewind) perhaps(c change, jobs []job) record {
	rec := record{Type: recChange}
	for _, j := range jobs {
		if r.after(c, j.ended) {
			continue
		}
		rec.Keys = append(rec.Keys, j.call.Key)
		rec.Jobs = append(rec.Jobs, j.id)
		rec.Since = j.call.ID
		rec.Unsure = true
	}
	slices.Sort(rec.Keys)
	rec.Keys, rec.Jobs = slices.Compact(rec.Keys), slices.Compact(rec.Jobs)
	return rec
}

// clockSlack is how far the times of files may be behind the clock: a tick of the kernel's, and what the end of a job is
// rounded by.
const clockSlack = 20 * time.Millisecond

// after reports whether a change was certainly made after a job had ended. A directory tells nothing: its times change with
// what is put into it. Neither does what is gone.
func (r *Rewind) after(c change, ended time.Time) bool {
	e := r.index.m[c.Path]
	if ended.IsZero() || e == nil || c.After.Kind == "" || c.After.Kind == isDir {
		return false
	}
	at := e.Stamp.CTime
	if at == 0 {
		at = e.Stamp.MTime
	}
	return at > ended.Add(clockSlack).UnixNano()
}

// maxJobs is how many jobs are named in a reason.
const maxJobs = 3

// byJob names the jobs of a record.
func (r *Rewind) byJob(rec record) string {
	list := strings.Join(rec.Jobs[:min(len(rec.Jobs), maxJobs)], ", ")
	if more := len(rec.Jobs) - maxJobs; more > 0 {
		list += r.msg.Text(msg.RewindAndMore, more)
	}
	return r.msg.Text(msg.RewindByJob, list)
}
