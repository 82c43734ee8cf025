package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"react-agent/internal/app"
	"react-agent/store"
	"react-agent/store/disk"
)

// partsMain is the program with parts of its own, which the test that starts it names in the environment:
//
//	PARTS_DIE=before:N|after:N  it kills itself right before or behind its N-th append to a session's log
//	PARTS_STUCK=N:FILE          its N-th append to a session's log, and each behind it, never comes back; FILE tells it
//	PARTS_DEAD=D                an owner without a sign of life for D has lost its sessions; one is given every D/5
func partsMain() {
	var parts app.Parts
	if text := os.Getenv("PARTS_DIE"); text != "" {
		parts.Log = func(l store.Log) store.Log {
			d, err := newDeadly(l, text)
			if err != nil {
				panic(err)
			}
			return d
		}
	}
	if text := os.Getenv("PARTS_STUCK"); text != "" {
		parts.Log = func(l store.Log) store.Log {
			s, err := newStuck(l, text)
			if err != nil {
				panic(err)
			}
			return s
		}
	}
	if text := os.Getenv("PARTS_DEAD"); text != "" {
		dead, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		parts.Beat, parts.Dead = dead/5, dead
	}
	os.Exit(run(app.With(parts)))
}

// deadly is a log that ends its process.
type deadly struct {
	*disk.Store
	before bool
	at     int64
	n      atomic.Int64
}

func newDeadly(l store.Log, text string) (*deadly, error) {
	s, ok := l.(*disk.Store)
	if !ok {
		return nil, fmt.Errorf("the product's log is a %T", l)
	}
	d := &deadly{Store: s}
	var when string
	if _, err := fmt.Sscanf(strings.ReplaceAll(text, ":", " "), "%s %d", &when, &d.at); err != nil {
		return nil, fmt.Errorf("PARTS_DIE=%s: %w", text, err)
	}
	d.before = when == "before"
	return d, nil
}

// Append implements [store.Log].
func (d *deadly) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	mine := strings.HasPrefix(name, "session/") && d.n.Add(1) == d.at
	if mine && d.before {
		die()
	}
	pos, err := d.Store.Append(ctx, name, after, data)
	if mine {
		die()
	}
	return pos, err
}

// stuck is a log that hangs, whatever its context says.
type stuck struct {
	*disk.Store
	file string
	at   int64
	n    atomic.Int64
}

func newStuck(l store.Log, text string) (*stuck, error) {
	s, ok := l.(*disk.Store)
	if !ok {
		return nil, fmt.Errorf("the product's log is a %T", l)
	}
	d := &stuck{Store: s}
	at, file, _ := strings.Cut(text, ":")
	d.file = file
	if _, err := fmt.Sscan(at, &d.at); err != nil {
		return nil, fmt.Errorf("PARTS_STUCK=%s: %w", text, err)
	}
	return d, nil
}

// Append implements [store.Log].
func (d *stuck) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	if strings.HasPrefix(name, "session/") && d.n.Add(1) >= d.at {
		if err := os.WriteFile(d.file, []byte("stuck\n"), 0o600); err != nil {
			panic(err)
		}
		select {}
	}
	return d.Store.Append(ctx, name, after, data)
}

// die ends this process as kill -9 does: nothing is said, nothing is closed.
func die() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {} // until it takes effect
}
