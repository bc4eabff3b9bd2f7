package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
)

// patience bounds what a test waits for; nothing but a failure takes so long.
const patience = 30 * time.Second

// rig is a proxy between a test's client and a scripted upstream, with what was recorded.
type rig struct {
	t        *testing.T
	p        *Proxy
	addr     string
	upstream net.Listener

	cancel   context.CancelFunc
	served   chan error
	recorded chan struct{}

	// After stop.
	exchanges []*capture.Exchange
	conns     []*capture.Conn
	failures  []capture.ConnectFailure

	mu      sync.Mutex
	notices []string
}

// newRig starts a proxy for an upstream that serves each connection with handle.
func newRig(t testing.TB, handle func(c *net.TCPConn), change func(*Options)) *rig {
	t.Helper()
	up, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := up.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				handle(c.(*net.TCPConn))
			}()
		}
	}()
	r := &rig{upstream: up, served: make(chan error, 1), recorded: make(chan struct{})}
	r.t, _ = t.(*testing.T)
	opt := Options{Upstream: &url.URL{Scheme: "http", Host: up.Addr().String()}, Notice: func(s string) {
		r.mu.Lock()
		r.notices = append(r.notices, s)
		r.mu.Unlock()
	}}
	if change != nil {
		change(&opt)
	}
	f := feed.New(256 << 20)
	if r.p, err = New(opt, f); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr().String()
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	asm := &capture.Assembly{Sink: func(ex *capture.Exchange) {
		if r.t == nil { // a benchmark would keep more than a recorder does
			ex.Release()
			return
		}
		r.exchanges = append(r.exchanges, ex)
	},
		Failed: func(f capture.ConnectFailure) { r.failures = append(r.failures, f) }}
	go func() {
		f.Run(asm, time.Second, nil)
		r.conns = asm.Conns()
		close(r.recorded)
	}()
	go func() {
		r.served <- r.p.Serve(ctx, l)
		f.Close()
	}()
	t.Cleanup(func() { r.stop() })
	return r
}

// stop ends the proxy, and waits for the recording.
func (r *rig) stop() {
	r.cancel()
	<-r.recorded
	r.upstream.Close()
}

// settle waits until the proxy has no connections left, and stops it.
func (r *rig) settle() {
	for deadline := time.Now().Add(patience); r.p.Stats().Links > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	r.stop()
}

// waits reports whether more than n bytes of a link wait for its client.
func (r *rig) waits(n int64) (yes bool) {
	r.p.each(func(k *link) { yes = yes || k.client.unacked() > n })
	return yes
}

func (r *rig) dial() *net.TCPConn {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(patience))
	r.t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// ask sends a request and returns the connection.
func (r *rig) ask(request string) *net.TCPConn {
	r.t.Helper()
	c := r.dial()
	if _, err := io.WriteString(c, request); err != nil {
		r.t.Fatal(err)
	}
	return c
}

// readAll reads to the end, and says how it ended: FIN, RST, or an error's text.
func readAll(c net.Conn) ([]byte, string) {
	b, err := io.ReadAll(c)
	return b, endOf(err)
}

func endOf(err error) string {
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return "FIN"
	case errors.Is(err, syscall.ECONNRESET):
		return "RST"
	}
	return err.Error()
}

// readRequest reads until the request body that call makes is there.
func readRequest(c net.Conn) bool {
	c.SetDeadline(time.Now().Add(patience))
	buf := make([]byte, 4096)
	var got []byte
	for len(got) < len(call) {
		n, err := c.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			return false
		}
	}
	return true
}

// reset ends a connection with a RST once the peer has everything.
func reset(c *net.TCPConn) {
	l, err := newLeg(c)
	if err != nil {
		return
	}
	l.drain(context.Background(), patience)
	l.reset()
}

const callBody = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`

var call = fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(callBody), callBody)

const answerBody = `{"jsonrpc":"2.0","id":1,"result":{}}`

var answer = fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answerBody), answerBody)
