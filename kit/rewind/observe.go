package rewind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
)

// scope is where a call may change something: everywhere, or at these paths.
type scope struct {
	all   bool
	paths []name
}

// none reports that nothing can be changed.
func (s scope) none() bool { return !s.all && len(s.paths) == 0 }

func (s scope) covers(p name) bool { return s.all || slices.Contains(s.paths, p) }

func (s scope) with(o scope) scope {
	return scope{all: s.all || o.all, paths: append(slices.Clone(s.paths), o.paths...)}
}

// file gives a path as the system knows it.
func (r *Rewind) file(p name) string {
	if filepath.IsAbs(string(p)) {
		return string(p)
	}
	return filepath.Join(r.o.Root, filepath.FromSlash(string(p)))
}

// nameOf is the reverse; "" is the work directory itself.
func (r *Rewind) nameOf(path string) name {
	if rel, err := filepath.Rel(r.o.Root, path); err == nil && filepath.IsLocal(rel) {
		if rel == "." {
			return ""
		}
		return name(filepath.ToSlash(rel))
	}
	return name(filepath.Clean(path))
}

// observe compares a scope with the index, keeps what is new, brings the index up to date and gives the changes.
func (r *Rewind) observe(ctx context.Context, sc scope) ([]change, error) {
	if err := r.objects.count(); err != nil {
		return nil, err
	}
	var changes []change
	if sc.all {
		found, err := r.scan(ctx)
		if err != nil {
			return nil, err
		}
		changes = found
	}
	named, err := r.look(ctx, sc.paths)
	return append(changes, named...), err
}

// scan looks at the whole work directory.
func (r *Rewind) scan(ctx context.Context) ([]change, error) {
	if time.Now().Before(r.rest) {
		return nil, nil
	}
	top := ""
	if !r.o.Ignored {
		top = r.repository(ctx)
	}
	before := rules(top)
	x := &r.index
	begun := time.Now()
	w, err := r.walk(ctx, top, !x.full || x.rules != before)
	if err == nil && w.rules && !w.anew && top != "" {
		w, err = r.walk(ctx, top, true)
	}
	if err != nil && r.gaveUp(err, time.Since(begun)) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("work directory: %w", err)
	}
	r.slow = 0
	looked, err := r.readAll(ctx, w.changed, top != "" && len(w.changed) > 0)
	if err != nil {
		return nil, err
	}
	return r.merge(ctx, w, looked, before)
}

// gaveUp tells that the work directory is too large to be searched, and puts the next search off for so long that trying again costs
// little of the time of a session.
func (r *Rewind) gaveUp(err error, took time.Duration) bool {
	switch {
	case errors.Is(err, errTooMany):
		r.tell("many", r.msg.Text(msg.RewindTooMany, r.o.MaxFiles))
	case errors.Is(err, errTooSlow):
		r.slow = min(r.slow+1, 6)
		r.tell("slow", r.msg.Text(msg.RewindTooSlow))
	default:
		return false
	}
	const restFactor = 20
	r.rest = time.Now().Add(restFactor * took)
	return true
}

// repository is remembered while the place of .git stays what it is.
func (r *Rewind) repository(ctx context.Context) string {
	if r.top != "" && exists(filepath.Join(r.top, ".git")) {
		return r.top
	}
	r.top = r.git.repository(ctx)
	return r.top
}

func (r *Rewind) walk(ctx context.Context, top string, anew bool) (*walker, error) {
	r.index.scans++
	w := &walker{
		root: r.o.Root, index: &r.index, scan: r.index.scans, all: r.o.Ignored, leave: r.leave, anew: anew, limit: int64(r.o.MaxFiles),
		again: r.index.bound != r.o.MaxLook, until: time.Now().Add(r.o.Patience << r.slow),
	}
	if top != "" {
		w.ask = &asker{g: &r.git}
		defer w.ask.close()
	}
	err := w.run(ctx)
	if w.ask != nil && w.ask.bad && ctx.Err() == nil {
		r.tell("git", r.msg.Text(msg.RewindNoRules))
	}
	return w, err
}

// merge takes a scan into the index.
func (r *Rewind) merge(ctx context.Context, w *walker, all []looked, rules string) ([]change, error) {
	x := &r.index
	first := !x.full
	var changes []change
	silent := make([]bool, len(all)) // decided before anything changes
	for i, l := range all {
		silent[i] = first || x.hidden(l.path) // it was left out until now
	}
	for i, l := range all {
		if c, ok := r.take(l, silent[i]); ok {
			changes = append(changes, c)
		}
	}
	for _, p := range w.hidden {
		x.set(p, &entry{Skip: true, seen: w.scan})
	}
	var extra []name
	for p, e := range x.m {
		if e.seen == w.scan {
			continue
		}
		switch {
		case e.Extra:
			extra = append(extra, p)
		case underAny(w.blocked, p):
		case e.Skip, x.hidden(p):
			x.remove(p)
		default:
			changes = append(changes, change{Path: p, Before: e.State})
			x.remove(p)
		}
	}
	x.scanned(rules, r.o.MaxLook)
	r.tellUnkept(all)
	r.tellBlocked(w.blocked)
	more, err := r.look(ctx, extra)
	return append(changes, more...), err
}

// take brings one entry up to date. silent: it is only now that something is known of it.
func (r *Rewind) take(l looked, silent bool) (change, bool) {
	x := &r.index
	old := x.m[l.path]
	known := old != nil && !old.Skip
	e := l.entry
	e.seen = x.scans
	e.Extra = known && old.Extra
	if known && old.State == e.State && old.Stamp == e.Stamp && old.Racy == e.Racy {
		old.seen = x.scans
		return change{}, false
	}
	if l.info == nil && !e.Extra {
		x.remove(l.path)
	} else {
		x.set(l.path, &e)
	}
	before := state{}
	if known {
		before = old.State
	}
	if known && !before.kept() && old.Stamp == e.Stamp {
		return change{}, false // it is kept now, and was the same before
	}
	return change{Path: l.path, Before: before, After: e.State}, before != e.State && (known || !silent)
}

// look looks at single paths, wherever they are.
func (r *Rewind) look(ctx context.Context, paths []name) ([]change, error) {
	var changes []change
	var all []looked
	for _, p := range paths {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		old := r.index.m[p]
		info, err := os.Lstat(r.file(p))
		if err == nil && old.still(stampFor(info)) {
			continue
		}
		l := looked{seen: seen{path: p, old: old}}
		if err == nil {
			if l, err = r.read(seen{p, info, old}, ""); err != nil {
				return nil, err
			}
		}
		all = append(all, l)
		if c, ok := r.named(l); ok {
			changes = append(changes, c)
		}
	}
	r.tellUnkept(all)
	return changes, nil
}

// named takes in a path that a call has named: where no scan comes by, this is the first that is known of it.
func (r *Rewind) named(l looked) (change, bool) {
	x := &r.index
	scanned := x.full && !filepath.IsAbs(string(l.path)) && !x.hidden(l.path)
	if scanned || l.old != nil && !l.old.Skip {
		return r.take(l, false)
	}
	e := l.entry
	if l.old != nil && e.State.Kind == isDir {
		return change{}, false // what is in it stays left out
	}
	e.Extra, e.seen = true, x.scans
	x.set(l.path, &e)
	return change{}, false
}

func underAny(dirs []name, p name) bool {
	return slices.ContainsFunc(dirs, func(d name) bool { return strings.HasPrefix(string(p), string(d)+"/") })
}

// tell gives the person a notice, once.
func (r *Rewind) tell(id, text string) {
	if r.told[id] {
		return
	}
	r.told[id] = true
	if r.o.Notice != nil {
		r.o.Notice(text)
	}
}

func (r *Rewind) tellBlocked(dirs []name) {
	for _, d := range dirs {
		r.tell("blocked "+string(d), r.msg.Text(msg.RewindBlocked, string(d)))
	}
}

// tellUnkept names the files that could not be kept, a line for each reason.
func (r *Rewind) tellUnkept(all []looked) {
	groups := map[msg.Key][]string{}
	for _, l := range all {
		switch {
		case l.why == nil:
		case errors.Is(l.why, errTooLarge):
			groups[msg.RewindTooLarge] = append(groups[msg.RewindTooLarge], string(l.path))
		case errors.Is(l.why, errLater):
			groups[msg.RewindLater] = append(groups[msg.RewindLater], string(l.path))
		case errors.Is(l.why, errLook):
			groups[msg.RewindMuch] = append(groups[msg.RewindMuch], string(l.path))
		case errors.Is(l.why, errBound):
			groups[msg.RewindNoRoom] = append(groups[msg.RewindNoRoom], string(l.path))
		default:
			groups[msg.RewindUnreadable] = append(groups[msg.RewindUnreadable], string(l.path))
		}
	}
	limits := map[msg.Key]int64{msg.RewindTooLarge: r.o.MaxFile >> 20, msg.RewindNoRoom: r.o.MaxBytes >> 20, msg.RewindMuch: r.o.MaxLook >> 20}
	for key, paths := range groups {
		slices.Sort(paths)
		list := strings.Join(paths[:min(len(paths), 5)], ", ")
		if more := len(paths) - 5; more > 0 {
			list += r.msg.Text(msg.RewindAndMore, more)
		}
		id := string(key) + list
		if key == msg.RewindLater {
			id = string(key) // it gets shorter with every look
		}
		if n, ok := limits[key]; ok {
			r.tell(id, r.msg.Text(key, n, list))
		} else {
			r.tell(id, r.msg.Text(key, list))
		}
	}
}
