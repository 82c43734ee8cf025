package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// tree is the document team/ROOT: how the children below a root stand.
type tree struct {
	// Started counts the children that models have started, Refused those that were refused, since the person last spoke.
	Started int `json:"started,omitempty"`
	Refused int `json:"refused,omitempty"`
	// RefusedIn is the reply whose calls were refused last.
	RefusedIn string  `json:"refused_in,omitempty"`
	Children  []child `json:"children,omitempty"`
}

// child is how one child stands.
type child struct {
	ID         string       `json:"id"` // its session
	Key        string       `json:"key"`
	Path       string       `json:"path"`
	Title      string       `json:"title,omitempty"`
	State      State        `json:"state"`
	Reason     string       `json:"reason,omitempty"` // why it is not done
	Background bool         `json:"background,omitempty"`
	Driver     bool         `json:"driver,omitempty"`
	Mate       bool         `json:"mate,omitempty"`
	Began      time.Time    `json:"began,omitzero"`
	Ended      time.Time    `json:"ended,omitzero"`
	Written    int          `json:"written,omitempty"`
	Steps      int          `json:"steps,omitempty"`
	Usage      *agent.Usage `json:"usage,omitempty"`
}

// name is the last part of the path: what the parent calls it.
func (c *child) name() string { return c.Path[strings.LastIndexByte(c.Path, '/')+1:] }

func rootOf(session string) string {
	root, _, _ := strings.Cut(session, ".")
	return root
}

func parentOf(session string) string {
	if i := strings.LastIndexByte(session, '.'); i >= 0 {
		return session[:i]
	}
	return ""
}

// depthOf is 0 for a root.
func depthOf(session string) int { return strings.Count(session, ".") }

func treeKey(root string) string { return Name + "/" + root }
func specKey(id string) string   { return "child/" + id }

func (d *tree) find(fits func(c *child) bool) *child {
	for i := range d.Children {
		if fits(&d.Children[i]) {
			return &d.Children[i]
		}
	}
	return nil
}

func (d *tree) byID(id string) *child   { return d.find(func(c *child) bool { return c.ID == id }) }
func (d *tree) byKey(key string) *child { return d.find(func(c *child) bool { return c.Key == key }) }

// number is the next free one among the children of a parent.
func (d *tree) number(parent string) int {
	most := 0
	for i := range d.Children {
		if id := d.Children[i].ID; parentOf(id) == parent {
			if n, err := strconv.Atoi(id[len(parent)+1:]); err == nil {
				most = max(most, n)
			}
		}
	}
	return most + 1
}

// working counts the children of a parent that count for the width.
func (d *tree) working(parent string) int {
	n := 0
	for i := range d.Children {
		if c := &d.Children[i]; parentOf(c.ID) == parent && c.State == Running && !c.Driver && !c.Mate {
			n++
		}
	}
	return n
}

// tree reads the document of a root.
func (t *Team) tree(ctx context.Context, root string) (*tree, error) {
	doc, err := t.o.KV.Get(ctx, treeKey(root))
	var d *tree
	if err == nil || errors.Is(err, store.ErrNotFound) {
		d, err = parse(doc.Data)
	}
	if err != nil {
		return nil, fmt.Errorf("sub-agents of %s: %w", root, err)
	}
	return d, nil
}

// parse reads the document; nil: there is none yet.
func parse(data []byte) (*tree, error) {
	d := &tree{}
	if data == nil {
		return d, nil
	}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("the document is broken: %w", err)
	}
	return d, nil
}

// update changes the document of a root, whoever else does so at the same time. fn may be called again with a newer one.
func (t *Team) update(ctx context.Context, root string, fn func(d *tree) error) error {
	var own error // of fn, for the caller as it is
	err := store.Change(ctx, t.o.KV, treeKey(root), func(old []byte) ([]byte, error) {
		d, err := parse(old)
		if err != nil {
			return nil, err
		}
		if own = fn(d); own != nil {
			return nil, own
		}
		return json.Marshal(d)
	})
	if err != nil && own == nil {
		return fmt.Errorf("sub-agents of %s: %w", root, err)
	}
	return err
}

// change updates one child; fn may give [store.ErrSame]. The child must be there.
func (t *Team) change(ctx context.Context, id string, fn func(c *child) error) error {
	err := t.update(ctx, rootOf(id), func(d *tree) error {
		c := d.byID(id)
		if c == nil {
			return fmt.Errorf("sub-agent %s: %w", id, store.ErrNotFound)
		}
		return fn(c)
	})
	if err == nil {
		t.bell.Ring()
	}
	return err
}

// drop forgets the children of a root: a session of this name begins anew.
func (t *Team) drop(ctx context.Context, root string) error {
	d, err := t.tree(ctx, root)
	if err != nil {
		return err
	}
	for i := range d.Children {
		if err := store.Remove(ctx, t.o.KV, specKey(d.Children[i].ID)); err != nil {
			return err
		}
	}
	return store.Remove(ctx, t.o.KV, treeKey(root))
}
