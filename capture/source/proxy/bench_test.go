package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"
)

// The benchmarks compare, in one run, no proxy, the standard library's and this one with its recording:
//
//	go test -run xxx -bench . ./capture/source/proxy

const bulk = 200 << 20

// benchUpstream serves small answers, 200 MB at /big, and at /sse events that carry the moment they were sent.
func benchUpstream(c *net.TCPConn) {
	r := bufio.NewReader(c)
	block := bytes.Repeat([]byte("x"), 1<<20)
	for {
		first, err := r.ReadString('\n')
		n := 0
		for line := first; err == nil && line != "\r\n"; line, err = r.ReadString('\n') {
			fmt.Sscanf(line, "Content-Length: %d", &n)
		}
		if _, err := io.CopyN(io.Discard, r, int64(n)); err != nil || first == "" {
			return
		}
		switch {
		case bytes.Contains([]byte(first), []byte("/big")):
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", bulk)
			for range bulk >> 20 {
				c.Write(block)
			}
		case bytes.Contains([]byte(first), []byte("/sse")):
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
			for range 100 {
				time.Sleep(2 * time.Millisecond)
				event := fmt.Sprintf("data: %020d\n\n", time.Now().UnixNano())
				fmt.Fprintf(c, "%x\r\n%s\r\n", len(event), event)
			}
			io.WriteString(c, "0\r\n\r\n")
		default:
			io.WriteString(c, answer)
		}
	}
}

// ways calls f with the address of the upstream, of a standard proxy and of ours.
func ways(b *testing.B, f func(b *testing.B, addr string)) {
	r := newRig(b, benchUpstream, nil)
	plain := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: r.upstream.Addr().String()})
	plain.FlushInterval = -1
	s := httptest.NewServer(plain)
	defer s.Close()
	for _, w := range []struct{ name, addr string }{{"direct", r.upstream.Addr().String()}, {"ReverseProxy", s.Listener.Addr().String()}, {"ours", r.addr}} {
		b.Run(w.name, func(b *testing.B) { f(b, w.addr) })
	}
}

func benchDial(b *testing.B, addr string) net.Conn {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// percentiles reports the median and the 99th percentile of what was measured.
func percentiles(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
}

// readResponse reads a response that ends with end.
func readResponse(b *testing.B, c net.Conn, buf []byte, end string) {
	n := 0
	for !bytes.HasSuffix(buf[:n], []byte(end)) {
		k, err := c.Read(buf[n:])
		if err != nil {
			b.Fatal(err)
		}
		n += k
	}
}

func BenchmarkSmallCall(b *testing.B) {
	ways(b, func(b *testing.B, addr string) {
		c := benchDial(b, addr)
		buf := make([]byte, 4096)
		all := make([]time.Duration, 0, b.N)
		for range b.N {
			start := time.Now()
			io.WriteString(c, call)
			readResponse(b, c, buf, answerBody)
			all = append(all, time.Since(start))
		}
		percentiles(b, all)
	})
}

func BenchmarkBulk(b *testing.B) {
	ways(b, func(b *testing.B, addr string) {
		c := benchDial(b, addr)
		r := bufio.NewReaderSize(c, 1<<20)
		b.SetBytes(bulk)
		for range b.N {
			io.WriteString(c, "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
			for line := ""; line != "\r\n"; {
				var err error
				if line, err = r.ReadString('\n'); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := io.CopyN(io.Discard, r, bulk); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEventDelay(b *testing.B) {
	ways(b, func(b *testing.B, addr string) {
		c := benchDial(b, addr)
		r := bufio.NewReader(c)
		var all []time.Duration
		for range b.N {
			io.WriteString(c, "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					b.Fatal(err)
				}
				if at, ok := bytes.CutPrefix([]byte(line), []byte("data: ")); ok {
					sent, _ := strconv.ParseInt(string(bytes.TrimSpace(at)), 10, 64)
					all = append(all, time.Duration(time.Now().UnixNano()-sent))
				}
				if line == "0\r\n" {
					r.ReadString('\n')
					break
				}
			}
		}
		percentiles(b, all)
	})
}
