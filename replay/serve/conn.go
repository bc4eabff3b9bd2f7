package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"sync"
	"time"

	"mcptrace/capture/wire/http2"
)

// conn is one connection of a live client.
type conn struct {
	net.Conn          // what is spoken on: TLS or raw
	raw      net.Conn // the TCP connection
	s        *Server
	in       *bufio.Reader

	gone chan struct{} // closed when the client has closed or reset
	more chan struct{} // a request is there
	mu   sync.Mutex
	reqs *requests
	wait []*request
	busy bool // a response is under way
	buf  []byte
}

// maxPipelined bounds the requests that wait on one connection.
const maxPipelined = 64

func (c *conn) run() {
	c.in = bufio.NewReaderSize(c.Conn, 16<<10)
	if head, _ := c.in.Peek(3); string(head) == http2.Preface[:3] {
		newH2(c).run()
		return
	}
	c.reqs = newRequests()
	go c.read()
	for {
		q := c.next()
		if q == nil || !c.answer(q) {
			return
		}
	}
}

// read takes in what the client sends until it closes.
func (c *conn) read() {
	defer close(c.gone)
	b := make([]byte, 16<<10)
	for {
		n, err := c.in.Read(b)
		if n > 0 && !c.took(b[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

// took splits what came into requests; false: the connection is of no use any more.
func (c *conn) took(b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reqs.write(b)
	for _, q := range c.reqs.out {
		q.from = c.RemoteAddr()
		q.finish(time.Now())
		c.wait = append(c.wait, q)
	}
	c.reqs.out = nil
	if c.reqs.bad || len(c.wait) > maxPipelined {
		fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		return false
	}
	if !c.busy && len(c.wait) == 0 && c.reqs.expecting() {
		fmt.Fprint(c, "HTTP/1.1 100 Continue\r\n\r\n")
	}
	if len(c.wait) > 0 {
		select {
		case c.more <- struct{}{}:
		default:
		}
	}
	return true
}

// next waits for the next request; nil: there is none.
func (c *conn) next() *request {
	for {
		c.mu.Lock()
		if len(c.wait) > 0 {
			q := c.wait[0]
			c.wait, c.busy = c.wait[1:], true
			c.mu.Unlock()
			return q
		}
		c.busy = false
		c.mu.Unlock()
		select {
		case <-c.more:
		case <-c.gone:
			return nil
		case <-c.s.done:
			return nil
		}
	}
}

// answer plays the response to q and reports whether the connection goes on.
func (c *conn) answer(q *request) bool {
	if q.big {
		fmt.Fprint(c, "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		return false
	}
	l, e, first := c.s.pair(q)
	if e == nil {
		return c.refuse(l, q)
	}
	p := c.s.prepare(l, e, q)
	defer p.finished()
	x := c.s.newPlayer(l, e, q, p, first, c)
	defer x.close()
	on := x.run() && c.finish(x)
	x.spread()
	return on
}

// finish ends a response as it was recorded, or as the cut wants it, and reports whether the connection goes on.
func (c *conn) finish(x *player) bool {
	switch x.end.kind {
	case endClean:
		if x.end.close {
			c.fin()
		}
		return !x.end.close
	case endHold:
		if !x.hold() {
			return false
		}
		c.fin()
	case endRST, endStream:
		c.reset()
	default:
		c.fin()
	}
	return false
}

// fin closes the connection in order, and waits a little for the client to do the same: what it is still sending would
// turn the end into a reset.
func (c *conn) fin() {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		w.CloseWrite()
	}
	if w, ok := c.raw.(*net.TCPConn); ok && c.raw != c.Conn {
		w.CloseWrite()
	}
	select {
	case <-c.gone:
	case <-c.s.done:
	case <-time.After(lingering):
	}
}

// lingering is how long a closed connection waits for the client's own close.
const lingering = 2 * time.Second

// reset resets the connection once the client's host has everything that was sent.
func (c *conn) reset() {
	t, ok := c.raw.(*net.TCPConn)
	if !ok {
		return
	}
	drain(t, lingering)
	t.SetLinger(0)
	t.Close()
}

// write implements sink.
func (c *conn) write(x *player, from, to int64) error {
	c.buf = x.take.bytes(c.buf[:0], from, to)
	_, err := c.Write(c.buf)
	if cap(c.buf) > 256<<10 {
		c.buf = nil
	}
	return err
}

// extra implements sink.
func (c *conn) extra(x *player, event []byte) error {
	if x.plan.chunked() {
		event = fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event)
	}
	_, err := c.Write(event)
	return err
}

// left implements sink.
func (c *conn) left() <-chan struct{} { return c.gone }

// respond sends a response of our own.
func (c *conn) respond(status int, reason, media string, body []byte) bool {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, reason)
	if media != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", media)
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
	b.Write(body)
	_, err := c.Write(b.Bytes())
	return err == nil
}

// refuse answers what was not recorded.
func (c *conn) refuse(l *live, q *request) bool {
	r := c.s.refusal(l, q)
	return c.respond(r.status, r.reason, r.media, r.body)
}
