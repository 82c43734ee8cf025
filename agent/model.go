package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Model streams one assistant message. The sequence ends after the chunk that carries Stop, or with one [*ModelError].
// Breaking out cancels the request. A Model may be used by many runs at once.
type Model interface {
	Info() ModelInfo
	Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}

// ModelInfo describes a model. Context and MaxOutput are tokens, 0 is unknown.
type ModelInfo struct {
	Provider  string // the wire: chat, responses, anthropic, gemini, command, offline
	Preset    string // the vendor's entry in the preset table
	Name      string // the vendor's model id
	Context   int
	MaxOutput int
	Vision    bool // sees pictures
	Files     bool // reads PDF documents
	Audio     bool // hears
	Tools     bool
	Reasoning bool
}

// Takes reports whether the model is known to read attachments of a MIME type. Text it always does; of no other than
// pictures, PDF documents and sounds it is known.
func (i ModelInfo) Takes(mime string) bool {
	switch kind, _, _ := strings.Cut(mime, "/"); kind {
	case "text":
		return true
	case "image":
		return i.Vision
	case "audio":
		return i.Audio
	}
	return i.Files && mime == "application/pdf"
}

// Origin names the place that [Opaque] data of this model goes back to.
func (i ModelInfo) Origin() string { return i.Provider + "/" + i.Preset + "/" + i.Name }

// Request is what a model is asked. Hooks may change every field but Messages.
type Request struct {
	System   string
	Messages []Message
	Tools    []Tool
	Choice   string // "" = the model decides, "none", "required", or a tool's name
	MaxOut   int    // tokens; 0 = the model's default
	Effort   string // reasoning effort, as the vendor names it; "" = default
	Schema   json.RawMessage
	Extra    map[string]json.RawMessage // merged into the body as it is
}

// Chunk is one piece of a streamed message. Fields are independent: any mix may be set.
type Chunk struct {
	Index int   `json:"index"` // of the part, in order of first use; bounded by [MaxParts]
	Part  *Part `json:"part,omitempty"`

	Usage *Usage     `json:"-"` // last known values of this attempt, not increments
	Stop  StopReason `json:"-"`
	Model string     `json:"-"` // as the vendor reports it
	Reset bool       `json:"-"` // everything of this message so far is withdrawn, another attempt follows; its Usage still counts
	Note  string     `json:"-"` // for the person: "rate limit, waiting 12 s"
}

// ErrorKind says what went wrong with a model call, and so what to do about it.
type ErrorKind string

// The kinds of error; docs/events.md lists what each means. ErrConfig and ErrInternal never come from a vendor.
const (
	ErrRateLimit       ErrorKind = "rate_limit"
	ErrContextLength   ErrorKind = "context_length"
	ErrAuth            ErrorKind = "auth"
	ErrQuota           ErrorKind = "quota"
	ErrContentFilter   ErrorKind = "content_filter"
	ErrServer          ErrorKind = "server"
	ErrNetwork         ErrorKind = "network"
	ErrTruncated       ErrorKind = "truncated"
	ErrTimeout         ErrorKind = "timeout"
	ErrBadRequest      ErrorKind = "bad_request"
	ErrInvalidResponse ErrorKind = "invalid_response"
	ErrConfig          ErrorKind = "config"
	ErrInternal        ErrorKind = "internal"
)

// ModelError is the only error a model returns. Kind says what it is, Retryable and RetryAfter what to do;
// ErrContextLength makes the loop compact. RetryAfter 0 = the vendor named no time. One that wraps a [*StopError] ends the
// run in that order; it comes from something around the model, and trying again changes nothing.
type ModelError struct {
	Kind       ErrorKind
	Provider   string
	Status     int // HTTP, 0 when there was none
	Retryable  bool
	RetryAfter time.Duration
	Err        error
}

// Error names the kind, where it came from and the vendor's own words.
func (e *ModelError) Error() string {
	s := string(e.Kind)
	if e.Provider != "" {
		s = e.Provider + ": " + s
	}
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *ModelError) Unwrap() error { return e.Err }
