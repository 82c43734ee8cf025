package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"react-agent/internal/shell"
)

// tempName begins with the number of the process whose folder it is.
const tempName = "skill-source-p"

// makeTemp makes a folder for a source, which belongs to this process until release is called. What dead processes have left
// there is cleared.
func makeTemp(in string) (dir string, release func(), err error) {
	if in == "" {
		in = os.TempDir()
	}
	clearTemp(in)
	if dir, err = os.MkdirTemp(in, fmt.Sprintf("%s%d-", tempName, os.Getpid())); err != nil {
		return "", nil, err
	}
	if release, err = tryHold(dir); err != nil {
		release = func() {} // a file system without locks: the process number is all there is
	}
	return dir, release, nil
}

// clearTemp removes folders whose process is not there any more. A process with another set of numbers, in another box,
// holds its folder locked. What is somebody else's, or cannot be removed, stays.
func clearTemp(in string) {
	list, err := os.ReadDir(in)
	if err != nil {
		return
	}
	pattern := regexp.MustCompile(`^` + regexp.QuoteMeta(tempName) + `(\d+)-\d+$`)
	for _, d := range list {
		m := pattern.FindStringSubmatch(d.Name())
		if m == nil || !d.IsDir() {
			continue
		}
		pid, err := strconv.Atoi(m[1])
		info, err2 := d.Info()
		if err != nil || err2 != nil || !own(info) || shell.Running(pid) {
			continue
		}
		dir := filepath.Join(in, d.Name())
		release, err := tryHold(dir)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir) // the next one tries again
		release()
	}
}
