package install

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// Update is what became of looking for a newer version of one skill.
type Update struct {
	State State
	// Change is what would be done; nil if Err says why nothing can.
	Change *Change
	Err    error
}

// list is a list of files for people, with an end.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// Updates fetches the sources of installed skills, each once, and says what has changed there. It changes nothing. The
// bundles that were fetched are closed before it returns: a Change has all it needs. Where the source has nothing new, what a
// person has changed stays, unless force says to bring back what was installed.
func (s *Store) Updates(ctx context.Context, f *Fetcher, states []State, force bool) ([]Update, error) {
	bundles := map[Source]*Bundle{}
	failed := map[Source]error{}
	defer func() {
		for _, b := range bundles {
			if b != nil {
				_ = b.Close() // in the folder for temporary files
			}
		}
	}()
	var out []Update
	for _, st := range states {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u := Update{State: st}
		src, err := st.entry.source(st.Place)
		if st.Status == Linked {
			err = msg.Errorf(msg.InstallIsLink, st.Links[0])
		}
		if err == nil && bundles[src] == nil && failed[src] == nil {
			bundles[src], failed[src] = f.Fetch(ctx, src, true)
		}
		if err == nil {
			err = failed[src]
		}
		if err == nil {
			u.Change, err = s.update(ctx, bundles[src], st, force)
		}
		if err != nil {
			u.Err = named(st.Name, err)
		}
		out = append(out, u)
	}
	return out, nil
}

func (s *Store) update(ctx context.Context, b *Bundle, st State, force bool) (*Change, error) {
	f, err := b.again(ctx, st.entry)
	if err != nil {
		return nil, err
	}
	l, err := readLock(st.Place)
	if err != nil {
		return nil, err
	}
	c, err := st.Place.plan(ctx, l, b, f, st.Name, false)
	if err != nil {
		return nil, err
	}
	if c.Old != nil && c.Old.Status == Modified && !c.Same && c.unchanged() {
		if c.Restores = force; !force {
			c.Same, c.Blocked = true, nil // nothing new upstream; what the person did stays
		}
	}
	return c, nil
}

// unchanged says whether the source still has what was installed, whatever is on the disk now.
func (c *Change) unchanged() bool {
	if want := c.Old.entry.files(); want != nil {
		same, _, _ := c.Old.entry.matches(c.Files)
		return same
	}
	old := c.Old.entry
	for _, field := range []string{fHash, fFolder} {
		if v := old.text(field); v != "" {
			return v == c.entry.text(field)
		}
	}
	return old.text(fDigest) != "" && old.text(fDigest) == c.entry.text(fDigest)
}

// again finds in a source what an entry records: at its path, else by its name if that is clear.
func (b *Bundle) again(ctx context.Context, e entry) (*Found, error) {
	dir := path.Dir(e.text(fPath))
	if e.text(fPath) != "" {
		i := slices.IndexFunc(b.Found, func(f Found) bool { return f.Path == dir && sameName(f.Name, e.original()) })
		if i >= 0 {
			return &b.Found[i], nil
		}
		if found, _, err := discover(ctx, b.dir, dir, true); err == nil {
			if i := slices.IndexFunc(found, func(f Found) bool { return sameName(f.Name, e.original()) && f.Path == dir }); i >= 0 {
				return &found[i], nil
			}
		}
	}
	var hits []int
	for i, f := range b.Found {
		if sameName(f.Name, e.original()) {
			hits = append(hits, i)
		}
	}
	switch len(hits) {
	case 0:
		return nil, msg.Errorf(msg.InstallGone, e.key, b.Source.String())
	case 1:
		return &b.Found[hits[0]], nil
	}
	return nil, msg.Errorf(msg.InstallAmbiguous, e.key, b.Source.String())
}

// named says of which skill an error is, unless it says so itself.
func named(name string, err error) error {
	if strings.Contains(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
