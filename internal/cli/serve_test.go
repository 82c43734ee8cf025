package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// The first signal lets what runs come to its end, for as long as that takes; the second one ends the program whatever runs.
func TestTheSecondSignalEndsServe(t *testing.T) {
	for _, tc := range []struct {
		first, second os.Signal
		code          int
	}{
		{os.Interrupt, os.Interrupt, exitInterrupted},
		{syscall.SIGTERM, syscall.SIGTERM, exitTerminated},
		{syscall.SIGTERM, os.Interrupt, exitTerminated},
	} {
		synctest.Test(t, func(t *testing.T) { // a program that waits on is a deadlock here
			signals, runs, told := make(chan os.Signal), make(chan struct{}), make(chan struct{})
			host := &command.Host{
				Msg: msg.For(msg.En),
				Serve: func(ctx context.Context, _ command.ServeOptions) error {
					<-ctx.Done()
					close(told)
					<-runs
					return nil
				},
				Close: func(context.Context) error {
					t.Error("it waits for the end of what runs")
					return nil
				},
			}
			var errs bytes.Buffer
			ended := make(chan int)
			go func() {
				std := Std{Args: []string{"serve"}, Err: &errs, Signals: signals}
				ended <- Main(t.Context(), std, func(context.Context, command.Options) (*command.Host, error) { return host, nil })
			}()
			signals <- tc.first
			<-told
			synctest.Wait()
			select {
			case code := <-ended:
				t.Errorf("%v alone ends it at once, with %d", tc.first, code)
			default:
				signals <- tc.second
				if code := <-ended; code != tc.code || !strings.Contains(errs.String(), "stopping") {
					t.Errorf("%v, %v: code %d, %s", tc.first, tc.second, code, &errs)
				}
			}
			close(runs)
		})
	}
}
