package http1

// Spans frames the message stored in wire, a request or the response to a request with that method:
// its head, the offset just past the head, and the spans of its body with transfer coding taken off,
// ascending and merged where they touch. 1xx responses in front are passed over.
//
// Complete says whether the framing came to its end; a body framed by Close never does, as what ends
// it is not among the bytes. Without a whole head, head is nil and headEnd 0.
func Spans(wire []byte, isRequest bool, method string) (head *Head, headEnd int64, spans [][2]int64, complete bool) {
	var c collector
	p := NewRequestParser(&c)
	if !isRequest {
		p = NewResponseParser(&c, func() string { return method })
	}
	p.Write(wire)
	return c.head, c.headEnd, c.spans, c.done
}

// collector keeps the first final message.
type collector struct {
	head    *Head
	headEnd int64
	spans   [][2]int64
	done    bool
}

func (c *collector) Start(int64)          {}
func (c *collector) Lost(int64, int64)    {}
func (c *collector) Broken(int64, string) {}

func (c *collector) Head(h *Head, end int64) {
	if c.head == nil && !interim(h) {
		c.head, c.headEnd = h, end
	}
}

func (c *collector) Body(start, end int64) {
	switch last := len(c.spans) - 1; {
	case c.done:
	case last >= 0 && c.spans[last][1] == start:
		c.spans[last][1] = end
	default:
		c.spans = append(c.spans, [2]int64{start, end})
	}
}

func (c *collector) End(int64) { c.done = c.head != nil }

// interim reports whether another response follows h for the same request.
func interim(h *Head) bool {
	return 100 <= h.Status && h.Status < 200 && h.Status != 101
}
