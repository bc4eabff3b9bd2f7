package serve

import (
	"strconv"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

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
