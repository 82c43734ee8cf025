package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"react-agent/store"
)

// kept are blobs of which the store is known to have all: nothing is put there again.
type kept struct{ store.Blobs }

// PutBlob gives the name of what is there.
func (kept) PutBlob(_ context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
