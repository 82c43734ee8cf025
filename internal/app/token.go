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
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return keptToken(path)
	}
	if err != nil {
		return "", "", err
	}
	token = rand.Text()
	_, err = f.WriteString(token + "\n")
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		err = errors.Join(err, os.Remove(path)) // half a token is none
	}
	return token, path, err
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
