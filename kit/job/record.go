package job

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"react-agent/internal/shell"
	"react-agent/store"
)

// record is an entry of a job's log.
type record struct {
	Type string    `json:"type"`
	Time time.Time `json:"time"`

	// of a start
	ID      string  `json:"id,omitempty"`
	Session string  `json:"session,omitempty"`
	Key     string  `json:"key,omitempty"`
	Command string  `json:"command,omitempty"`
	Dir     string  `json:"dir,omitempty"`
	Timeout float64 `json:"timeout_s,omitempty"` // 0 = none
	PTY     bool    `json:"pty,omitempty"`
	Keep    bool    `json:"keep,omitempty"`
	Mark    string  `json:"mark,omitempty"`

	// of a start and of a process
	Owner *shell.Ident `json:"owner,omitempty"` // the process that started it

	// of a process
	Process *shell.Ident `json:"process,omitempty"`

	// of a stop and of an end
	Reason string `json:"reason,omitempty"`

	// of an end
	Status Status   `json:"status,omitempty"`
	Code   *int     `json:"code,omitempty"` // exit status; absent = unknown
	Left   []string `json:"left,omitempty"` // what was left behind, in words
}

// Types of records.
const (
	recStart   = "start"   // is about to start; always the first
	recProcess = "process" // has started
	recStop    = "stop"    // is about to be stopped, for a reason
	recEnd     = "end"
)

// Status is where a job stands.
type Status string

// The states of a job. Waiting is a running job that needs a person to type something.
const (
	Running   Status = "running"
	Waiting   Status = "waiting"
	Completed Status = "completed" // ended with exit status 0
	Failed    Status = "error"     // ended otherwise, or was stopped
	Orphaned  Status = "orphaned"  // ended, and nobody knows how
)

// story is what a log tells of a job.
type story struct {
	start   record
	process record // Process is nil when it is not known to have started
	stop    record // Reason is empty when nobody stopped it
	end     record // Type is empty while it runs
	pos     int64  // of the last entry
}

func (s *story) fold(pos int64, r record) {
	s.pos = pos
	switch r.Type {
	case recStart:
		s.start = r
	case recProcess:
		s.process = r
	case recStop:
		if s.stop.Type == "" {
			s.stop = r
		}
	case recEnd:
		if s.end.Type == "" {
			s.end = r
		}
	}
}

// ownerless reports whether the process that started the job is gone.
func (s *story) ownerless() bool {
	owner := s.process.Owner
	if owner == nil {
		owner = s.start.Owner
	}
	return owner == nil || !owner.Alive()
}

// over is when the job ended, zero while it runs. An end that nobody has noted yet is now.
func (s *story) over() time.Time {
	p := s.process.Process
	switch {
	case s.ended():
		return s.end.Time
	case p != nil && p.Alive(), p == nil && !s.ownerless():
		return time.Time{}
	}
	return time.Now()
}

func (s *story) ended() bool { return s.end.Type != "" }

// deadline is when the time limit is reached; zero = never.
func (s *story) deadline() time.Time {
	if s.start.Timeout <= 0 {
		return time.Time{}
	}
	return s.start.Time.Add(time.Duration(min(s.start.Timeout, maxTimeout.Seconds()) * float64(time.Second)))
}

// errNoJob says that there is no log of this job.
var errNoJob = errors.New("job: unknown")

func logName(id string) string { return "job/" + id }

// read reads the log of a job behind what s has of it.
func (j *Jobs) read(ctx context.Context, id string, s *story) error {
	if kind, clean, err := store.CleanName(logName(id)); err != nil || kind != "job" || clean != id {
		return fmt.Errorf("%w: %q", errNoJob, id)
	}
	for rec, err := range j.o.Log.Read(ctx, logName(id), s.pos, false) {
		if err != nil {
			return fmt.Errorf("log of job %s: %w", id, err)
		}
		var r record
		if err := json.Unmarshal(rec.Data, &r); err != nil {
			return fmt.Errorf("log of job %s, entry at %d: %w", id, rec.Pos, err)
		}
		s.fold(rec.Pos, r)
	}
	if s.start.ID == "" {
		return fmt.Errorf("%w: %q", errNoJob, id)
	}
	if s.start.ID != id {
		return fmt.Errorf("log of job %s: it tells of job %q", id, s.start.ID)
	}
	return nil
}

// append adds r to the story and its log, unless the log has got something else meanwhile: then it is read, and fits
// decides whether r is still to be added.
func (j *Jobs) append(ctx context.Context, id string, s *story, r record, fits func() bool) error {
	r.Time = time.Now().UTC().Truncate(time.Millisecond)
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("job %s: %w", id, err)
	}
	for fits() {
		pos, err := j.o.Log.Append(ctx, logName(id), s.pos, data)
		if err == nil {
			s.fold(pos, r)
			return nil
		}
		before := s.pos
		if rerr := j.read(ctx, id, s); rerr != nil && !errors.Is(rerr, errNoJob) {
			return fmt.Errorf("job %s: %w", id, errors.Join(err, rerr))
		}
		if s.pos == before { // nobody was first: it is a fault
			return fmt.Errorf("job %s: %w", id, err)
		}
	}
	return nil
}

// newID is the beginning of a UUID of version 4. It is the same for the same key and n, so that a call that is run again
// comes to the same log; without a key it is random.
func newID(key string, n int) string {
	var b [16]byte
	if key == "" {
		_, _ = rand.Read(b[:]) // never fails
	} else {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d job %s", n, key))
		copy(b[:], sum[:])
	}
	b[6] = b[6]&0x0f | 0x40 // version
	b[8] = b[8]&0x3f | 0x80 // variant
	return hex.EncodeToString(b[:])[:8]
}

// newMark is a word that no other command has.
func newMark(id string) string { return "job-" + id + "-" + strings.ToLower(rand.Text()[:10]) }

// sessionOf is the session of a call.
func sessionOf(key string) string {
	if i := strings.LastIndexByte(key, '/'); i > 0 {
		return key[:i]
	}
	return ""
}

// sameTree reports whether a session may know of another's jobs: they belong to the same root.
func sameTree(a, b string) bool {
	a, _, _ = strings.Cut(a, ".")
	b, _, _ = strings.Cut(b, ".")
	return strings.EqualFold(a, b)
}
