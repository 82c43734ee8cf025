//go:build unix

package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const (
	rows, columns = 40, 120
	echoAfter     = 250 * time.Millisecond // a program that has switched the echo off so long waits for a secret
	lookEvery     = 2 * time.Second        // at a terminal on which nothing happens
	typeTime      = 5 * time.Second        // for a program to read what is typed
)

// terminal is our end of a command's terminal.
type terminal struct {
	master *os.File
	raw    syscall.RawConn
	out    *os.File
	typed  atomic.Bool // since the last look

	tail    []byte // end of the output
	quiet   time.Time
	waiting bool
}

// openTerminal gives cmd a new terminal as its controlling one. The caller closes tty when the command was started.
func openTerminal(cmd *exec.Cmd, out *os.File) (t *terminal, tty *os.File, err error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	_ = pty.Setsize(tty, &pty.Winsize{Rows: rows, Cols: columns}) // without it programs take 80 columns
	ours, err := pollable(master)
	if err != nil {
		_ = tty.Close() // the first error says it
		return nil, nil, err
	}
	raw, err := ours.SyscallConn()
	if err != nil {
		return nil, nil, errors.Join(err, ours.Close(), tty.Close())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return &terminal{master: ours, raw: raw, out: out}, tty, nil
}

// pollable takes f over into a file with deadlines; f is closed.
func pollable(f *os.File) (*os.File, error) {
	defer func() { _ = f.Close() }()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("copy of the terminal: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd) // the first error says it
		return nil, fmt.Errorf("terminal: %w", err)
	}
	return os.NewFile(uintptr(fd), "terminal"), nil
}

func (t *terminal) close() { _ = t.master.Close() }

// copy writes what the command prints into the file until its terminal is closed. Deadlines are its only clock.
func (t *terminal) copy(waits func(why string)) {
	if waits == nil {
		waits = func(string) {}
	}
	buf := make([]byte, 32<<10)
	t.quiet = time.Now()
	for {
		next := lookEvery
		if since := time.Since(t.quiet); since < promptAfter+echoAfter {
			next = echoAfter
		}
		_ = t.master.SetReadDeadline(time.Now().Add(next))
		n, err := t.master.Read(buf)
		if n > 0 {
			t.take(buf[:n])
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return // closed, by the command or by us
		}
		if t.typed.Swap(false) {
			t.waiting, t.quiet = false, time.Now()
			waits("")
		}
		if why := t.why(); (why != "") != t.waiting {
			t.waiting = why != ""
			waits(why)
		}
	}
}

func (t *terminal) take(p []byte) {
	_, _ = t.out.Write(p) // a full disk loses output, and must not stop the command
	t.tail = append(t.tail, p...)
	t.tail = t.tail[max(0, len(t.tail)-200):]
	t.quiet = time.Now()
}

// waitsOnTerminal is said of a command on a terminal, into which a person can type.
const waitsOnTerminal = "it asks for a password or a confirmation on its terminal"

// why says what the command waits for when only a person can type it.
func (t *terminal) why() string {
	since := time.Since(t.quiet)
	switch {
	case since >= echoAfter/2 && t.hidden():
		return waitsOnTerminal
	case since >= promptAfter && looksLikeQuestion(t.tail):
		return waitsOnTerminal
	}
	return ""
}

// hidden reports that lines are read and not shown: so passwords are asked for. Programs that draw the screen themselves
// read single keys.
func (t *terminal) hidden() bool {
	hidden := false
	err := t.raw.Control(func(fd uintptr) {
		a, err := unix.IoctlGetTermios(int(fd), getTermios)
		hidden = err == nil && a.Lflag&unix.ECHO == 0 && a.Lflag&unix.ICANON != 0
	})
	return err == nil && hidden
}

// drain ends the copying: soon by itself when the command has ended, at once otherwise.
func (t *terminal) drain(copied <-chan struct{}, ended bool) {
	if ended {
		limit := time.NewTimer(closeGrace)
		defer limit.Stop()
		select {
		case <-copied:
		case <-limit.C:
		}
	}
	t.close()
	<-copied
	_ = t.out.Close() // nothing more can be done
}

func (t *terminal) write(text string) error {
	_ = t.master.SetWriteDeadline(time.Now().Add(typeTime))
	_, err := io.WriteString(t.master, text)
	t.typed.Store(true)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the command does not read what is typed: %w", err)
	}
	if err != nil {
		return fmt.Errorf("typing: %w", err)
	}
	return nil
}
