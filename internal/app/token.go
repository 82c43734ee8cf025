package app

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/msg"
)

// tokenPath is where the server's own token is kept.
func (p *product) tokenPath() (string, error) {
	dir, err := p.c.UserState()
	return filepath.Join(dir, "server-token"), err
}

// serverToken is the token that the server has made for itself, at its first start where other machines can reach it.
// Nobody but the person may read it.
func (p *product) serverToken() (token, path string, err error) {
	if path, err = p.tokenPath(); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", "", err
	}
	if token, where, err := keptToken(path); !errors.Is(err, fs.ErrNotExist) {
		return token, where, err
	}
	return newToken(path, os.Link)
}

// newToken makes a token and keeps it. It is whole when it comes to its place, and of two starts at once one makes it.
func newToken(path string, link func(from, to string) error) (token, where string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "server-token-*") // nobody else may read it
	if err != nil {
		return "", "", err
	}
	token = rand.Text() + "\n"
	_, err = f.WriteString(token)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		if err = link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
			err = written(path, token) // not every file system has links
		}
	}
	err = errors.Join(err, os.Remove(f.Name()))
	if err != nil && !errors.Is(err, fs.ErrExist) { // then another start was first
		return "", "", err
	}
	return keptToken(path)
}

// written makes the file of a token, unless there is one. Whoever reads it half written is told so.
func written(path, token string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(token)
	return errors.Join(err, f.Sync(), f.Close())
}

// keptToken reads the token of an earlier start.
func keptToken(path string) (token, where string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() || exposes(info.Mode()) {
		return "", "", msg.Errorf(msg.ServerExposed, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	if token = strings.TrimSpace(string(data)); len(token) < 16 {
		return "", "", msg.Errorf(msg.ServerHalf, path)
	}
	return token, path, nil
}
