package tool

import (
	"strings"
	"syscall"
)

// hasAttributes reports whether the file has extended attributes, an access list among them, that a new file would not
// get by itself.
func hasAttributes(path string) bool {
	buf := make([]byte, 4096)
	n, err := syscall.Listxattr(path, buf)
	if err != nil {
		return false // there are none here, or far too many to be worth it
	}
	for name := range strings.SplitSeq(string(buf[:n]), "\x00") {
		if name != "" && name != "security.selinux" {
			return true
		}
	}
	return false
}
