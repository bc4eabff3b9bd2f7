package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mcptrace/capture"
)

// leg is one of the two connections of a link.
type leg struct {
	net.Conn // what is read and written: TCP, or TLS on it
	tcp      *net.TCPConn
	raw      syscall.RawConn
	secure   *noted // under TLS; nil: there is none

	finished atomic.Bool // our FIN was sent
	closing  sync.Once
}

func newLeg(tcp *net.TCPConn) (*leg, error) {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &leg{Conn: tcp, tcp: tcp, raw: raw}, nil
}

// noted notes the peer's FIN, which TLS does not tell from its own end, close_notify.
type noted struct {
	*net.TCPConn
	fin atomic.Bool
}

// Read implements net.Conn.
func (n *noted) Read(p []byte) (int, error) {
	k, err := n.TCPConn.Read(p)
	if errors.Is(err, io.EOF) {
		n.fin.Store(true)
	}
	return k, err
}

// ending says what an error of reading tells about the peer; NoEnd where it was us who closed.
func (l *leg) ending(err error) capture.How {
	var alert tls.AlertError
	switch {
	case errors.Is(err, net.ErrClosed):
		return capture.NoEnd
	case errors.Is(err, io.EOF) && l.secure != nil && !l.secure.fin.Load():
		return capture.CloseNotify
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// A writer that met the reset first leaves only an end of file to the reader. After our own FIN the state does not
		// tell them apart, but then nothing is written any more.
		if over, _ := l.info(); over && !l.finished.Load() {
			return capture.RST
		}
		return capture.FIN
	case errors.As(err, &alert):
		return capture.FatalAlert
	}
	return capture.RST
}

// finish sends a FIN, behind all that was written.
func (l *leg) finish() {
	l.finished.Store(true)
	if t, ok := l.Conn.(*tls.Conn); ok {
		t.SetWriteDeadline(time.Now().Add(time.Second))
		t.CloseWrite()
	}
	l.tcp.CloseWrite()
}

// How long a reset waits for the peer to take what was written before it.
const (
	drainPatience = 30 * time.Second // without any progress
	drainFirst    = 100 * time.Microsecond
	drainMost     = 10 * time.Millisecond
)

// drain waits until the peer has acknowledged all that was written: a reset destroys what it has not. It gives up when
// the peer is gone or takes nothing any more.
func (l *leg) drain(ctx context.Context, patience time.Duration) {
	last, since, wait := int64(-1), time.Now(), drainFirst
	for ctx.Err() == nil {
		n := l.unacked()
		if n <= 0 {
			return
		}
		if over, _ := l.info(); over {
			return
		}
		if n != last {
			last, since = n, time.Now()
		} else if time.Since(since) > patience {
			return
		}
		time.Sleep(wait)
		wait = min(2*wait, drainMost)
	}
}

// reset ends the connection with a RST. What the peer has not acknowledged by then is lost; see drain.
func (l *leg) reset() {
	l.closing.Do(func() {
		l.tcp.SetLinger(0)
		l.tcp.Close()
	})
}

// close ends the connection in order, as far as it has not ended.
func (l *leg) close() {
	l.closing.Do(func() {
		if l.secure != nil && !l.finished.Load() {
			l.SetWriteDeadline(time.Now().Add(time.Second))
			l.Conn.Close()
		}
		l.tcp.Close()
	})
}
