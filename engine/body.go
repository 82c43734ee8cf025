package engine

import (
	"context"
	"errors"
	"slices"
	"syscall"

	"react-agent/agent"
	"react-agent/store"
)

// bodyLimit is the size over which a body stands in the blob store. When a record is still too long, smaller ones are moved
// too.
const bodyLimit = 64 << 10

// Encode gives an event as one line, as logs and streams have it: large bodies are in blobs, and the line names them.
// [Decode] is its opposite. A live event stands as it is.
func Encode(ctx context.Context, blobs store.Blobs, e agent.Event) ([]byte, error) {
	if !e.Type.Durable() {
		return encode(&e)
	}
	return record(ctx, blobs, e)
}

// record encodes v as one line that a log takes.
func record(ctx context.Context, blobs store.Blobs, v any) ([]byte, error) {
	line, err := agent.EncodeJSON(v)
	if err != nil {
		return nil, err
	}
	return agent.MoveBodies(line, bodyLimit, store.MaxRecord, func(data []byte) (string, error) {
		return blobs.PutBlob(ctx, data)
	})
}

// Bodies brings back what logs have in blobs, for [agent.Load] and [Decode]. What is lost, absent or damaged, or on a part
// of a disk that cannot be read, comes as nil without an error, and lost is told its name; nil: nobody is.
func Bodies(ctx context.Context, blobs store.Blobs, lost func(sha string)) func(sha string) ([]byte, error) {
	return func(sha string) ([]byte, error) {
		data, err := blobs.GetBlob(ctx, sha)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, syscall.EIO):
			if lost != nil {
				lost(sha)
			}
			return nil, nil
		case err == nil && data == nil:
			data = []byte{}
		}
		return data, err
	}
}

// moveBlobs stores attachments and gives them their hash. The data stays in memory.
func moveBlobs(ctx context.Context, blobs store.Blobs, parts []agent.Part) error {
	for _, p := range parts {
		if p.Result != nil {
			if err := moveBlobs(ctx, blobs, p.Result.Parts); err != nil {
				return err
			}
		}
		if p.Blob == nil || len(p.Blob.Data) == 0 || p.Blob.SHA256 != "" {
			continue
		}
		sha, err := blobs.PutBlob(ctx, p.Blob.Data)
		if err != nil {
			return err
		}
		p.Blob.SHA256 = sha
	}
	return nil
}

// FetchBlobs gives messages the bytes of their attachments, in new parts: others may look at the old ones. What is lost is
// left out: the model is told by its wire.
func (l *Local) FetchBlobs(ctx context.Context, msgs []agent.Message) {
	for i, m := range msgs {
		parts := slices.Clone(m.Parts)
		for k, p := range parts {
			if p.Blob == nil || p.Blob.SHA256 == "" || len(p.Blob.Data) > 0 {
				continue
			}
			b := *p.Blob
			var err error
			if b.Data, err = l.c.Blobs.GetBlob(context.WithoutCancel(ctx), b.SHA256); err != nil {
				l.c.Logger.Warn("an attachment is lost", "name", b.Name, "sha256", b.SHA256, "error", err)
			}
			parts[k].Blob = &b
		}
		msgs[i].Parts = parts
	}
}
