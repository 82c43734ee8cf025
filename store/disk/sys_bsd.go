//go:build unix && !linux

package disk

import "os"

func syncData(f *os.File) error { return f.Sync() }
