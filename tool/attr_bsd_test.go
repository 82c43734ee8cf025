//go:build unix && !linux

package tool

import "errors"

func setAttribute(string) error { return errors.ErrUnsupported }
