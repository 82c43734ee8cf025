package compact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"react-agent/agent"
)

// Transcripts keeps messages in files of their own, transcript_UNIXSECONDS.jsonl, one message a line.
type Transcripts struct {
	// Root is a directory that is never left, also not by links; it is made if it is not there. Dir is where the files are,
	// below it.
	Root, Dir string
	// Apart keeps those of each session in a directory of its own, below Dir: see [Transcripts.Drop].
	Apart bool
	// Relative says that the agent is told the path relative to Root.
	Relative bool
	// Mask hides secrets; nil: nothing is hidden.
	Mask func(text string) string
}

// sameSecond bounds how many transcripts of one second there may be.
const sameSecond = 1000

// Keep is [Options.Transcript]. A file that is there is never written again.
func (t Transcripts) Keep(_ context.Context, session string, messages []agent.Message) (string, error) {
	body, err := t.lines(messages)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(t.Root, 0o700); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(t.Root)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	if t.Apart {
		t.Dir = path.Join(t.Dir, session)
	}
	if err := root.MkdirAll(t.Dir, 0o700); err != nil {
		return "", err
	}
	f, name, err := t.create(root)
	if err != nil {
		return "", err
	}
	_, err = f.Write(body)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", errors.Join(err, root.Remove(name))
	}
	if t.Relative {
		return name, nil
	}
	return filepath.Join(t.Root, filepath.FromSlash(name)), nil
}

// Drop removes what is kept apart of the sessions that are meant.
func (t Transcripts) Drop(meant func(session string) bool) error {
	root, err := os.OpenRoot(t.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	list, err := fs.ReadDir(root.FS(), t.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if e.IsDir() && meant(e.Name()) {
			err = errors.Join(err, root.RemoveAll(path.Join(t.Dir, e.Name())))
		}
	}
	return err
}

func (t Transcripts) lines(messages []agent.Message) ([]byte, error) {
	var b bytes.Buffer
	for i := range messages {
		raw, err := agent.EncodeJSON(&messages[i])
		if err != nil {
			return nil, err
		}
		line := string(raw)
		if t.Mask != nil {
			line = t.Mask(line)
		}
		b.WriteString(line + "\n")
	}
	return b.Bytes(), nil
}

func (t Transcripts) create(root *os.Root) (*os.File, string, error) {
	stem := path.Join(t.Dir, "transcript_"+strconv.FormatInt(time.Now().Unix(), 10))
	for n := 1; n <= sameSecond; n++ {
		name := stem + ".jsonl"
		if n > 1 {
			name = fmt.Sprintf("%s_%d.jsonl", stem, n)
		}
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
	return nil, "", fmt.Errorf("%s: %w", stem, fs.ErrExist)
}
