package mates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"react-agent/internal/msg"
	"react-agent/store"
)

// decode reads a document, of which there may be none.
func decode(raw []byte, to any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, to)
}

// load reads a document into to; revision 0: there is none.
func (m *Mates) load(ctx context.Context, key string, to any) (rev int64, err error) {
	doc, err := m.o.KV.Get(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err == nil {
		err = decode(doc.Data, to)
	}
	return doc.Rev, fault(key, err)
}

// all lists the documents of a kind, by their ids; broken is what is wrong with one that is left out.
func all[T any](ctx context.Context, m *Mates, kind string) (list map[string]T, broken, err error) {
	list = map[string]T{}
	for d, err := range m.o.KV.List(ctx, kind+"/") {
		if err != nil {
			return nil, nil, err
		}
		var x T
		if err := fault(d.Key, decode(d.Data, &x)); err != nil {
			broken = err
			continue
		}
		list[strings.TrimPrefix(d.Key, kind+"/")] = x
	}
	return list, broken, nil
}

// edit changes a document, of which there may be none, as [store.Change] does.
func edit[T any](ctx context.Context, m *Mates, key string, fn func(x *T) error) error {
	return fault(key, store.Change(ctx, m.o.KV, key, func(raw []byte) ([]byte, error) {
		var x T
		err := decode(raw, &x)
		if err == nil {
			err = fn(&x)
		}
		if err != nil {
			return nil, err
		}
		indent := ""
		if key == rosterKey { // people read it
			indent = "  "
		}
		return encode(x, indent)
	}))
}

// drop removes the document of a session, unless it is another one's by now, or nobody's.
func (m *Mates) drop(ctx context.Context, key, session string) error {
	return fault(key, store.Change(ctx, m.o.KV, key, func(raw []byte) ([]byte, error) {
		var now leadDoc
		if decode(raw, &now) == nil && now.Session != session {
			return nil, store.ErrSame
		}
		return nil, nil
	}))
}

// fault says which document an error is about.
func fault(key string, err error) error {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case err == nil:
		return nil
	case syntax || kind:
		return msg.Errorf(msg.MateFile, file(key), err)
	}
	return fmt.Errorf("%s: %w", file(key), err)
}

// file names the file of a document, for errors.
func file(key string) string {
	switch kind, id, _ := strings.Cut(key, "/"); kind {
	case "roster":
		return ".team/config.json"
	case "cursor":
		return ".team/inbox/" + id + ".cursor.json"
	}
	return key
}
