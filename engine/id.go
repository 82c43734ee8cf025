package engine

import (
	"crypto/rand"
	"strings"
	"time"
)

// NewID makes the id of a session, such as 20261130-041533-x7k2q: ids are ordered by time, to the second.
func NewID() string {
	return time.Now().UTC().Format("20060102-150405-") + randomText(5)
}

func randomText(n int) string { return strings.ToLower(rand.Text()[:n]) }
