package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/store"
)

// Place says where the logs or the documents of one kind live.
type Place struct {
	Kind string // the part of the name before the slash
	Dir  string // absolute; "" is the usual folder
	// Before and After enclose the id in the name of the file; After "" is .jsonl or .json.
	Before, After string
	// Fast documents mean nothing after a crash of the machine; they are not synced.
	Fast bool
	// Within is a folder above Dir from which on nothing is believed, because others have made what is there: a link, or
	// what is no regular file, is [store.ErrForeign]. Others may write its logs by hand: a last line without a newline is not
	// cut off but ended, by Append, and by Read and Last as soon as it is whole JSON or a minute old. "" is the user's own:
	// links are followed.
	Within string
}

// places is the one table from names to paths.
type places struct {
	root, after string
	own         map[string]Place
}

func newPlaces(root, after string, list []Place) (places, error) {
	p := places{root: root, after: after, own: map[string]Place{}}
	for _, x := range list {
		if _, err := store.CleanPrefix(x.Kind + "/"); err != nil {
			return p, err
		}
		if x.Dir != "" && !filepath.IsAbs(x.Dir) || strings.ContainsAny(x.Before+x.After, `/\`) {
			return p, fmt.Errorf("place of %s: the folder must be absolute, and the file's name without a slash", x.Kind)
		}
		p.own[x.Kind] = p.complete(x)
	}
	return p, nil
}

func (p *places) complete(x Place) Place {
	x.Dir = or(x.Dir, filepath.Join(p.root, x.Kind))
	x.After = or(x.After, p.after)
	return x
}

func (p *places) of(kind string) Place {
	if x, ok := p.own[kind]; ok {
		return x
	}
	return p.complete(Place{Kind: kind})
}

// path gives the file of a name.
func (p *places) path(name string) (path string, at Place, err error) {
	kind, id, err := store.CleanName(name)
	if err != nil {
		return "", Place{}, err
	}
	at = p.of(kind)
	return filepath.Join(at.Dir, at.Before+id+at.After), at, nil
}

// list gives the entries of a prefix in order of name; files that no name leads to are passed over.
func (p *places) list(ctx context.Context, prefix string) iter.Seq2[named, error] {
	return func(yield func(named, error) bool) {
		kind, err := store.CleanPrefix(prefix)
		if err != nil {
			yield(named{}, err)
			return
		}
		at := p.of(kind)
		entries, err := at.entries()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(named{}, fmt.Errorf("list %s: %w", prefix, err))
			return
		}
		var found []named
		for _, e := range entries {
			id, pre := strings.CutPrefix(e.Name(), at.Before)
			id, post := strings.CutSuffix(id, at.After)
			if clean, err := store.CleanID(id); pre && post && err == nil && clean == id && (at.Within != "" || isFile(e)) {
				found = append(found, named{kind + "/" + id, filepath.Join(at.Dir, e.Name()), e, at})
			}
		}
		slices.SortFunc(found, func(a, b named) int { return strings.Compare(a.name, b.name) })
		for _, n := range found {
			if err := ctx.Err(); err != nil {
				yield(named{}, err)
				return
			}
			if !yield(n, nil) {
				return
			}
		}
	}
}

// isFile reports whether an entry may be read: what waits for a writer, say, is none of ours. A link may lead to a file.
func isFile(e fs.DirEntry) bool { return e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 }

type named struct {
	name, path string
	entry      fs.DirEntry
	at         Place
}

// Names implements [store.Names].
func (s *Store) Names(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for n, err := range s.logs.list(ctx, prefix) {
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			info, err := n.entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // dropped meanwhile
			}
			if err != nil {
				yield(store.Entry{}, fmt.Errorf("list %s: %w", prefix, err))
				return
			}
			if !yield(store.Entry{Name: n.name, Updated: info.ModTime()}, nil) {
				return
			}
		}
	}
}
