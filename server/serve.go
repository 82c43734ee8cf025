package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

const (
	headLimit = 64 << 10 // bytes of a head
	// stopTime is how long runs may take to their next durable event when the server stops, and endTime what answers then
	// have to end.
	stopTime = 5 * time.Second
	endTime  = 2 * time.Second
)

// Loopback reports whether only this machine can reach an address such as 127.0.0.1:8080.
func Loopback(addr net.Addr) bool {
	at, err := netip.ParseAddrPort(addr.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// Serve answers what comes to the listener until ctx ends. Then it takes no one in any more, lets runs come to their next
// durable event, ends the streams, and returns nil. It refuses to begin where other machines could come in without a token.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.o.Token == "" && !Loopback(l.Addr()) {
		_ = l.Close() // nobody was let in
		return msg.Errorf(msg.ServerOpen, l.Addr())
	}
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: s.times.head, IdleTimeout: s.times.idle, MaxHeaderBytes: headLimit,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
	}
	drained := make(chan struct{})
	h.RegisterOnShutdown(func() {
		defer close(drained)
		s.drain(base)
		end(httpx.ErrStopping)
	})
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	left, done := context.WithTimeout(context.WithoutCancel(ctx), s.times.stop+s.times.end) // base ends before
	defer done()
	if err := h.Shutdown(left); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("server: %w", err)
	}
	<-drained
	_ = h.Close() // whoever has not ended by now
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// drain waits for runs, within reason.
func (s *Server) drain(ctx context.Context) {
	if s.o.Drain == nil {
		return
	}
	ctx, done := context.WithTimeout(ctx, s.times.stop)
	defer done()
	if err := s.o.Drain(ctx); err != nil {
		s.o.Logger.Warn("runs could not be brought to an end", "error", err)
	}
}
