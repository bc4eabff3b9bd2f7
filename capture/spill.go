package capture

import (
	"os"
	"sync"
	"time"
)

// Temporary files that large messages have left are used again: writing over pages that are there costs half of writing
// to new ones. So many are kept, of at most that size, for so long.
const (
	maxSpillFiles = 2
	maxSpillKept  = 256 << 20
	spillKeptFor  = 10 * time.Second
)

// spillFiles holds files without a name that nobody uses at the moment.
type spillFiles struct {
	mu    sync.Mutex
	idle  []*os.File
	timer *time.Timer // closes them
}

var spills spillFiles

// get returns a file to write to from its start. What stands in it already means nothing.
func (s *spillFiles) get() (*os.File, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		f := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return f, nil
	}
	s.mu.Unlock()
	f, err := os.CreateTemp("", "mcptrace-*")
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// put takes back a file of which n bytes were written.
func (s *spillFiles) put(f *os.File, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) == maxSpillFiles || n > maxSpillKept {
		f.Close()
		return
	}
	s.idle = append(s.idle, f)
	if s.timer == nil {
		s.timer = time.AfterFunc(spillKeptFor, s.drop)
	} else {
		s.timer.Reset(spillKeptFor)
	}
}

// drop closes what has been idle.
func (s *spillFiles) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.idle {
		f.Close()
	}
	s.idle = nil
}
