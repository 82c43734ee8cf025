package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadEnds reads at most keep bytes of each end of an output that stands in a file. A file that is not there is empty.
func ReadEnds(file string, keep int) (Captured, error) {
	c := Captured{Log: file}
	err := openSized(file, func(f *os.File, size int64) error {
		c.Total = size
		if size <= 2*int64(keep) {
			var err error
			c.Head, err = readAt(f, 0, int(size))
			return err
		}
		head, err := readAt(f, 0, keep)
		if err != nil {
			return err
		}
		tail, err := readAt(f, size-int64(keep), keep)
		c.Head, c.Tail = wholeEnd(head), wholeStart(tail)
		c.Lost = size - int64(len(c.Head)+len(c.Tail))
		return err
	})
	return c, err
}

// ReadPage reads at most limit bytes from a place on; a negative one counts from the end. It gives where the piece begins
// and how large the file is. The piece ends with a whole character as far as the output is UTF-8.
func ReadPage(file string, from int64, limit int) (piece []byte, at, total int64, err error) {
	err = openSized(file, func(f *os.File, size int64) error {
		if from < 0 {
			from = max(0, size+from)
		}
		at, total = min(from, size), size
		piece, err = readAt(f, at, int(min(int64(limit), size-at)))
		if whole := wholeEnd(piece); len(whole) > 0 && at+int64(len(piece)) < size {
			piece = whole
		}
		return err
	})
	return piece, at, total, err
}

// openSized calls fn with a file and its size, unless it is not there.
func openSized(file string, fn func(f *os.File, size int64) error) error {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil {
		err = fn(f, info.Size())
	}
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// readAt reads n bytes, or less if the file has become shorter.
func readAt(f *os.File, at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	n, err := f.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}
