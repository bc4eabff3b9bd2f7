package replay

import (
	"strings"
	"time"
)

// rubyMCP is ruby-mcp-client's Streamable HTTP transport, 2.1 or 3.0. Neither returns before the response has ended.
type rubyMCP struct {
	v3 bool
	asked
	http   netHTTP
	sse    bool // by the Content-Type
	gzip   bool // by the Content-Encoding
	got    int64
	first  []byte // the first two bytes, which tell gzip
	z      *inflater
	stream rubyStream
	text   []byte // the body after inflation, as long as it may be read as JSON
	size   int64  // of the body after inflation
	large  bool   // a limit of ours, not of the product, was passed
}

func newRubyMCP(a asked, v3 bool) client {
	c := &rubyMCP{v3: v3, asked: a, stream: rubyStream{v3: v3, want: a.id}}
	c.modern = v3 && a.modern
	c.session = a.session && !c.modern // a modern request of this client names none
	c.http.to = c
	return c
}

func (c *rubyMCP) read(p []byte, at time.Duration) { c.http.read(p, at) }

func (c *rubyMCP) pause() { c.http.pause() }

func (c *rubyMCP) close() {
	if c.z != nil {
		c.z.close()
	}
}

// head implements netHTTPBody.
func (c *rubyMCP) head(h *netHTTP) { c.typeOf(h) }

func (c *rubyMCP) typeOf(h *netHTTP) {
	c.sse, c.gzip = hasType(h, "text/event-stream"), strings.Contains(h.get("Content-Encoding"), "gzip")
}

// piece implements netHTTPBody.
func (c *rubyMCP) piece() bool { return false }

// body implements netHTTPBody. The first two bytes tell whether it is compressed; salvage goes by them alone.
func (c *rubyMCP) body(p []byte) {
	c.got += int64(len(p))
	if len(c.first) < 2 {
		n := min(2-len(c.first), len(p))
		c.first, p = append(c.first, p[:n]...), p[n:]
		if len(c.first) < 2 {
			return
		}
		if (c.v3 || c.gzip) && string(c.first) == gzipMagic {
			c.z = &inflater{}
		}
		c.decode(c.first)
	}
	c.decode(p)
}

const (
	gzipMagic = "\x1f\x8b"
	gzipHead  = 10 // bytes of the shortest gzip header
)

func (c *rubyMCP) decode(p []byte) {
	if c.z == nil {
		c.expanded(p)
		return
	}
	c.z.write(p, c.expanded)
}

func (c *rubyMCP) expanded(p []byte) {
	c.size += int64(len(p))
	if !c.sse || c.v3 && !c.stream.framed {
		if len(c.text)+len(p) > maxEvent {
			c.large = true
		} else {
			c.text = append(c.text, p...)
		}
	}
	c.stream.write(p)
	c.large = c.large || c.stream.tooLarge
}

func (c *rubyMCP) done() (move, bool) {
	switch c.http.state {
	case complete:
		return c.settle(&c.http, c.http.now), true
	case broken:
		return c.lost(c.http.now, "The response is malformed: "+c.http.why+"."), true
	}
	return move{}, false
}

func (c *rubyMCP) end(how ending, at time.Duration) move {
	switch how {
	case timedOut:
		return c.timeout(at)
	case finished:
		if h, ok := c.http.atFIN(); ok {
			return c.settle(h, at)
		}
	}
	return c.lost(at, "The connection broke before the response was complete.")
}

// timeout is what becomes of the call when the client's deadline passes.
func (c *rubyMCP) timeout(at time.Duration) move {
	if mv, ok := c.salvaged(at, "Its timeout passed while the stream was open"); ok {
		return mv
	}
	mv := move{kind: gives, at: at, late: true, next: NextCancel, why: "Its timeout passed before the response had ended, and it reports that, whatever has arrived."}
	if c.modern || c.method == "initialize" {
		mv.next = NextError
	}
	if c.modern {
		mv.why = "Its timeout passed without an answer, and a timeout is never followed by a re-issue."
	}
	return mv
}

// lost is what becomes of the call when its exchange was interrupted.
func (c *rubyMCP) lost(at time.Duration, how string) move {
	if mv, ok := c.salvaged(at, "The stream broke"); ok {
		return mv
	}
	if c.modern {
		return move{kind: reissues, at: at, why: how + " No answer can be salvaged, so the call is issued again with a new id."}
	}
	where := " That is an error, even where the answer had arrived."
	if c.v3 {
		where = " In the legacy era that is an error, even where the answer had arrived."
	}
	return move{kind: fails, at: at, why: how + where}
}

func tooLargeToPlay(at time.Duration) move {
	return move{kind: unclear, at: at, why: "The body is larger than what is kept to play it (64 MiB)."}
}
