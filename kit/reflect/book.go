package reflect

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/store"
)

// Proposal is a section that a model has proposed. It does not change.
type Proposal struct {
	N     int       `json:"n"`
	Time  time.Time `json:"time"`
	Face  string    `json:"face"`
	Model string    `json:"model,omitempty"`
	// Prompt is the hash of the profile's prompt it was made for, Base that of this with the section that held then.
	Prompt string  `json:"prompt"`
	Base   string  `json:"base"`
	Wasted []Waste `json:"wasted,omitempty"`
	Why    string  `json:"why,omitempty"`
	Text   string  `json:"text"`
	// Doubts are the lines that seem to loosen what holds an agent.
	Doubts []string `json:"doubts,omitempty"`
}

// Step is something that the person has done: a proposal was applied, or undone.
type Step struct {
	Time time.Time `json:"time"`
	Face string    `json:"face"`
	N    int       `json:"n"`
	Undo bool      `json:"undo,omitempty"`
}

// The bounds of a book.
const (
	maxProposals = 100
	maxSteps     = 500
)

// version is that of the document.
const version = 1

// page is the document.
type page struct {
	Version   int        `json:"version"`
	Next      int        `json:"next"`
	Proposals []Proposal `json:"proposals,omitempty"`
	// Applied has of each face the proposals that were applied and not undone; the last one holds.
	Applied map[string][]int `json:"applied,omitempty"`
	Steps   []Step           `json:"steps,omitempty"`
}

// Book keeps the proposals of a project in one document. It may be used by many at once, in many processes.
type Book struct {
	kv  store.KV
	key string
}

// NewBook gives the book under a key such as "reflect/1f3a"; nothing is read before it is needed.
func NewBook(kv store.KV, key string) *Book { return &Book{kv, key} }

func (b *Book) read(ctx context.Context) (page, error) {
	doc, err := b.kv.Get(ctx, b.key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return page{}, err
	}
	return b.parse(doc.Data)
}

// parse reads the document; nil: there is none yet.
func (b *Book) parse(data []byte) (page, error) {
	if data == nil {
		return page{Version: version, Next: 1}, nil
	}
	var p page
	if err := json.Unmarshal(data, &p); err != nil || p.Version != version || p.Next < 1 {
		return page{}, msg.Errorf(msg.ReflectUnreadable, b.key)
	}
	return p, nil
}

// change changes the document, again if somebody else was first.
func (b *Book) change(ctx context.Context, fn func(p *page) error) error {
	return store.Change(ctx, b.kv, b.key, func(old []byte) ([]byte, error) {
		p, err := b.parse(old)
		if err == nil {
			err = fn(&p)
		}
		if err != nil {
			return nil, err
		}
		return agent.EncodeJSON(p)
	})
}

// Add keeps a proposal under the next number. Of those that were never applied the oldest make room.
func (b *Book) Add(ctx context.Context, x Proposal) (Proposal, error) {
	err := b.change(ctx, func(p *page) error {
		x.N = p.Next
		p.Next++
		for len(p.Proposals) >= maxProposals {
			i := slices.IndexFunc(p.Proposals, func(o Proposal) bool { return !p.applied(o.N) })
			if i < 0 {
				return msg.Errorf(msg.ReflectFull, maxProposals)
			}
			p.Proposals = slices.Delete(p.Proposals, i, i+1)
		}
		p.Proposals = append(p.Proposals, x)
		return nil
	})
	return x, err
}

func (p *page) applied(n int) bool {
	for _, list := range p.Applied {
		if slices.Contains(list, n) {
			return true
		}
	}
	return false
}

func (p *page) find(n int) (Proposal, error) {
	i := slices.IndexFunc(p.Proposals, func(o Proposal) bool { return o.N == n })
	if i < 0 {
		return Proposal{}, msg.Errorf(msg.ReflectNoSuch, n)
	}
	return p.Proposals[i], nil
}

// holds is the proposal that holds for a face; one without a number: none does.
func (p *page) holds(face string) Proposal {
	list := p.Applied[face]
	if len(list) == 0 {
		return Proposal{}
	}
	x, err := p.find(list[len(list)-1])
	if err != nil { // it cannot be dropped while it is applied
		return Proposal{}
	}
	return x
}

// Holds is the proposal that holds for a face; one without a number: none does.
func (b *Book) Holds(ctx context.Context, face string) (Proposal, error) {
	p, err := b.read(ctx)
	return p.holds(face), err
}

// Get gives a proposal.
func (b *Book) Get(ctx context.Context, n int) (Proposal, error) {
	p, err := b.read(ctx)
	if err != nil {
		return Proposal{}, err
	}
	return p.find(n)
}

// All lists the proposals, those that hold by face, and what the person has done, oldest first.
func (b *Book) All(ctx context.Context) (list []Proposal, holds map[string]int, steps []Step, err error) {
	p, err := b.read(ctx)
	holds = map[string]int{}
	for face := range p.Applied {
		if n := p.holds(face).N; n > 0 {
			holds[face] = n
		}
	}
	return p.Proposals, holds, p.Steps, err
}

func (p *page) note(face string, n int, undo bool) {
	p.Steps = append(p.Steps, Step{Time: time.Now().UTC().Truncate(time.Second), Face: face, N: n, Undo: undo})
	p.Steps = p.Steps[max(0, len(p.Steps)-maxSteps):]
}

// Apply lets a proposal hold. One that was made for another profile is refused; one that was made for another prompt, or
// that raises doubts, unless sure.
func (d *Desk) Apply(ctx context.Context, n int, sure bool) (x Proposal, err error) {
	err = d.Book.change(ctx, func(p *page) error {
		if x, err = p.find(n); err != nil {
			return err
		}
		now := p.holds(d.Face)
		switch {
		case x.Face != d.Face:
			return msg.Errorf(msg.ReflectOtherFace, n, x.Face, d.Face)
		case now.N == n:
			return msg.Errorf(msg.ReflectHolds, n)
		case len(x.Doubts) > 0 && !sure:
			return msg.Errorf(msg.ReflectDoubt, n, x.Doubts[0], n)
		case x.Base != d.base(now.Text) && !sure:
			return msg.Errorf(msg.ReflectStale, n, n)
		}
		if p.Applied == nil {
			p.Applied = map[string][]int{}
		}
		p.Applied[d.Face] = append(p.Applied[d.Face], n)
		p.note(d.Face, n, false)
		return nil
	})
	return x, d.told(err)
}

// Undo goes back to the proposal that held before, or to none, and gives the one that was undone and the one that holds.
func (d *Desk) Undo(ctx context.Context) (gone, now Proposal, err error) {
	err = d.Book.change(ctx, func(p *page) error {
		list := p.Applied[d.Face]
		if len(list) == 0 {
			return msg.Errorf(msg.ReflectNoUndo, d.Face)
		}
		gone = p.holds(d.Face)
		p.Applied[d.Face] = list[:len(list)-1]
		now = p.holds(d.Face)
		p.note(d.Face, gone.N, true)
		return nil
	})
	return gone, now, d.told(err)
}

func (d *Desk) told(err error) error {
	if err == nil && d.Changed != nil {
		d.Changed()
	}
	return err
}

// Drop forgets a proposal that is not applied.
func (b *Book) Drop(ctx context.Context, n int) error {
	return b.change(ctx, func(p *page) error {
		if _, err := p.find(n); err != nil {
			return err
		}
		if p.applied(n) {
			return msg.Errorf(msg.ReflectApplied, n)
		}
		p.Proposals = slices.DeleteFunc(p.Proposals, func(o Proposal) bool { return o.N == n })
		return nil
	})
}
