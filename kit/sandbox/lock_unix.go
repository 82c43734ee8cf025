//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"syscall"
)

// lockFile waits for a lock that ends with its holder at the latest.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR { //nolint:errorlint // as the system gives it
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock of %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
