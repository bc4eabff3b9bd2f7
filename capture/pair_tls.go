package capture

import (
	"sort"

	"mcptrace/capture/wire/tls"
)

// tlsPair takes TLS off a connection and hands the plaintext on with the same times: a plaintext byte is readable when
// the last byte of its record is, and acknowledged when the whole record is.
type tlsPair struct {
	c     *Conn
	conn  *tls.Conn
	inner *detector
	side  [2]tlsSide
	stamp Stamp
}

// tlsSide maps one direction's ciphertext to its plaintext.
type tlsSide struct {
	plain   int64    // plaintext bytes handed on
	records []record // not yet acknowledged, ascending
}

// record is where a record ends in both numberings.
type record struct{ cipher, plain int64 }

func newTLSPair(a *Assembly, c *Conn) *tlsPair {
	p := &tlsPair{c: c, inner: newDetector(a, c)}
	p.inner.inTLS = true
	p.conn = tls.New(a.keys(), (*tlsHandler)(p))
	c.TLS = &TLSInfo{Readable: true}
	return p
}

// Data implements Duplex.
func (p *tlsPair) Data(from Side, b []byte, s Stamp) {
	p.stamp = s
	p.c.TLS.Bytes[from] += int64(len(b))
	p.conn.Write(from == Client, b)
}

// Missing implements Duplex.
func (p *tlsPair) Missing(from Side, n int64, s Stamp) {
	p.stamp = s
	p.conn.Missing(from == Client, n)
}

// Ack implements Duplex.
func (p *tlsPair) Ack(of Side, off int64, gone bool, s Stamp) {
	d := &p.side[of]
	n := sort.Search(len(d.records), func(i int) bool { return d.records[i].cipher > off })
	if n == 0 {
		return
	}
	plain := d.records[n-1].plain
	d.records = append(d.records[:0], d.records[n:]...)
	p.inner.Ack(of, plain, gone, s)
}

// End implements Duplex.
func (p *tlsPair) End(by Side, how How, s Stamp) { p.inner.End(by, how, s) }

// Close implements Duplex.
func (p *tlsPair) Close(s Stamp) {
	p.stamp = s
	p.conn.Close() // tells what was still waited for
	p.inner.Close(s)
}

// tlsHandler is the side of tlsPair that the TLS reader sees.
type tlsHandler tlsPair

func sideOf(fromClient bool) Side {
	if fromClient {
		return Client
	}
	return Server
}

// Plain implements tls.Handler.
func (h *tlsHandler) Plain(fromClient bool, b []byte, start, end int64) {
	from := sideOf(fromClient)
	d := &h.side[from]
	d.plain += int64(len(b))
	d.records = append(d.records, record{end, d.plain})
	if len(b) > 0 {
		h.inner.Data(from, b, h.stamp)
	}
}

// Lost implements tls.Handler.
func (h *tlsHandler) Lost(fromClient bool, start, end, plainLen int64) {
	from := sideOf(fromClient)
	n := plainLen
	if n < 0 {
		n = max(1, end-start) // an estimate: what follows is found by looking for the next message
	}
	h.side[from].plain += n
	h.inner.Missing(from, n, h.stamp)
}

// Alert implements tls.Handler.
func (h *tlsHandler) Alert(fromClient, fatal bool, code uint8, end int64) {
	from, how := sideOf(fromClient), CloseNotify
	if fatal && code != 0 {
		how = FatalAlert
	} else if code != 0 {
		return // a warning ends nothing
	}
	h.c.Closings = append(h.c.Closings, Closing{By: from, How: how, At: h.stamp.Seen, Packet: h.stamp.Packet, Offset: end, Alert: code})
	h.inner.End(from, how, h.stamp)
}

// Hello implements tls.Handler.
func (h *tlsHandler) Hello(i tls.Info) {
	t := h.c.TLS
	t.SNI, t.ALPN, t.Version, t.Suite = i.SNI, i.ALPN, i.Version, i.Suite
}

// Opaque implements tls.Handler.
func (h *tlsHandler) Opaque(why string) {
	h.c.TLS.Readable, h.c.TLS.Why = false, why
}
