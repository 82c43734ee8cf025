package engine

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// machine names the set of process ids that this process belongs to: this boot and this pid namespace.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	ns, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + "/" + ns
}

// born tells when a process began, in a form that is only good for comparing; "" is one that is gone.
func born(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	i := bytes.LastIndexByte(stat, ')') // the name before it may hold anything
	fields := bytes.Fields(stat[i+1:])
	if len(fields) < 20 || bytes.ContainsAny(fields[0], "ZX") {
		return ""
	}
	return strconv.Itoa(pid) + "@" + string(fields[19])
}
