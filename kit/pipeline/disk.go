package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The bounds of what is read to see whether anything has changed. What is larger is known by its size and time.
const (
	maxPrintFile  = 256 << 10
	maxPrintBytes = 16 << 20
)

// fingerprint is a hash of what a run folder holds. Two are the same if nothing has changed, whatever was written anew.
// The files in except are left out.
func fingerprint(dir string, except map[string]bool) string {
	sum := sha256.New()
	left := int64(maxPrintBytes)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || except[path] {
			return nil //nolint:nilerr // what cannot be seen has not changed as far as anyone can tell
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // removed meanwhile
		}
		_, _ = fmt.Fprintf(sum, "%q %v ", path, info.Mode())
		if info.Mode().IsRegular() {
			_, _ = fmt.Fprintf(sum, "%d ", info.Size())
			var data []byte
			if info.Size() <= min(maxPrintFile, left) {
				data, err = os.ReadFile(path) //nolint:gosec // a link that was put there meanwhile only changes a hash
				left -= info.Size()
			}
			if data == nil || err != nil {
				_, _ = fmt.Fprint(sum, info.ModTime().UnixNano())
			}
			_, _ = sum.Write(data)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:12])
}
