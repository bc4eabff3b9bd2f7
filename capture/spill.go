package capture

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
)

// What does not stay in memory stands in temporary files without a name, in blocks: many messages share few files, so
// that descriptors do not run out however many messages are open.
const (
	blockSize  = 16 << 10
	fileBlocks = 16 << 10 // blocks of a file: 256 MiB
)

// Files that messages have left are used again: writing over pages that are there costs half of writing to new ones.
// So many are kept, for so long.
const (
	maxSpillFiles = 2
	spillKeptFor  = 10 * time.Second
)

// spillFile is one temporary file and which of its blocks are taken.
type spillFile struct {
	f     *os.File
	free  []int32 // blocks given back, the next to be taken last
	fresh int32   // from this block on none was ever taken
	taken int
	bad   bool // writing failed: it is not kept
}

// block is a place for blockSize bytes.
type block struct {
	file *spillFile
	n    int32
}

// spillFiles are the files that are open, the oldest first.
type spillFiles struct {
	mu    sync.Mutex
	files []*spillFile
	timer *time.Timer // closes those that nobody uses
}

var spills spillFiles

// take appends n blocks to list. What stands in them already means nothing.
func (s *spillFiles) take(list []block, n int) ([]block, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; n > 0; i++ {
		if i == len(s.files) {
			f, err := newSpillFile()
			if err != nil {
				return list, err
			}
			s.files = append(s.files, f)
		}
		for f := s.files[i]; n > 0 && f.taken < fileBlocks; n-- {
			list = append(list, block{f, f.take()})
		}
	}
	return list, nil
}

func newSpillFile() (*spillFile, error) {
	f, err := os.CreateTemp("", "mcptrace-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return &spillFile{f: f}, nil
}

func (f *spillFile) take() int32 {
	f.taken++
	if k := len(f.free); k > 0 {
		n := f.free[k-1]
		f.free = f.free[:k-1]
		return n
	}
	f.fresh++
	return f.fresh - 1
}

// give takes blocks back. The last goes first, so that those of a message are taken again in their order.
func (s *spillFiles) give(list []block, bad bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range slices.Backward(list) {
		f := b.file
		f.bad = f.bad || bad
		f.free = append(f.free, b.n)
		if f.taken--; f.taken == 0 {
			f.free, f.fresh = f.free[:0], 0
			s.rest(f)
		}
	}
}

// rest keeps a file that nobody uses any more for a while, or closes it.
func (s *spillFiles) rest(f *spillFile) {
	idle := 0
	for _, o := range s.files {
		if o.taken == 0 {
			idle++
		}
	}
	if f.bad || idle > maxSpillFiles {
		s.files = slices.DeleteFunc(s.files, func(o *spillFile) bool { return o == f })
		f.f.Close()
		return
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(spillKeptFor, s.drop)
	} else {
		s.timer.Reset(spillKeptFor)
	}
}

// drop closes what nobody uses.
func (s *spillFiles) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = slices.DeleteFunc(s.files, func(f *spillFile) bool {
		if f.taken == 0 {
			f.f.Close()
		}
		return f.taken == 0
	})
}

// spilled is the part of a Blob that is not in memory.
type spilled struct {
	blocks []block
	len    int64
	bad    bool // writing failed
}

// newSpilled returns a part without bytes. Where it is not released, it gives its blocks back when it is collected.
func newSpilled() *spilled {
	s := &spilled{}
	runtime.SetFinalizer(s, (*spilled).release)
	return s
}

func (s *spilled) release() {
	runtime.SetFinalizer(s, nil)
	spills.give(s.blocks, s.bad)
	s.blocks, s.len = nil, 0
}

// write appends p and returns how much of it was written.
func (s *spilled) write(p []byte) (n int, err error) {
	if missing := int((s.len+int64(len(p))+blockSize-1)/blockSize) - len(s.blocks); missing > 0 {
		s.blocks, err = spills.take(s.blocks, missing)
	}
	for n < len(p) && err == nil {
		f, off, room := s.run(s.len, len(p)-n)
		var k int
		k, err = f.WriteAt(p[n:n+room], off)
		n += k
		s.len += int64(k)
	}
	s.bad = s.bad || err != nil
	return n, err
}

// read fills p with the bytes from off on.
func (s *spilled) read(p []byte, off int64) error {
	defer runtime.KeepAlive(s)
	for len(p) > 0 {
		f, at, n := s.run(off, len(p))
		if _, err := f.ReadAt(p[:n], at); err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// run returns where byte off stands, and how many of the n bytes from there on stand in one piece.
func (s *spilled) run(off int64, n int) (f *os.File, at int64, room int) {
	i := int(off / blockSize)
	b, in := s.blocks[i], off%blockSize
	room = blockSize - int(in)
	for i++; room < n && i < len(s.blocks) && s.blocks[i].file == b.file && s.blocks[i].n == s.blocks[i-1].n+1; i++ {
		room += blockSize
	}
	return b.file.f, int64(b.n)*blockSize + in, min(room, n)
}
