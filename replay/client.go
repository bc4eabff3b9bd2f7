package replay

import (
	"bytes"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// client is one product reading the response to one call. It is fed the bytes of the wire in order, and asked what it
// would make of an end; asking changes nothing, so that one pass over the bytes answers for an end behind any of them.
type client interface {
	// read takes bytes that became readable at one moment, or the beginning of them.
	read(p []byte, at time.Duration)
	// pause tells that all that was readable has been read: the client waits for more.
	pause()
	// done returns what the client did, once it no longer reads.
	done() (move, bool)
	// end returns what the client does if the stream ends like this, at that time.
	end(how ending, at time.Duration) move
	// close frees what the client holds.
	close()
}

// ending is what a client's HTTP library is told of the end of a stream.
type ending uint8

const (
	finished ending = iota // the other side closed in order
	reset                  // the connection was reset
	timedOut               // the client's own timeout passed
)

// move is what a client does in the end.
type move struct {
	kind act
	at   time.Duration
	late bool   // it met the end of the stream, or its own timeout, before it knew
	next Next   // where it is not what follows from kind
	why  string // one sentence
}

// act is the kind of a move.
type act uint8

const (
	returns  act = iota // hands the answer, or its error, to the caller
	fails               // reports an error that is not the answer's
	gives               // up: its timeout passed
	reissues            // issues the call again
	resumes             // asks for the rest with Last-Event-ID
	waitsOn             // has not noticed, and waits for its timeout
	unclear             // cannot be told
)

// asked is the call that a client waits for.
type asked struct {
	method  string
	id      jsonrpc.ID
	modern  bool
	session bool   // the request named a session
	verb    string // the request's HTTP method
}

func askedOf(ex *capture.Exchange, rd *capture.Reading) asked {
	a := asked{modern: capture.Modern(ex, rd), verb: "POST"}
	for i := range rd.Calls {
		if c := &rd.Calls[i]; c.IsCall() {
			a.method, a.id = c.Method, c.ID
			break
		}
	}
	if h := ex.Request.Head; h != nil {
		a.session, a.verb = h.Get("Mcp-Session-Id") != "", h.Method
	}
	return a
}

// patience is how long a product waits.
type patience struct {
	whole time.Duration // from the request to the answer; 0: for ever
	gap   time.Duration // for the next byte; 0: for ever
}

// at returns when patience ends for a client that has last read a byte at that time; -1: never.
func (p patience) at(last time.Duration) time.Duration {
	end := time.Duration(-1)
	if p.gap > 0 {
		end = last + p.gap
	}
	if p.whole > 0 && (end < 0 || p.whole < end) {
		end = p.whole
	}
	return end
}

// readSize is the most that the HTTP libraries modelled here take from a socket at once.
const readSize = 16 << 10

// player feeds the response of an exchange to a client.
type player struct {
	c     client
	m     *capture.Message
	p     patience
	off   int64 // of the next byte of Wire
	chunk int
	last  time.Duration // when the last byte was read, or the request had been sent
	holed bool          // the next byte was not captured
	over  bool          // the client's patience ended before the next byte
	http2 bool
}

func newPlayer(ex *capture.Exchange, c client, p patience) *player {
	return &player{c: c, m: &ex.Response, p: p, last: ex.RequestEnd(), http2: ex.Proto == "2"}
}

// feed gives the client the bytes of Wire before to. It stops early where the client is done, at a hole, and where the
// client's patience had ended before the next byte came.
func (y *player) feed(to int64) {
	for y.off < to && !y.over && !y.holed && len(y.m.Chunks) > 0 {
		if _, ok := y.c.done(); ok {
			return
		}
		for y.chunk+1 < len(y.m.Chunks) && y.m.Chunks[y.chunk+1].Off <= y.off {
			y.chunk++
		}
		c := &y.m.Chunks[y.chunk]
		end := y.m.Wire.Len()
		if y.chunk+1 < len(y.m.Chunks) {
			end = y.m.Chunks[y.chunk+1].Off
		}
		if t := y.p.at(y.last); t >= 0 && c.At > t {
			y.over = true
			return
		}
		if y.http2 && y.off < y.m.HeadEnd {
			if to < y.m.HeadEnd {
				return
			}
			y.headOfHTTP2(c.At)
			continue
		}
		end = min(end, c.Off+(y.off-c.Off)/readSize*readSize+readSize)
		stop := min(end, to, y.hole(end))
		if stop == y.off {
			y.holed = true
			return
		}
		y.m.Wire.Range(y.off, stop, func(p []byte) error {
			y.c.read(p, c.At)
			return nil
		})
		y.off, y.last = stop, c.At
		if stop == end {
			y.c.pause()
		}
	}
}

// headOfHTTP2 feeds the head of an HTTP/2 response as one of HTTP/1 whose body ends with the connection: that is all the
// framing that the DATA payloads have left.
func (y *player) headOfHTTP2(at time.Duration) {
	head := y.m.Wire.Bytes(0, y.m.HeadEnd)
	y.c.read(bytes.ReplaceAll(head, []byte("HTTP/2 "), []byte("HTTP/1.1 ")), at)
	y.off, y.last = y.m.HeadEnd, at
}

// hole returns where the first hole at or behind the next byte starts; end where there is none before it.
func (y *player) hole(end int64) int64 {
	for _, h := range y.m.Holes {
		if h.Start < end && (h.End > y.off || h.Len() == 0 && h.Start == y.off) {
			return max(h.Start, y.off)
		}
	}
	return end
}

// play returns what the client makes of the response as far as it was fed, and of its end.
func (y *player) play(e End) move {
	mv, ok := y.c.done()
	if !ok {
		mv = y.meet(e)
	}
	if mv.kind == waitsOn {
		mv.kind, mv.late, mv.at = gives, true, max(mv.at, y.limit())
	}
	return mv
}

// limit returns when the client's patience ends; one that waits for ever is given up by its caller after DefaultTimeout.
func (y *player) limit() time.Duration {
	if t := y.p.at(y.last); t >= 0 {
		return t
	}
	return DefaultTimeout
}

// meet returns what the client makes of the end.
func (y *player) meet(e End) move {
	limit := y.p.at(y.last)
	switch {
	case y.holed:
		return move{kind: unclear, at: -1, why: "Bytes of the response are missing from the capture before this client is done."}
	case y.over:
		return y.c.end(timedOut, limit)
	case y.m.Cut:
		return move{kind: unclear, at: -1, why: "A limit cut bytes off the response before this client is done."}
	case e.Stall:
		return y.c.end(timedOut, max(y.limit(), y.last))
	case e.By == "client" && !e.Clean:
		if limit >= 0 && e.At >= limit-limit/20 {
			return y.c.end(timedOut, min(limit, e.At))
		}
		return move{kind: unclear, at: e.At, why: "The recorded client closed first; what would have come after that is not known."}
	case limit >= 0 && e.At > limit:
		return y.c.end(timedOut, limit)
	case e.Kind == capture.EndOpen:
		return move{kind: unclear, at: e.At, why: "The capture ended while this client would still have been reading."}
	case e.reset():
		return y.c.end(reset, e.At)
	}
	return y.c.end(finished, e.At)
}
