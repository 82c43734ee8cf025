package tool

import (
	"errors"
	"strings"
	"syscall"
)

// hasAttributes reports whether the file has extended attributes, an access list among them, that a new file would not
// get by itself.
func hasAttributes(path string) bool {
	buf := make([]byte, 1024)
	n, err := syscall.Listxattr(path, buf)
	if errors.Is(err, syscall.ERANGE) {
		return true // more names than fit
	}
	if err != nil {
		return false // there are none on this file system
	}
	for name := range strings.SplitSeq(string(buf[:n]), "\x00") {
		if name != "" && name != "security.selinux" {
			return true
		}
	}
	return false
}
