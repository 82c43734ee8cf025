//go:build !linux && !darwin

package install

// exchange lets two paths change places in one step; false: this system cannot.
func exchange(_, _ string) (bool, error) { return false, nil }
