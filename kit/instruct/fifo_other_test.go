//go:build !unix

package instruct

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
