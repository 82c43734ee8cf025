package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// RetryPolicy says how often and how long to wait. The zero value is three retries after 0.5, 1 and 2 s with jitter, and
// at most 60 s when the vendor names a time.
type RetryPolicy struct {
	Retries int           // after the first attempt; 0 = 3, negative = none
	Base    time.Duration // the first wait, doubled each time; 0 = 0.5 s
	MaxWait time.Duration // a vendor that asks for more is not waited for; 0 = 60 s
	// Jitter gives a number in [0, 1); nil = random. A wait is lengthened by up to a quarter of itself.
	Jitter func() float64
	// Note words what the person is told; nil = English.
	Note func(err *agent.ModelError, wait time.Duration, attempt int) string
}

// Retry makes attempts until one is whole. A failed one is withdrawn by a chunk with Reset, so its text is never glued
// to the next, and the same request is sent again, so that the vendor's prompt cache still fits. Only errors that say so
// are retried. The wait ends with the context.
func Retry(m agent.Model, p RetryPolicy) agent.Model {
	if p.Retries == 0 {
		p.Retries = 3
	}
	if p.Base == 0 {
		p.Base = 500 * time.Millisecond
	}
	if p.MaxWait == 0 {
		p.MaxWait = time.Minute
	}
	if p.Jitter == nil {
		p.Jitter = rand.Float64
	}
	if p.Note == nil {
		p.Note = englishNote
	}
	return &retry{Model: m, p: p}
}

func englishNote(err *agent.ModelError, wait time.Duration, attempt int) string {
	return fmt.Sprintf("%s; waiting %s, then attempt %d", err.Error(), wait.Round(100*time.Millisecond), attempt)
}

type retry struct {
	agent.Model
	p RetryPolicy
}

// Stream plays the attempts.
func (r *retry) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for attempt := 1; ; attempt++ {
			err, left := forward(r.Model.Stream(ctx, req), yield)
			if err == nil || left {
				return
			}
			wait, again := r.wait(err, attempt)
			if !again || ctx.Err() != nil {
				yield(agent.Chunk{}, r.final(err))
				return
			}
			if !yield(agent.Chunk{Reset: true, Note: r.p.Note(err, wait, attempt+1)}, nil) {
				return
			}
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				yield(agent.Chunk{}, err)
				return
			}
		}
	}
}

// forward passes chunks on and gives the error the stream ended with; left says that the consumer has gone.
func forward(seq iter.Seq2[agent.Chunk, error], yield func(agent.Chunk, error) bool) (err *agent.ModelError, left bool) {
	for c, cerr := range seq {
		if cerr != nil {
			return modelError(cerr), false
		}
		if !yield(c, nil) {
			return nil, true
		}
	}
	return nil, false
}

func modelError(err error) *agent.ModelError {
	if me, ok := errors.AsType[*agent.ModelError](err); ok {
		return me
	}
	return &agent.ModelError{Kind: agent.ErrInternal, Err: err}
}

// wait says how long to wait after a failed attempt, and whether there is another one.
func (r *retry) wait(err *agent.ModelError, attempt int) (time.Duration, bool) {
	if !err.Retryable || attempt > r.p.Retries || err.RetryAfter > r.p.MaxWait {
		return 0, false
	}
	wait := r.p.Base << (attempt - 1)
	if err.RetryAfter > 0 {
		wait = err.RetryAfter
	}
	return wait + time.Duration(r.p.Jitter()*float64(wait)/4), true
}

// final is the error as the consumer gets it: one that was given up because of the wait says so.
func (r *retry) final(err *agent.ModelError) *agent.ModelError {
	if !err.Retryable || err.RetryAfter <= r.p.MaxWait {
		return err
	}
	e := *err
	e.Err = msg.Errorf(msg.ModelWaitSaid, err.Err, err.RetryAfter.Round(time.Second), r.p.MaxWait)
	if err.Err == nil {
		e.Err = msg.Errorf(msg.ModelWait, err.RetryAfter.Round(time.Second), r.p.MaxWait)
	}
	return &e
}

// Limit bounds a whole call, retries included; then it fails with kind timeout. What stands below may stop the clock with
// [Pause]. 0 = no limit.
func Limit(m agent.Model, d time.Duration) agent.Model {
	if d <= 0 {
		return m
	}
	return &limit{Model: m, d: d}
}

type limit struct {
	agent.Model
	d time.Duration
}

var errLimit = msg.Errorf(msg.ModelLimitOver)

// Stream passes the inner stream on until the time is over.
func (l *limit) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		call, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		c := startClock(l.d, func() { cancel(errLimit) })
		defer c.stop()
		err, left := forward(l.Model.Stream(context.WithValue(call, clockKey{}, c), req), yield)
		if err == nil || left {
			return
		}
		if ctx.Err() == nil && errors.Is(context.Cause(call), errLimit) {
			err = &agent.ModelError{
				Kind: agent.ErrTimeout, Provider: l.Info().Preset, Retryable: true,
				Err: msg.Errorf(msg.ModelLimit, errLimit, l.d),
			}
		}
		yield(agent.Chunk{}, err)
	}
}
