package capture

import (
	"bytes"

	"mcptrace/capture/wire/http2"
	"mcptrace/capture/wire/tls"
)

// detector looks at the first bytes of a connection and then hands everything on to the reader of that protocol.
// It also serves the plaintext of a TLS connection, which may carry either HTTP version.
type detector struct {
	a       *Assembly
	c       *Conn
	inner   Duplex
	inTLS   bool
	first   [2][]byte // the first bytes of each side
	backlog []queued
	size    int
}

// queued is one call of Duplex, kept until the protocol is known.
type queued struct {
	call func(Duplex)
}

const (
	detectLimit  = 64 << 10 // what is kept while the protocol is not known
	detectPrefix = 4 << 10  // what of each side is looked at
)

func newDetector(a *Assembly, c *Conn) *detector { return &detector{a: a, c: c} }

// Data implements Duplex.
func (d *detector) Data(from Side, p []byte, s Stamp) {
	if d.inner == nil {
		if room := detectPrefix - len(d.first[from]); room > 0 {
			d.first[from] = append(d.first[from], p[:min(room, len(p))]...)
		}
		if d.inner = d.detect(from, d.first[from]); d.inner == nil {
			kept := bytes.Clone(p)
			d.keep(len(p), func(in Duplex) { in.Data(from, kept, s) })
			return
		}
		d.release()
	}
	d.inner.Data(from, p, s)
}

// Missing implements Duplex.
func (d *detector) Missing(from Side, n int64, s Stamp) {
	d.pass(func(in Duplex) { in.Missing(from, n, s) })
}

// Ack implements Duplex.
func (d *detector) Ack(of Side, off int64, gone bool, s Stamp) {
	if d.inner != nil {
		d.inner.Ack(of, off, gone, s)
		d.letGo()
		return
	}
	d.pass(func(in Duplex) { in.Ack(of, off, gone, s) })
}

// End implements Duplex.
func (d *detector) End(by Side, how How, s Stamp) {
	d.pass(func(in Duplex) { in.End(by, how, s) })
	d.letGo()
}

// letGo drops the reader once nothing more can come of it: sources remember connections for a while after their end, and
// there may be thousands.
func (d *detector) letGo() {
	if p, ok := d.inner.(*h1Pair); ok && p.spent() {
		p.letGo()
		d.inner = ignore{}
	}
}

// Close implements Duplex.
func (d *detector) Close(s Stamp) {
	if d.inner != nil {
		d.inner.Close(s)
	}
	d.backlog = nil
}

func (d *detector) pass(call func(Duplex)) {
	if d.inner != nil {
		call(d.inner)
		return
	}
	d.keep(64, call)
}

func (d *detector) keep(size int, call func(Duplex)) {
	d.backlog = append(d.backlog, queued{call})
	if d.size += size; d.size > detectLimit {
		d.inner = ignore{}
		d.backlog = nil
	}
}

func (d *detector) release() {
	for _, q := range d.backlog {
		q.call(d.inner)
	}
	d.backlog, d.first = nil, [2][]byte{}
}

// detect returns the reader that fits the first bytes of a side, ignore where none can, nil while too few are known.
func (d *detector) detect(from Side, p []byte) Duplex {
	switch {
	case !d.inTLS && tls.Sniff(p):
		return newTLSPair(d.a, d.c)
	case from == Client && bytes.HasPrefix(p, []byte(http2.Preface[:5])): // no HTTP/1 method is "PRI " with this target
		return newH2Pair(d.a, d.c, false)
	case from == Client && looksLikeRequest(p), from == Server && looksLikeResponse(p):
		return newH1Pair(d.a, d.c, d.c.MidStart)
	case d.c.MidStart && looksLikeFrames(p):
		return newH2Pair(d.a, d.c, true)
	case !d.inTLS && looksLikeTLSRecord(p):
		return newTLSPair(d.a, d.c)
	case d.c.MidStart:
		return newH1Pair(d.a, d.c, true)
	case from == Client && len(p) < 33 && isToken(p), from == Server && len(p) < 7 && bytes.HasPrefix([]byte("HTTP/1."), p), len(p) < 5 && p[0] == 22:
		return nil // a start line cut into small segments
	}
	if from == Server && d.size == 0 {
		return nil // a banner, or a server push before the client spoke: wait for the client
	}
	return ignore{}
}

// looksLikeRequest reports whether p begins like an HTTP/1 request: a token of capital letters and a blank.
func looksLikeRequest(p []byte) bool {
	i := bytes.IndexByte(p, ' ')
	if i < 3 || i > 32 {
		return false
	}
	for _, c := range p[:i] {
		if (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return i+1 < len(p) && p[i+1] > ' ' && p[i+1] < 0x7f
}

func looksLikeResponse(p []byte) bool { return bytes.HasPrefix(p, []byte("HTTP/1.")) }

// looksLikeTLSRecord reports whether p begins like a TLS record of any kind: the middle of a TLS connection.
func looksLikeTLSRecord(p []byte) bool {
	return len(p) >= 5 && p[0] >= 20 && p[0] <= 24 && p[1] == 3 && p[2] <= 4
}

// looksLikeFrames reports whether p begins with a plausible HTTP/2 frame that ends with it or is followed by another.
func looksLikeFrames(p []byte) bool {
	for n := 0; len(p) >= 9; n++ {
		length := int(p[0])<<16 | int(p[1])<<8 | int(p[2])
		if p[3] > 9 || p[5]&0x80 != 0 || length > 1<<14 || length+9 > len(p) {
			return n > 0
		}
		if p = p[9+length:]; len(p) == 0 {
			return true
		}
	}
	return false
}

// isToken reports whether p may be the beginning of a request line, cut before its target.
func isToken(p []byte) bool {
	for i, c := range p {
		if (c < 'A' || c > 'Z') && c != '-' && c != '_' && !(c == ' ' && i >= 3 && i == len(p)-1) {
			return false
		}
	}
	return len(p) > 0
}

// ignore is the reader of traffic that is not HTTP.
type ignore struct{}

func (ignore) Data(Side, []byte, Stamp)     {}
func (ignore) Missing(Side, int64, Stamp)   {}
func (ignore) Ack(Side, int64, bool, Stamp) {}
func (ignore) End(Side, How, Stamp)         {}
func (ignore) Close(Stamp)                  {}
