//go:build unix && !linux

package tool

import "errors"

func setAttribute(string) error { return errors.ErrUnsupported }

func setNamedAttribute(string, string) error { return errors.ErrUnsupported }
