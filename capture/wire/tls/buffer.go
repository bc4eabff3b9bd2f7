package tls

import "sync"

// buffer has room for one record. Connections are many and most of them wait for nothing, so they share buffers.
type buffer [headerLen + maxPayload]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// hold appends p to the bytes that wait.
func (d *direction) hold(p []byte) {
	if d.mem == nil && len(d.buf) == 0 {
		d.mem = buffers.Get().(*buffer)
		d.buf = d.mem[:0]
	}
	d.buf = append(d.buf, p...)
}

// dropped takes the first n bytes off those that wait, and gives the buffer back once none do.
func (d *direction) dropped(n int) {
	if d.buf = d.buf[:copy(d.buf, d.buf[n:])]; len(d.buf) == 0 {
		d.free()
	}
}

// free gives the buffer back; no byte may wait.
func (d *direction) free() {
	if d.mem != nil {
		buffers.Put(d.mem)
	}
	d.mem, d.buf = nil, nil
}

// room returns an empty slice with room for n bytes, the same memory until the end of the call from outside.
func (c *Conn) room(n int) []byte {
	if n > len(buffer{}) {
		return make([]byte, 0, n)
	}
	if c.scratch == nil {
		c.scratch = buffers.Get().(*buffer)
	}
	return c.scratch[:0]
}

// freeRoom gives the memory of room back.
func (c *Conn) freeRoom() {
	if c.scratch != nil {
		buffers.Put(c.scratch)
		c.scratch = nil
	}
}
