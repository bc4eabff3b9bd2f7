package feed

import (
	"sync"
	"sync/atomic"
)

// BufferSize is the size of a Buffer in bytes.
const BufferSize = 320 << 10

// Buffer is memory to read a connection into, which a Tap may hold on to instead of copying what it is told. Its bytes
// must not change while it is Shared.
type Buffer struct {
	bytes   []byte
	holders atomic.Int32
}

var buffers = sync.Pool{New: func() any { return &Buffer{bytes: make([]byte, BufferSize)} }}

// NewBuffer returns a Buffer that the caller holds. Its bytes are what they happen to be.
func NewBuffer() *Buffer {
	b := buffers.Get().(*Buffer)
	b.holders.Store(1)
	return b
}

// Bytes returns the memory, BufferSize bytes.
func (b *Buffer) Bytes() []byte { return b.bytes }

// Shared reports whether somebody holds the Buffer beside the caller.
func (b *Buffer) Shared() bool { return b.holders.Load() > 1 }

// Release ends a hold. Nobody may use the memory once all have ended.
func (b *Buffer) Release() {
	if b.holders.Add(-1) == 0 {
		buffers.Put(b)
	}
}

// hold begins a hold.
func (b *Buffer) hold() { b.holders.Add(1) }

// worth reports whether so many of its bytes are better held on to than copied: the rest of the memory waits with them.
func (b *Buffer) worth(n int) bool { return b != nil && n >= BufferSize/2 }
