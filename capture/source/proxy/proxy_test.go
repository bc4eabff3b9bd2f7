package proxy

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcptrace/capture"
)

// TestResponseEndsAtEveryByte ends the response behind each of its bytes, with a FIN and with a reset: the client must get
// just these bytes and just that ending, and the recording must tell the same.
func TestResponseEndsAtEveryByte(t *testing.T) {
	for _, how := range []string{"FIN", "RST"} {
		t.Run(how, func(t *testing.T) {
			var cut atomic.Int64
			r := newRig(t, func(c *net.TCPConn) {
				if !readRequest(c) {
					return
				}
				io.WriteString(c, answer[:cut.Load()])
				if how == "RST" {
					reset(c)
				}
			}, nil)
			for n := range len(answer) + 1 {
				cut.Store(int64(n))
				c := r.ask(call)
				got, end := readAll(c)
				if string(got) != answer[:n] || end != how {
					t.Fatalf("cut at %d: %d bytes and %s, want %s", n, len(got), end, how)
				}
				c.Close()
			}
			r.settle()
			if len(r.exchanges) != len(answer)+1 {
				t.Fatalf("%d exchanges, want %d", len(r.exchanges), len(answer)+1)
			}
			for _, ex := range r.exchanges {
				n := ex.Response.Wire.Len()
				want := map[string]capture.EndKind{"FIN": capture.EndFIN, "RST": capture.EndRST}[how]
				switch {
				case n == 0:
					want = capture.EndNone
				case n == int64(len(answer)):
					want = capture.EndClean
				}
				if ex.Ending.Kind != want || want != capture.EndClean && ex.Ending.By != "server" {
					t.Errorf("%d bytes: end %s by %q, want %s by server", n, ex.Ending.Kind, ex.Ending.By, want)
				}
				if n > 0 && ex.Response.AckedAt(n) < 0 {
					t.Errorf("%d bytes: not acknowledged, but the client had them all", n)
				}
			}
		})
	}
}

// TestRequestEndsAtEveryByte ends the request behind each of its bytes: the upstream must not see a whole one, nor
// another ending.
func TestRequestEndsAtEveryByte(t *testing.T) {
	type seen struct {
		got []byte
		end string
	}
	head := strings.Index(call, "\r\n\r\n") + 4
	for _, how := range []string{"FIN", "RST"} {
		t.Run(how, func(t *testing.T) {
			saw := make(chan seen, 1)
			r := newRig(t, func(c *net.TCPConn) {
				c.SetDeadline(time.Now().Add(patience))
				got, end := readAll(c)
				saw <- seen{got, end}
			}, nil)
			for n := range len(call) {
				c := r.ask(call[:n])
				if how == "RST" {
					reset(c)
				} else {
					c.CloseWrite()
				}
				if n < head {
					continue
				}
				if s := <-saw; string(s.got) != call[:n] || s.end != how {
					t.Fatalf("cut at %d: the upstream saw %d bytes and %s, want %s", n, len(s.got), s.end, how)
				}
			}
		})
	}
}

// opening is the beginning of a stream that stays open.
const opening = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\n"

func TestStalledUpstreamLearnsThatTheClientWent(t *testing.T) {
	for _, how := range []string{"FIN", "RST"} {
		saw := make(chan string, 1)
		r := newRig(t, func(c *net.TCPConn) {
			readRequest(c)
			io.WriteString(c, opening)
			_, end := readAll(c)
			saw <- end
		}, nil)
		c := r.ask(call)
		io.ReadFull(c, make([]byte, len(opening)))
		if how == "RST" {
			reset(c)
		} else {
			c.CloseWrite()
		}
		if end := <-saw; end != how {
			t.Errorf("the upstream saw %s, want %s", end, how)
		}
		r.stop()
	}
}

// TestSlowClientHoldsTheUpstreamBack checks that a client that does not read makes the upstream wait, not the memory grow.
func TestSlowClientHoldsTheUpstreamBack(t *testing.T) {
	const size = 40 << 20
	block := bytes.Repeat([]byte("0123456789abcdef"), 64<<10/16)
	var taken atomic.Int64
	r := newRig(t, func(c *net.TCPConn) {
		if !readRequest(c) {
			return
		}
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)
		for n := 0; n < size; n += len(block) {
			if _, err := c.Write(block); err != nil {
				return
			}
			taken.Add(int64(len(block)))
		}
	}, nil)
	c := r.ask(call)
	last := int64(-1)
	for n := taken.Load(); n != last || n == 0; n = taken.Load() { // until it no longer grows
		last = n
		time.Sleep(100 * time.Millisecond)
	}
	if last > size*3/4 {
		t.Errorf("%d MB of %d were taken for a client that does not read", last>>20, size>>20)
	}
	got := sha256.New()
	n, err := io.Copy(got, io.LimitReader(c, size+int64(len(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)))))
	if err != nil || n < size {
		t.Errorf("%d bytes arrived: %v", n, err)
	}
}

// TestAnswerThatIsNotTaken has a client reset the connection while a large answer is still on its way: the recording has
// the answer, and that the client did not get it.
func TestAnswerThatIsNotTaken(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"result":{"s":"` + strings.Repeat("x", 8<<20) + `"}}`
	sent := make(chan bool, 1)
	r := newRig(t, func(c *net.TCPConn) {
		if !readRequest(c) {
			return
		}
		go fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		sent <- true
		io.Copy(io.Discard, c)
	}, nil)
	c := r.dial()
	c.SetReadBuffer(64 << 10) // its kernel must not take all of it
	io.WriteString(c, call)
	<-sent
	io.ReadFull(c, make([]byte, 100))
	for canAsk && !r.waits(256<<10) { // twice what the client's kernel takes: it cannot have all
		time.Sleep(time.Millisecond)
	}
	l, err := newLeg(c)
	if err != nil {
		t.Fatal(err)
	}
	l.reset()
	r.settle()
	if len(r.exchanges) != 1 {
		t.Fatalf("%d exchanges", len(r.exchanges))
	}
	ex := r.exchanges[0]
	if ex.Response.AckedAt(ex.Response.Wire.Len()) >= 0 {
		t.Error("the whole answer counts as acknowledged")
	}
	if ex.Ending.Kind != capture.EndRST || ex.Ending.By != "client" {
		t.Errorf("end %s by %q, want rst by client", ex.Ending.Kind, ex.Ending.By)
	}
}

func TestManyStreams(t *testing.T) {
	const streams = 200
	var ready sync.WaitGroup
	ready.Add(streams)
	r := newRig(t, func(c *net.TCPConn) {
		if !readRequest(c) {
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		ready.Done()
		ready.Wait() // all are open at once
		for i := range 3 {
			fmt.Fprintf(c, "9\r\ndata: %d\n\n\r\n", i)
		}
		io.WriteString(c, "0\r\n\r\n")
		io.Copy(io.Discard, c)
	}, nil)
	var clients sync.WaitGroup
	for range streams {
		c := r.ask(call)
		clients.Go(func() {
			defer c.Close()
			got := make([]byte, 0, 256)
			buf := make([]byte, 256)
			for !bytes.HasSuffix(got, []byte("0\r\n\r\n")) {
				n, err := c.Read(buf)
				got = append(got, buf[:n]...)
				if err != nil {
					t.Errorf("%v after %q", err, got)
					return
				}
			}
		})
	}
	clients.Wait()
	r.settle()
	if len(r.exchanges) != streams {
		t.Fatalf("%d exchanges, want %d", len(r.exchanges), streams)
	}
	for _, ex := range r.exchanges {
		if ex.Ending.Kind != capture.EndClean || ex.Response.AckedAt(ex.Response.Wire.Len()) < 0 {
			t.Fatalf("end %s, %d bytes, acknowledged %v", ex.Ending.Kind, ex.Response.Wire.Len(), ex.Response.Acks)
		}
	}
}

func TestUpstreamRefuses(t *testing.T) {
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := dead.Addr().String()
	dead.Close()
	r := newRig(t, func(*net.TCPConn) {}, func(o *Options) { o.Upstream = &url.URL{Scheme: "http", Host: addr} })
	got, end := readAll(r.ask(call))
	if !bytes.HasPrefix(got, []byte("HTTP/1.1 502 ")) || !bytes.Contains(got, []byte(addr)) || end != "FIN" {
		t.Errorf("%q and %s, want a 502 that names %s", got, end, addr)
	}
	r.settle()
	if len(r.failures) != 1 || r.failures[0].Kind != "refused" || r.failures[0].Server.String() != addr {
		t.Errorf("failures %v", r.failures)
	}
	if len(r.exchanges) != 1 || r.exchanges[0].Response.Head == nil || r.exchanges[0].Response.Head.Status != 502 {
		t.Errorf("the 502 was not recorded: %v", r.exchanges)
	}
}

// TestStop stops the proxy while a stream is open: both sides must learn that it was cut, and nobody is blamed.
func TestStop(t *testing.T) {
	saw := make(chan string, 1)
	r := newRig(t, func(c *net.TCPConn) {
		readRequest(c)
		io.WriteString(c, opening)
		_, end := readAll(c)
		saw <- end
	}, nil)
	c := r.ask(call)
	io.ReadFull(c, make([]byte, len(opening)))
	r.stop()
	if _, end := readAll(c); end != "RST" {
		t.Errorf("the client saw %s, want RST", end)
	}
	if end := <-saw; end != "RST" {
		t.Errorf("the upstream saw %s, want RST", end)
	}
	if len(r.exchanges) != 1 || r.exchanges[0].Ending.Kind != capture.EndOpen || r.exchanges[0].Ending.By != "" {
		t.Errorf("recorded %+v, want one that ends open", r.exchanges)
	}
}

func TestRefusalWaitsItsTurn(t *testing.T) {
	r := newRig(t, func(c *net.TCPConn) {
		if readRequest(c) {
			io.WriteString(c, answer)
			io.Copy(io.Discard, c)
		}
	}, nil)
	got, end := readAll(r.ask(call + "BAD\r\n\r\n"))
	if !strings.HasPrefix(string(got), answer+"HTTP/1.1 400 ") || end != "FIN" {
		t.Errorf("%q and %s, want the answer, a 400 and FIN", got, end)
	}
	if n := r.p.Stats().Refused; n != 1 {
		t.Errorf("%d refused, want 1", n)
	}
}

func TestRefusalInTheBody(t *testing.T) {
	saw := make(chan string, 1)
	r := newRig(t, func(c *net.TCPConn) {
		got, end := readAll(c)
		saw <- end + string(got[max(0, len(got)-6):])
	}, nil)
	got, _ := readAll(r.ask("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n-1\r\n"))
	if !bytes.HasPrefix(got, []byte("HTTP/1.1 400 ")) {
		t.Errorf("%q, want a 400", got)
	}
	if s := <-saw; s != "RST1\r\nx\r\n" {
		t.Errorf("the upstream saw %q, want the good chunk and a reset", s)
	}
}

func TestConflictingAnswer(t *testing.T) {
	for _, head := range []string{"Content-Length: 5\r\nContent-Length: 7", "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: x"} {
		r := newRig(t, func(c *net.TCPConn) {
			if readRequest(c) {
				io.WriteString(c, "HTTP/1.1 200 OK\r\n"+head+"\r\n\r\n12345")
				io.Copy(io.Discard, c)
			}
		}, nil)
		if got, _ := readAll(r.ask(call)); !bytes.HasPrefix(got, []byte("HTTP/1.1 502 ")) {
			t.Errorf("%s: %q, want a 502", head, got)
		}
		r.stop()
	}
}

func TestHeadTimeout(t *testing.T) {
	r := newRig(t, func(*net.TCPConn) {}, func(o *Options) { o.HeadTimeout = time.Millisecond })
	got, end := readAll(r.ask("GET / HTTP/1.1\r\nHo"))
	if !bytes.HasPrefix(got, []byte("HTTP/1.1 408 ")) || end != "FIN" {
		t.Errorf("%q and %s, want a 408", got, end)
	}
}

func TestIdleTimeout(t *testing.T) {
	r := newRig(t, func(c *net.TCPConn) { io.Copy(io.Discard, c) }, func(o *Options) { o.IdleTimeout = time.Millisecond })
	if got, end := readAll(r.dial()); len(got) > 0 || end != "FIN" {
		t.Errorf("%q and %s, want FIN", got, end)
	}
}

func TestTooManyClients(t *testing.T) {
	r := newRig(t, func(c *net.TCPConn) { io.Copy(io.Discard, c) }, func(o *Options) { o.MaxLinks = 1 })
	r.ask(call)
	for r.p.Stats().Links == 0 {
		time.Sleep(time.Millisecond)
	}
	c, err := net.Dial("tcp", r.addr)
	if errors.Is(err, syscall.ECONNRESET) {
		return // the reset came before the kernel had told of the connection
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, end := readAll(c); end != "RST" {
		t.Errorf("the second client saw %s, want RST", end)
	}
}

func TestUpgradeBecomesATunnel(t *testing.T) {
	r := newRig(t, func(c *net.TCPConn) {
		buf := make([]byte, 4096)
		n, _ := c.Read(buf)
		for !bytes.HasSuffix(buf[:n], []byte("\r\n\r\n")) {
			k, err := c.Read(buf[n:])
			if n += k; err != nil {
				return
			}
		}
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
		io.Copy(c, c)
	}, nil)
	c := r.ask("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
	want := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n"
	buf := make([]byte, len(want))
	if _, err := io.ReadFull(c, buf); err != nil || string(buf) != want {
		t.Fatalf("%q %v", buf, err)
	}
	io.WriteString(c, "\x00not HTTP\n")
	if _, err := io.ReadFull(c, buf[:10]); err != nil || string(buf[:10]) != "\x00not HTTP\n" {
		t.Errorf("%q %v", buf[:10], err)
	}
}

func TestHostIsRewrittenOnlyIfAsked(t *testing.T) {
	saw := make(chan string, 1)
	r := newRig(t, func(c *net.TCPConn) {
		c.SetDeadline(time.Now().Add(patience))
		got, _ := readAll(c)
		saw <- string(got)
	}, func(o *Options) { o.Host = "mcp.example.com" })
	c := r.ask(call + call)
	c.CloseWrite()
	want := strings.ReplaceAll(call+call, "Host: localhost", "Host: mcp.example.com")
	if s := <-saw; s != want {
		t.Errorf("forwarded %q, want %q", s, want)
	}
	r.settle()
	for _, ex := range r.exchanges {
		if got := string(ex.Request.Wire.Bytes(0, ex.Request.Wire.Len())); got != call {
			t.Errorf("recorded %q, want what the client sent", got)
		}
	}
}

func TestGuard(t *testing.T) {
	loop := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	wide := &net.TCPAddr{IP: net.IPv4zero, Port: 1}
	for _, tt := range []struct {
		at     net.Addr
		allow  []string
		method string
		target string
		host   string
		status int
	}{
		{loop, nil, "GET", "/", "localhost", 0},
		{loop, nil, "GET", "/", "LocalHost:8808", 0},
		{loop, nil, "GET", "/", "a.localhost:1", 0},
		{loop, nil, "GET", "/", "127.0.0.1:1", 0},
		{loop, nil, "GET", "/", "127.9.9.9", 0},
		{loop, nil, "GET", "/", "[::1]:80", 0},
		{loop, nil, "GET", "/", "[::1]", 0},
		{loop, nil, "GET", "/", "evil.example", 403},
		{loop, nil, "GET", "/", "localhost.evil.example", 403},
		{loop, nil, "GET", "/", "127.0.0.1.evil.example", 403},
		{loop, nil, "GET", "/", "192.168.1.1", 403},
		{loop, nil, "GET", "/", "", 403},
		{loop, []string{"box.lan:80"}, "GET", "/", "BOX.lan", 0},
		{loop, []string{"*"}, "GET", "/", "anything", 0},
		{wide, nil, "GET", "/", "anything", 0},
		{wide, []string{"box"}, "GET", "/", "anything", 403},
		{loop, nil, "CONNECT", "localhost:1", "localhost:1", 405},
		{loop, nil, "GET", "http://localhost/mcp", "localhost", 0},
		{loop, nil, "GET", "http://127.0.0.1:9/mcp", "localhost", 421},
		{loop, nil, "GET", "http://u@localhost/", "localhost", 421},
		{loop, nil, "OPTIONS", "*", "localhost", 0},
		{loop, nil, "GET", "mcp", "localhost", 400},
	} {
		err := newGuard(tt.at, tt.allow).check(&request{method: tt.method, target: tt.target, host: tt.host, hasHost: true})
		status := 0
		if r, ok := err.(*refusal); ok {
			status = r.status
		}
		if status != tt.status {
			t.Errorf("%s %s, Host %q, listening on %v, allowed %v: %d, want %d", tt.method, tt.target, tt.host, tt.at, tt.allow, status, tt.status)
		}
	}
}
