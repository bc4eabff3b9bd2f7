package serve

import (
	"bytes"
	"io"
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

func (h *h2) locked(f func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return f()
}
