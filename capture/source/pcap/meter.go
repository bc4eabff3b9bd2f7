package pcap

import (
	"context"
	"io"
	"os"
	"time"
)

const progressStep = 1 << 20 // bytes between two calls of Options.Progress

// meter counts the bytes read of all inputs, before decompression.
type meter struct {
	read, total, next int64
	tell              func(read, total int64)
}

// newMeter returns a meter for inputs, or nil if nobody listens.
func newMeter(inputs []Input, tell func(read, total int64)) *meter {
	if tell == nil {
		return nil
	}
	m := &meter{tell: tell, next: progressStep}
	for _, in := range inputs {
		size := in.Size
		if in.R == nil {
			if st, err := os.Stat(in.Path); err == nil && st.Mode().IsRegular() {
				size = st.Size()
			}
		}
		if size <= 0 {
			m.total = 0
			break
		}
		m.total += size
	}
	return m
}

func (m *meter) add(n int) {
	if m.read += int64(n); m.read >= m.next {
		m.next = m.read - m.read%progressStep + progressStep
		m.tell(m.read, m.total)
	}
}

type metered struct {
	r     io.Reader
	meter *meter
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.add(n)
	return n, err
}

// idleAfter is how long a pipe brings nothing until Input.Idle is called.
const idleAfter = 500 * time.Millisecond

// interruptible makes a Read of r that blocks, as that of a pipe may, return when ctx is done, and call idle while it
// waits. stop ends its goroutine, unless that hangs in a Read. Regular files never block and are returned as they are.
func interruptible(ctx context.Context, r io.Reader, idle func()) (_ io.Reader, stop func()) {
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			return r, func() {}
		}
	}
	if ctx.Done() == nil {
		return r, func() {}
	}
	if idle == nil {
		idle = func() {}
	}
	b := &blocking{ctx: ctx, idle: idle, ask: make(chan []byte), got: make(chan result, 1)}
	go func() {
		for p := range b.ask {
			n, err := r.Read(p)
			b.got <- result{n, err}
		}
	}()
	return b, func() { close(b.ask) }
}

type result struct {
	n   int
	err error
}

type blocking struct {
	ctx  context.Context
	idle func()
	ask  chan []byte
	got  chan result
	bad  error
}

func (b *blocking) Read(p []byte) (int, error) {
	if b.bad == nil {
		b.bad = b.ctx.Err()
	}
	if b.bad != nil {
		return 0, b.bad
	}
	b.ask <- p // the goroutine is idle: it has answered every read before
	wait := time.NewTicker(idleAfter)
	defer wait.Stop()
	for {
		select {
		case r := <-b.got:
			return r.n, r.err
		case <-wait.C:
			b.idle()
		case <-b.ctx.Done():
			b.bad = b.ctx.Err() // p belongs to the hanging Read from now on
			return 0, b.bad
		}
	}
}
