package tool

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"react-agent/agent"
)

// masked is a result whose texts hide secrets.
func (e Env) masked(r agent.Result) agent.Result {
	for i := range r.Parts {
		r.Parts[i].Text = e.mask(r.Parts[i].Text)
	}
	return r
}

// restore puts secrets in the place of what stands for them in a text that is about to be written over current.
func (e Env) restore(current []byte, text string) (string, error) {
	if e.Secrets == nil || text == "" {
		return text, nil
	}
	return e.Secrets.Restore(current, text)
}

// maskPiece is how much of a file is masked at a time: a secret is shorter than what stands around a border.
const maskPiece = 1 << 20

// maskFile masks a file of output. Nothing happens to one that holds no secrets. A line that is longer than a piece is masked
// in parts.
func (e Env) maskFile(path string) (err error) {
	if e.Secrets == nil || path == "" {
		return nil
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := os.OpenFile(path+".masked", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	changed, err := e.maskTo(to, from)
	if err = errors.Join(err, to.Close()); err == nil && changed {
		return os.Rename(to.Name(), path)
	}
	return errors.Join(err, os.Remove(to.Name()))
}

// maskTo copies by pieces that end with a line.
func (e Env) maskTo(to io.Writer, from io.Reader) (changed bool, err error) {
	r, w := bufio.NewReaderSize(from, maskPiece), bufio.NewWriter(to)
	for {
		piece, err := r.Peek(maskPiece)
		if err != nil && !errors.Is(err, io.EOF) {
			return changed, err
		}
		if len(piece) == 0 {
			return changed, w.Flush()
		}
		n := len(piece)
		if err == nil {
			if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
				n = i + 1
			}
		}
		masked := e.Secrets.Mask(string(piece[:n]))
		changed = changed || masked != string(piece[:n])
		if _, err := w.WriteString(masked); err != nil {
			return changed, err
		}
		if _, err := r.Discard(n); err != nil {
			return changed, err
		}
	}
}
