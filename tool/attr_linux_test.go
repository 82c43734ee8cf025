package tool

import "syscall"

func setAttribute(path string) error { return syscall.Setxattr(path, "user.test", []byte("1"), 0) }
