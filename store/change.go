package store

import (
	"context"
	"errors"
)

// ErrSame is what the function of [Change] returns when there is nothing to change.
var ErrSame = errors.New("store: nothing changes")

// Change makes a new document of an old one, whoever else does so at the same time: it reads, calls fn and puts, and when
// somebody else was first it begins again, until ctx ends. fn gets nil where there is no document, and may be called
// several times; nil from fn removes the document. An error of fn is returned as it is and nothing is put; [ErrSame] is no
// error.
func Change(ctx context.Context, kv KV, key string, fn func(old []byte) ([]byte, error)) error {
	for {
		doc, err := kv.Get(ctx, key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		data, err := fn(doc.Data)
		if errors.Is(err, ErrSame) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = kv.Put(ctx, Doc{Key: key, Rev: doc.Rev, Data: data})
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// Remove deletes a document, whatever it holds; an absent one is no error.
func Remove(ctx context.Context, kv KV, key string) error {
	return Change(ctx, kv, key, func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, ErrSame
		}
		return nil, nil
	})
}
