package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/capture/capturetest/bigpcap"
)

// shapes are captures with one kind of traffic each, of size n. They are for seeing what the time and the memory of a
// reader grow with, so nothing in them is lost, late or sent twice.
var shapes = map[string]func(s *shaper, n int64){
	"one":   (*shaper).one,
	"short": (*shaper).short,
	"open":  (*shaper).open,
	"large": (*shaper).large,
}

// step is the time from one thing that happens to the next. A connection of short or open takes up to 0.5 ms, so that
// 100,000 of them come within a minute: a reader has hardly let go of the first when the last one is opened.
const step = 50 * time.Microsecond

// filler is the text of answers.
var filler = strings.Repeat("The order was charged and a receipt is on its way. ", 650)[:32<<10]

// newShape returns what writes a capture of that shape and size, as [bigpcap.Generate] writes mixed traffic: it returns
// the truth about the capture, and keeps nothing of it in memory.
func newShape(shape string, n int64) (generator, error) {
	play := shapes[shape]
	if play == nil {
		return nil, fmt.Errorf("no shape %q: want %s, %s", shape, mixed, strings.Join(slices.Sorted(maps.Keys(shapes)), ", "))
	}
	if n < 1 {
		return nil, fmt.Errorf("size %d: want at least 1", n)
	}
	return func(w io.Writer) (bigpcap.Truth, error) {
		buf := bufio.NewWriterSize(w, 1<<20)
		s := &shaper{file: capturetest.NewPcapWriter(buf), truth: bigpcap.Truth{Bytes: 24, ReissuesBy: map[string]int{}}}
		play(s, n)
		if s.err != nil {
			return s.truth, s.err
		}
		return s.truth, buf.Flush()
	}, nil
}

// shaper writes packets one after the other.
type shaper struct {
	file  *capturetest.PcapWriter
	now   time.Duration
	frame []byte
	truth bigpcap.Truth
	err   error // the first one of the file; nothing is written after it
}

// one is a connection with n exchanges.
func (s *shaper) one(n int64) {
	s.truth.Sessions++
	c := s.connect(0)
	for i := range n {
		if s.err != nil {
			return
		}
		c.ask(i+1, i)
		c.answer(i + 1)
	}
	c.close()
}

// short is n clients, one after the other, with a connection and an exchange each.
func (s *shaper) short(n int64) {
	s.clients(n, func(c *conn) {
		c.answer(1)
		c.close()
	})
}

// open is n clients with a connection each, whose call has a stream that says nothing until the capture ends.
func (s *shaper) open(n int64) {
	s.clients(n, func(c *conn) {
		c.send(capture.Server, capturetest.Stream())
		s.truth.Totals.Unknown++
	})
}

// clients lets n clients connect and call, and goes on with each connection.
func (s *shaper) clients(n int64, goOn func(*conn)) {
	for i := int64(0); i < n && s.err == nil; i++ {
		s.truth.Sessions++
		c := s.connect(i)
		c.ask(1, i)
		goOn(c)
	}
}

// large is one call whose stream brings n bytes of text in log messages of at most 32 KiB, and then the answer.
func (s *shaper) large(n int64) {
	s.truth.Sessions++
	c := s.connect(0)
	c.ask(1, 0)
	c.send(capture.Server, capturetest.Stream())
	for n > 0 && s.err == nil {
		part := filler[:min(n, int64(len(filler)))]
		c.send(capture.Server, capturetest.Chunk(capturetest.Event(capturetest.Note("notifications/message", `{"level":"info","data":"`+part+`"}`))))
		n -= int64(len(part))
	}
	c.send(capture.Server, capturetest.Chunk(capturetest.Event(capturetest.Text("1", "done")))+capturetest.LastChunk)
	s.truth.Totals.Delivered++
	c.close()
}

// conn is one TCP connection. What is indexed is so by [capture.Side].
type conn struct {
	s    *shaper
	addr [2]netip.AddrPort
	next [2]uint32 // sequence numbers
	id   [2]uint16
}

// connect opens the connection of the client of that number.
func (s *shaper) connect(number int64) *conn {
	c := &conn{s: s, next: [2]uint32{1000, 7_000_000}}
	c.addr[capture.Client] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(16 + number>>16), byte(number >> 8), byte(number)}), 40000)
	c.addr[capture.Server] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 0, 1}), 8080)
	c.put(capture.Client, capturetest.SYN, "")
	c.put(capture.Server, capturetest.SYN|capturetest.ACK, "")
	c.put(capture.Client, capturetest.ACK, "")
	return c
}

// ask sends a call for an order, which no other call is for, and counts it.
func (c *conn) ask(id, order int64) {
	params := fmt.Sprintf(`{"name":"charge_card","arguments":{"order":%d}}`, order)
	c.send(capture.Client, capturetest.Post("/mcp", capturetest.Call(fmt.Sprint(id), "tools/call", params), "MCP-Protocol-Version: 2025-11-25"))
	c.s.truth.Totals.Exchanges++
	c.s.truth.Totals.Calls++
}

// answer sends an answer of some 300 bytes, and counts it.
func (c *conn) answer(id int64) {
	c.send(capture.Server, capturetest.JSON(capturetest.Text(fmt.Sprint(id), filler[:230])))
	c.s.truth.Totals.Delivered++
}

// send lets a side send each of data in a burst. Every second segment is acknowledged, and the last one of a burst.
func (c *conn) send(from capture.Side, data ...string) {
	for _, d := range data {
		for n := 1; d != ""; n++ {
			p := d[:min(capturetest.MSS, len(d))]
			d = d[len(p):]
			c.put(from, capturetest.ACK|capturetest.PSH, p)
			if n%2 == 0 || d == "" {
				c.put(from.Peer(), capturetest.ACK, "")
			}
		}
	}
}

// close lets the client close, and the server after it.
func (c *conn) close() {
	c.put(capture.Client, capturetest.FIN|capturetest.ACK, "")
	c.put(capture.Server, capturetest.FIN|capturetest.ACK, "")
	c.put(capture.Client, capturetest.ACK, "")
}

// put lets one segment pass.
func (c *conn) put(from capture.Side, flags capturetest.Flag, payload string) {
	s := c.s
	if s.err != nil {
		return
	}
	seg := capturetest.Segment{Src: c.addr[from], Dst: c.addr[from.Peer()], Seq: c.next[from], Flags: flags, ID: c.id[from], Payload: []byte(payload)}
	if flags&capturetest.ACK != 0 {
		seg.Ack = c.next[from.Peer()]
	}
	c.id[from]++
	c.next[from] += uint32(len(payload))
	if flags&(capturetest.SYN|capturetest.FIN) != 0 {
		c.next[from]++
	}
	s.frame = seg.AppendFrame(s.frame[:0])
	s.err = s.file.Write(capturetest.Epoch.Add(s.now), s.frame)
	s.now += step
	s.truth.Packets++
	s.truth.Bytes += int64(16 + len(s.frame))
}
