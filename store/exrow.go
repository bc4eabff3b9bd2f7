package store

import (
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"mcptrace/capture"
)

var exchangeColumns = []string{"seq", "connection", "stream", "proto", "start_at", "interim", "method", "target", "status", "content_type",
	"rpc_method", "rpc_id", "rpc_name", "session", "end_kind", "end_by", "end_how", "end_ns", "end_packet", "end_code", "unprocessed",
	"client_reset", "response_bytes", "row_crc"}

// exchangeRow returns the values of exchangeColumns.
func exchangeRow(ex *capture.Exchange, conn int64, h Hints, d *disguise) []any {
	var method, target, status, media any
	if q := ex.Request.Head; q != nil {
		method, target = q.Method, d.target(q)
	}
	if p := ex.Response.Head; p != nil {
		status, media = p.Status, nullIf(ex.Response.Media(), "")
	}
	size := ex.Response.BodyLen()
	own := exchangeValues(ex, conn, size)
	names := []any{method, target, status, media, nullIf(h.Method, ""), nullIf(d.text(h.ID), ""), nullIf(d.text(h.Name), ""), nullIf(h.Session, "")}
	return slices.Concat(own[:6], names, own[6:], []any{rowSum(own)})
}

// exchangeValues returns the values of the columns that are read: what the messages do not tell.
func exchangeValues(ex *capture.Exchange, conn, size int64) []any {
	e := &ex.Ending
	return []any{ex.Seq, conn, int64(ex.Stream), ex.Proto, moment(ex.Start), ex.Interim,
		string(e.Kind), nullIf(e.By, ""), nullIf(howName(e.How), ""), nanos(e.At), e.Packet, int64(e.Code), flag(e.Unprocessed),
		moment(ex.ClientReset), size}
}

// scanExchange undoes exchangeRow, as far as the messages do not tell.
func scanExchange(row scanner) (l listed, err error) {
	ex := new(capture.Exchange)
	l.ex = ex
	var kind string
	var by, how *string
	var start, at, reset, sum *int64
	e := &ex.Ending
	err = row.Scan(&ex.Seq, &l.conn, &ex.Stream, &ex.Proto, &start, &ex.Interim, &kind, &by, &how, &at, &e.Packet, &e.Code, &e.Unprocessed, &reset, &l.size, &sum)
	if err != nil {
		return l, err
	}
	ex.Start, ex.ClientReset = instant(start), instant(reset)
	e.Kind, e.At = capture.EndKind(kind), -1
	if at != nil {
		e.At = time.Duration(*at)
	}
	if by != nil {
		e.By = *by
	}
	if how != nil {
		if e.How, err = parseHow(*how); err != nil {
			l.damage = fmt.Errorf("%w: %w", ErrDamaged, err)
			return l, nil
		}
	}
	l.damage = checkSum(sum, exchangeValues(ex, l.conn, l.size))
	return l, nil
}

const exchangeRead = "seq, connection, stream, proto, start_at, interim, end_kind, end_by, end_how, end_ns, end_packet, end_code, unprocessed, client_reset, response_bytes, row_crc"

// messageID is the message's key: both messages of an exchange stand side by side.
func messageID(seq int64, from capture.Side) int64 { return 2*seq + int64(from) }

var messageColumns = []string{"id", "bytes", "head_start", "head_end", "body_bytes", "complete", "cut", "first_ns", "last_ns", "chunks",
	"has_head", "head", "body", "holes", "acks", "chunk_index", "crc", "row_crc"}

// messageRow returns the values of messageColumns. crc is that of the bytes as they are kept.
func messageRow(id int64, ex *capture.Exchange, m *capture.Message, from capture.Side, d *disguise, crc uint32) []any {
	var head []byte
	if m.Head != nil && !sameHead(m.Head, reparse(m, from, methodOf(ex))) {
		head = packHead(d.head(m.Head))
	}
	var first, last any
	if n := len(m.Chunks); n > 0 {
		first, last = int64(m.Chunks[0].At), int64(m.Chunks[n-1].At)
	}
	p := packed{head: head, body: packSpans(m.Body), holes: packSpans(m.Holes), acks: packAcks(m.Acks), chunks: packChunks(m.Chunks)}
	return []any{id, m.Wire.Len(), m.HeadStart, m.HeadEnd, m.BodyLen(), flag(m.Complete), flag(m.Cut), first, last, len(m.Chunks),
		flag(m.Head != nil), blob(p.head), blob(p.body), blob(p.holes), blob(p.acks), blob(p.chunks), int64(p.crc(crc)),
		rowSum(messageValues(id, m, m.Head != nil))}
}

// messageValues returns the values of the columns that crc does not cover, as far as they are read.
func messageValues(id int64, m *capture.Message, hasHead bool) []any {
	return []any{id, m.HeadStart, m.HeadEnd, flag(m.Complete), flag(m.Cut), flag(hasHead)}
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
