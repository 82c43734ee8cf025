package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ScrubEnviron overwrites the values of these variables in the block of memory that the system shows of this process in
// /proc/PID/environ, which every process of the same user may read, commands of the model too. Nothing else changes: this
// process still finds the variables with os.Getenv, and children get what they are given. Where the system keeps no such
// block nothing happens. Call it once, before the first command is run; it is not for use beside itself.
func ScrubEnviron(names []string) error {
	from, to, err := environBlock()
	if err != nil {
		return fmt.Errorf("keys in the environment stay visible to commands: %w", err)
	}
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("keys in the environment stay visible to commands: %w", err)
	}
	defer func() { _ = mem.Close() }()
	block := make([]byte, to-from)
	if _, err := mem.ReadAt(block, from); err != nil {
		return fmt.Errorf("keys in the environment stay visible to commands: %w", err)
	}
	at := from
	for v := range bytes.SplitSeq(block, []byte{0}) {
		name, value, ok := bytes.Cut(v, []byte("="))
		if ok && len(value) > 0 && hidden(string(name), names) {
			if _, err := mem.WriteAt(bytes.Repeat([]byte("*"), len(value)), at+int64(len(name))+1); err != nil {
				return fmt.Errorf("the value of %s stays visible to commands: %w", name, err)
			}
		}
		at += int64(len(v)) + 1
	}
	return nil
}

// maxEnviron is more than any system allows.
const maxEnviron = 64 << 20

// environBlock is where the environment of this process began and ended.
func environBlock() (from, to int64, err error) {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, err
	}
	// The name stands in parentheses and may hold anything; the first field behind it is the third.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const start, end = 50 - 3, 51 - 3
	if len(f) <= end {
		return 0, 0, errors.New("/proc/self/stat does not tell where the environment is")
	}
	if from, err = strconv.ParseInt(f[start], 10, 64); err != nil {
		return 0, 0, err
	}
	if to, err = strconv.ParseInt(f[end], 10, 64); err != nil {
		return 0, 0, err
	}
	if from <= 0 || to < from || to-from > maxEnviron {
		return 0, 0, errors.New("/proc/self/stat does not tell where the environment is")
	}
	return from, to, nil
}
