package serve

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// h2 is one HTTP/2 connection of a live client. A full HTTP/2 server hides what must be played here: where DATA frames
// end, resets of a stream, GOAWAY.
type h2 struct {
	c       *conn
	fr      *http2.Framer
	mu      sync.Mutex // of writing, and of all below
	room    *sync.Cond // window has grown, or something has ended
	enc     *hpack.Encoder
	block   bytes.Buffer
	window  int64
	initial int64
	frame   int64 // largest payload the client takes
	streams map[uint32]*h2stream
	last    uint32
	over    bool
	plays   sync.WaitGroup
}

// maxStreams bounds the streams a client may have open.
const maxStreams = 1000

func newH2(c *conn) *h2 {
	h := &h2{c: c, window: 65535, initial: 65535, frame: 16384, streams: map[uint32]*h2stream{}}
	h.room = sync.NewCond(&h.mu)
	h.fr = http2.NewFramer(c.Conn, c.in)
	h.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	h.fr.MaxHeaderListSize = http1.MaxHead
	h.enc = hpack.NewEncoder(&h.block)
	return h
}

// run reads frames until the client closes.
func (h *h2) run() {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(h.c.in, preface); err != nil || string(preface) != http2.ClientPreface {
		return
	}
	h.mu.Lock()
	err := h.fr.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: maxStreams})
	h.mu.Unlock()
	for err == nil {
		var f http2.Frame
		if f, err = h.fr.ReadFrame(); err == nil {
			err = h.took(f)
		}
		if se, ok := err.(http2.StreamError); ok {
			h.mu.Lock()
			err = h.fr.WriteRSTStream(se.StreamID, se.Code)
			h.mu.Unlock()
		}
	}
	close(h.c.gone)
	h.mu.Lock()
	h.over = true
	for _, st := range h.streams {
		st.leave()
	}
	h.room.Broadcast()
	h.mu.Unlock()
	h.plays.Wait()
}

// took does what a frame asks for.
func (h *h2) took(f http2.Frame) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return h.headers(f)
	case *http2.DataFrame:
		return h.data(f)
	case *http2.RSTStreamFrame:
		if st := h.streams[f.StreamID]; st != nil {
			st.leave()
			h.room.Broadcast()
		}
	case *http2.SettingsFrame:
		return h.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return h.fr.WritePing(true, f.Data)
		}
	case *http2.WindowUpdateFrame:
		if f.StreamID == 0 {
			h.window += int64(f.Increment)
		} else if st := h.streams[f.StreamID]; st != nil {
			st.window += int64(f.Increment)
		}
		h.room.Broadcast()
	}
	return nil
}

func (h *h2) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	f.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingInitialWindowSize:
			for _, st := range h.streams {
				st.window += int64(s.Val) - h.initial
			}
			h.initial = int64(s.Val)
		case http2.SettingMaxFrameSize:
			h.frame = int64(s.Val)
		case http2.SettingHeaderTableSize:
			h.enc.SetMaxDynamicTableSizeLimit(s.Val)
		}
		return nil
	})
	h.room.Broadcast()
	return h.fr.WriteSettingsAck()
}

func (h *h2) headers(f *http2.MetaHeadersFrame) error {
	if st := h.streams[f.StreamID]; st != nil { // trailers
		if f.StreamEnded() {
			h.begin(st)
		}
		return nil
	}
	if f.StreamID <= h.last || len(h.streams) >= maxStreams {
		return h.fr.WriteRSTStream(f.StreamID, http2.ErrCodeRefusedStream)
	}
	h.last = f.StreamID
	st := &h2stream{h: h, id: f.StreamID, window: h.initial, gone: make(chan struct{}), q: &request{from: h.c.RemoteAddr()}}
	head := &http1.Head{Method: f.PseudoValue("method"), Target: f.PseudoValue("path"), Proto: "HTTP/2"}
	head.Fields = append(head.Fields, http1.Field{Name: "host", Value: f.PseudoValue("authority")})
	for _, x := range f.RegularFields() {
		head.Fields = append(head.Fields, http1.Field{Name: x.Name, Value: x.Value})
	}
	st.q.ex.Request.Head = head
	h.streams[st.id] = st
	if f.StreamEnded() {
		h.begin(st)
	}
	return nil
}

func (h *h2) data(f *http2.DataFrame) error {
	n := f.Header().Length
	if n > 0 {
		if err := h.fr.WriteWindowUpdate(0, n); err != nil {
			return err
		}
	}
	st := h.streams[f.StreamID]
	if st == nil || st.begun {
		return nil
	}
	if n > 0 && !f.StreamEnded() {
		if err := h.fr.WriteWindowUpdate(st.id, n); err != nil {
			return err
		}
	}
	m := &st.q.ex.Request
	if m.Wire.Len()+int64(n) > maxRequest {
		delete(h.streams, st.id)
		return h.fr.WriteRSTStream(st.id, http2.ErrCodeEnhanceYourCalm)
	}
	m.Wire.Append(f.Data())
	if f.StreamEnded() {
		h.begin(st)
	}
	return nil
}

// begin plays the response to a request that is whole. h.mu is held.
func (h *h2) begin(st *h2stream) {
	if st.begun {
		return
	}
	st.begun = true
	m := &st.q.ex.Request
	if n := m.Wire.Len(); n > 0 {
		m.Body = []span{{Start: 0, End: n}}
	}
	m.Chunks = []capture.Chunk{{}}
	h.plays.Add(1)
	go func() {
		defer h.plays.Done()
		st.q.finish(time.Now())
		st.answer()
		h.mu.Lock()
		delete(h.streams, st.id)
		h.mu.Unlock()
	}()
}

// h2stream is one request on it.
type h2stream struct {
	h      *h2
	id     uint32
	q      *request
	window int64
	begun  bool
	gone   chan struct{}
	away   bool
	ended  bool   // END_STREAM was sent
	head   []byte // of the response, while it is not whole
}

// leave tells the player that the client has gone. h.mu is held.
func (st *h2stream) leave() {
	if !st.away {
		st.away = true
		close(st.gone)
	}
}

func (st *h2stream) left() <-chan struct{} { return st.gone }

func (st *h2stream) answer() {
	s := st.h.c.s
	l, e, first := s.pair(st.q)
	if e == nil {
		r := s.refusal(l, st.q)
		fields := []hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(r.status)}, {Name: "content-length", Value: strconv.Itoa(len(r.body))}}
		if r.media != "" {
			fields = append(fields, hpack.HeaderField{Name: "content-type", Value: r.media})
		}
		st.headers(fields, len(r.body) == 0)
		st.data(r.body, true)
		return
	}
	p := s.prepare(l, e, st.q)
	defer p.finished()
	x := s.newPlayer(l, e, st.q, p, first, st)
	defer x.close()
	if x.run() {
		st.finish(x)
	}
	x.spread()
}

// finish ends the stream as it was recorded, or as the cut wants it.
func (st *h2stream) finish(x *player) {
	c := st.h.c
	kind := x.end.kind
	if kind == endHold {
		if !x.hold() {
			return
		}
		kind = endStream
	}
	switch kind {
	case endClean:
		if t := x.plan.m.Head; t != nil && len(t.Trailers) > 0 && x.stop == x.plan.stop {
			st.headers(lower(t.Trailers), true)
			return
		}
		st.data(nil, true)
	case endStream:
		st.h.locked(func() error { return st.h.fr.WriteRSTStream(st.id, http2.ErrCode(x.end.code)) })
	case endGoAway:
		st.h.locked(func() error { return st.h.fr.WriteGoAway(max(st.id, 2)-2, http2.ErrCode(x.end.code), nil) })
		c.fin()
		c.raw.Close()
	case endRST:
		c.reset()
	default:
		c.fin()
		c.raw.Close()
	}
}

func (h *h2) locked(f func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return f()
}

// write implements sink. Of what was recorded over HTTP/1 only heads and body bytes are sent.
func (st *h2stream) write(x *player, from, to int64) error {
	m := x.plan.m
	if m.Head == nil {
		x.take.bytes(nil, from, to)
		return nil
	}
	if from < m.HeadStart {
		x.take.bytes(nil, from, min(to, m.HeadStart))
		from = min(to, m.HeadStart)
	}
	if from < m.HeadEnd && from < to {
		st.head = x.take.bytes(st.head, from, min(to, m.HeadEnd))
		from = min(to, m.HeadEnd)
		if from == m.HeadEnd {
			if err := st.headers(fieldsOf(st.head, m.Head.Status), false); err != nil {
				return err
			}
		}
	}
	for _, b := range x.plan.body {
		if b.End <= from || b.Start >= to {
			continue
		}
		if from < b.Start {
			x.take.bytes(nil, from, b.Start)
		}
		end := min(to, b.End)
		if err := st.data(x.take.bytes(nil, max(from, b.Start), end), false); err != nil {
			return err
		}
		from = end
	}
	if from < to {
		x.take.bytes(nil, from, to)
	}
	return nil
}

// extra implements sink.
func (st *h2stream) extra(_ *player, event []byte) error { return st.data(event, false) }

// connectionFields belong to a connection of HTTP/1. Source: RFC 9113 section 8.2.2.
var connectionFields = map[string]bool{"connection": true, "keep-alive": true, "proxy-connection": true, "transfer-encoding": true, "upgrade": true}

// fieldsOf makes the header list of a head's text.
func fieldsOf(head []byte, status int) []hpack.HeaderField {
	out := []hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(status)}}
	_, rest, _ := strings.Cut(string(head), "\n")
	for line := range strings.Lines(rest) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		name = strings.ToLower(strings.TrimSpace(name))
		if ok && name != "" && !connectionFields[name] {
			out = append(out, hpack.HeaderField{Name: name, Value: strings.TrimSpace(value)})
		}
	}
	return out
}

func lower(fs []http1.Field) []hpack.HeaderField {
	var out []hpack.HeaderField
	for _, f := range fs {
		out = append(out, hpack.HeaderField{Name: strings.ToLower(f.Name), Value: f.Value})
	}
	return out
}

// headers sends a header list.
func (st *h2stream) headers(fields []hpack.HeaderField, end bool) error {
	h := st.h
	return h.locked(func() error {
		if st.away || st.ended {
			return io.ErrClosedPipe
		}
		st.ended = end
		h.block.Reset()
		for _, f := range fields {
			h.enc.WriteField(f)
		}
		b := h.block.Bytes()
		first := true
		for first || len(b) > 0 {
			n := min(int64(len(b)), h.frame)
			part := b[:n]
			b = b[n:]
			var err error
			if first {
				err = h.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: st.id, BlockFragment: part, EndStream: end, EndHeaders: len(b) == 0})
			} else {
				err = h.fr.WriteContinuation(st.id, len(b) == 0, part)
			}
			if err != nil {
				return err
			}
			first = false
		}
		return nil
	})
}

// data sends body bytes as the windows of the client let it.
func (st *h2stream) data(p []byte, end bool) error {
	h := st.h
	return h.locked(func() error {
		for {
			for len(p) > 0 && !st.away && !h.over && (h.window <= 0 || st.window <= 0) {
				h.room.Wait()
			}
			if st.away || h.over {
				return io.ErrClosedPipe
			}
			if st.ended {
				return nil
			}
			n := int64(len(p))
			if n > 0 {
				n = min(n, h.window, st.window, h.frame)
			} else if !end {
				return nil
			}
			st.ended = end && n == int64(len(p))
			if err := h.fr.WriteData(st.id, st.ended, p[:n]); err != nil {
				return err
			}
			h.window -= n
			st.window -= n
			if p = p[n:]; len(p) == 0 {
				return nil
			}
		}
	})
}
