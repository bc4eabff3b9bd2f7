package store

import (
	"hash/crc32"
	"time"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// exchangeColumns begin with those that are read. The others repeat what stands in the messages, for those who ask with SQL.
var exchangeColumns = []string{"seq", "connection", "stream", "proto", "start_at", "interim", "end_kind", "end_by", "end_how", "end_ns",
	"end_packet", "end_code", "unprocessed", "client_reset", "response_bytes", "row_crc",
	"method", "target", "status", "content_type", "rpc_method", "rpc_id", "rpc_name", "session"}

var exchangeRead = exchangeColumns[:16]

// exchangeRow appends the values of exchangeColumns to row.
func exchangeRow(row []lite.Value, s *summer, ex *capture.Exchange, conn int64, h Hints, d *disguise) []lite.Value {
	e := &ex.Ending
	row = s.add(append(row, lite.Int(ex.Seq), lite.Int(conn), intOf(ex.Stream), lite.Text(ex.Proto), moment(ex.Start), intOf(ex.Interim),
		lite.Text(string(e.Kind)), textOr(e.By), textOr(howName(e.How)), nanos(e.At), lite.Int(e.Packet), intOf(e.Code), flagOf(e.Unprocessed),
		moment(ex.ClientReset), lite.Int(ex.Response.BodyLen())))
	var method, target, status, media lite.Value
	if q := ex.Request.Head; q != nil {
		method, target = lite.Text(q.Method), lite.Text(d.target(q))
	}
	if p := ex.Response.Head; p != nil {
		status, media = intOf(p.Status), textOr(ex.Response.Media())
	}
	return append(row, method, target, status, media, textOr(h.Method), textOr(d.text(h.ID)), textOr(d.text(h.Name)), textOr(h.Session))
}

// exchangeOf undoes exchangeRow, as far as the messages do not tell.
func exchangeOf(v *values) listed {
	ex := &capture.Exchange{Seq: number[int64](v)}
	l := listed{ex: ex, conn: number[int64](v)}
	ex.Stream, ex.Proto, ex.Start, ex.Interim = number[uint32](v), v.text(), v.moment(), number[int](v)
	e := &ex.Ending
	e.Kind, e.At = capture.EndKind(v.text()), -1
	if !v.null() {
		e.By = v.text()
	}
	if !v.null() {
		e.How = parsed(v, parseHow)
	}
	if !v.null() {
		e.At = number[time.Duration](v)
	}
	e.Packet, e.Code, e.Unprocessed = number[int64](v), number[uint32](v), v.flag()
	ex.ClientReset, l.size = v.moment(), number[int64](v)
	l.damage = damaged(v.err)
	return l
}

// messageID is the message's key: both messages of an exchange stand side by side.
func messageID(seq int64, from capture.Side) int64 { return 2*seq + int64(from) }

// messageColumns begin with those that are read.
var messageColumns = []string{"id", "head_start", "head_end", "complete", "cut", "has_head", "row_crc",
	"bytes", "head", "body", "holes", "acks", "chunk_index", "crc",
	"body_bytes", "first_ns", "last_ns", "chunks"}

var messageRead = messageColumns[:14]

// messageRow appends the values of messageColumns to row. crc is that of the bytes as they are kept.
func messageRow(row []lite.Value, s *summer, id int64, m *capture.Message, p *packed, crc uint32) []lite.Value {
	var first, last lite.Value
	if n := len(m.Chunks); n > 0 {
		first, last = intOf(m.Chunks[0].At), intOf(m.Chunks[n-1].At)
	}
	row = s.add(append(row, lite.Int(id), lite.Int(m.HeadStart), lite.Int(m.HeadEnd), flagOf(m.Complete), flagOf(m.Cut), flagOf(m.Head != nil)))
	return append(row, lite.Int(m.Wire.Len()), blob(p.head), blob(p.body), blob(p.holes), blob(p.acks), blob(p.chunks), intOf(p.crc(crc)),
		lite.Int(m.BodyLen()), first, last, intOf(len(m.Chunks)))
}

// methodOf returns the method on which the framing of the response depends.
func methodOf(ex *capture.Exchange) string {
	if ex.Request.Head == nil {
		return ""
	}
	return ex.Request.Head.Method
}

// packed are the packed columns of a message.
type packed struct{ head, body, holes, acks, chunks []byte }

// crc goes on with the checksum of the message's bytes.
func (p *packed) crc(c uint32) uint32 {
	for _, b := range [][]byte{p.head, p.body, p.holes, p.acks, p.chunks} {
		c = crc32.Update(c, castagnoli, b)
	}
	return c
}
