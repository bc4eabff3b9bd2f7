package serve

import (
	"net"
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// maxRequest bounds the bytes kept of one request.
const maxRequest = 64 << 20

// request is what a live client asked, whole.
type request struct {
	ex   capture.Exchange // its Request only
	rd   *capture.Reading
	at   time.Time // when its last byte was there
	sent bool      // 100 (Continue) went out for it
	from net.Addr
	big  bool // more than maxRequest
}

func (q *request) header(name string) string { return q.ex.Request.Head.Get(name) }

// finish reads what the request says.
func (q *request) finish(at time.Time) {
	q.at = at
	q.ex.Request.Complete = true
	q.rd = capture.Read(&q.ex)
}

// call returns the first JSON-RPC message, an empty one where there is none.
func (q *request) call() capture.Call {
	if len(q.rd.Calls) == 0 {
		return capture.Call{Kind: capture.KindNone}
	}
	return q.rd.Calls[0]
}

// describe names the request for a person.
func (q *request) describe() string {
	h := q.ex.Request.Head
	out := h.Method + " " + pathQuery(h.Target)
	for i := range q.rd.Calls {
		c := &q.rd.Calls[i]
		out += " " + strings.TrimSpace(string(c.Method)+" "+c.Name)
		if c.Kind == capture.KindResponse {
			out += " response to " + string(c.ID)
		}
	}
	return out
}

// requests splits what a client sends over HTTP/1 into requests. It implements http1.Handler.
type requests struct {
	parser *http1.Parser
	cur    *request
	base   int64 // offset of run
	run    []byte
	origin int64
	seen   int64
	out    []*request // whole, in order
	bad    bool
}

func newRequests() *requests {
	r := &requests{}
	r.parser = http1.NewRequestParser(r)
	return r
}

// write takes the next bytes of the client.
func (r *requests) write(b []byte) {
	r.run = b
	r.parser.Write(b)
	r.take(r.base + int64(len(b)))
	r.base += int64(len(b))
	r.run = nil
}

// expecting reports whether the client waits for 100 (Continue), and takes note that it was told.
func (r *requests) expecting() bool {
	q := r.cur
	if q == nil || q.sent || q.ex.Request.Head == nil || !strings.EqualFold(q.header("Expect"), "100-continue") {
		return false
	}
	q.sent = true
	return true
}

// take keeps the bytes before off.
func (r *requests) take(off int64) {
	if r.run != nil && off > r.seen && r.cur != nil {
		m := &r.cur.ex.Request
		part := r.run[max(0, r.seen-r.base) : off-r.base]
		if m.Wire.Len()+int64(len(part)) > maxRequest {
			r.cur.big = true
		} else {
			m.Wire.Append(part)
		}
	}
	r.seen = max(r.seen, off)
}

// Start implements http1.Handler.
func (r *requests) Start(off int64) {
	r.take(off)
	r.cur, r.origin = &request{}, off
}

// Head implements http1.Handler.
func (r *requests) Head(h *http1.Head, end int64) {
	r.take(end)
	if r.cur != nil {
		r.cur.ex.Request.Head, r.cur.ex.Request.HeadEnd = h, end-r.origin
	}
}

// Body implements http1.Handler.
func (r *requests) Body(start, end int64) {
	r.take(end)
	if r.cur == nil || r.cur.big {
		return
	}
	m := &r.cur.ex.Request
	start, end = start-r.origin, end-r.origin
	if n := len(m.Body); n > 0 && m.Body[n-1].End == start {
		m.Body[n-1].End = end
	} else {
		m.Body = append(m.Body, span{Start: start, End: end})
	}
}

// Lost implements http1.Handler. Nothing is lost on a live connection.
func (r *requests) Lost(int64, int64) {}

// End implements http1.Handler.
func (r *requests) End(off int64) {
	r.take(off)
	if q := r.cur; q != nil {
		m := &q.ex.Request
		m.Chunks = []capture.Chunk{{}}
		r.out = append(r.out, q)
	}
	r.cur = nil
}

// Broken implements http1.Handler.
func (r *requests) Broken(int64, string) { r.cur, r.bad = nil, true }
