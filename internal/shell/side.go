package shell

import (
	"fmt"
	"os"
	"time"
)

const (
	keepErrors = 64 << 10               // bytes of the end of standard error that are kept
	sideGrace  = 200 * time.Millisecond // for what is still in the pipe, when a process that was meant to stay holds it
)

// side is the pipe for standard error when it goes apart. Its end is kept, however much comes.
type side struct {
	r, w *os.File
	tail []byte
	lost int64
	done chan struct{}
}

func newSide() (*side, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe for standard error: %w", err)
	}
	s := &side{r: r, w: w, done: make(chan struct{})}
	go s.drain()
	return s, nil
}

func (s *side) drain() {
	defer close(s.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := s.r.Read(buf)
		s.tail = append(s.tail, buf[:n]...)
		if extra := len(s.tail) - keepErrors; extra > 0 {
			s.tail = append(s.tail[:0], s.tail[extra:]...)
			s.lost += int64(extra)
		}
		if err != nil {
			return
		}
	}
}

// finish gives what came, once the command has ended. A nil side has nothing.
func (s *side) finish() (tail []byte, lost int64) {
	if s == nil {
		return nil, 0
	}
	_ = s.w.Close()
	_ = s.r.SetReadDeadline(time.Now().Add(sideGrace))
	<-s.done
	_ = s.r.Close()
	return s.tail, s.lost
}
