package capture

import (
	"bytes"

	"mcptrace/capture/wire/jsonrpc"
)

// readWhole reads a body that is one JSON text (or no MCP at all).
func (r *Reading) readWhole(ex *Exchange) {
	m := &ex.Response
	last := Piece{At: -1}
	limit := maxJSONBody
	switch {
	case m.clearlyNoJSON():
		limit = 0 // it may be a download of any size
	case m.coding() == "" && m.BodyLen() > maxJSONBody:
		limit = prefixOfLarge // it cannot be parsed whole; how it begins tells whose answer it is
	}
	body, n, err := m.body(limit, func(p *Piece) {
		if r.FirstBody < 0 {
			r.FirstBody = p.At
		}
		r.LastBody = p.At
		r.Decoded = p.Start + int64(len(p.Data))
		last = *p
	})
	r.Wire, r.DecodeErr = n, err
	r.stopped(err, r.Decoded)
	if len(body) == 0 || !looksLikeJSON(body) {
		return
	}
	level, at, packet := LevelUnframed, r.LastBody, last.Packet
	switch {
	case m.Complete && ex.Ending.Kind == EndCloseDelimited && ex.Ending.How == RST:
	case m.Complete:
		level = LevelDispatched
		if c, ok := m.LastChunk(); ok {
			at, packet = c.At, c.Packet
		}
		if ex.Ending.Kind == EndCloseDelimited {
			at, packet = ex.Ending.At, ex.Ending.Packet
		}
	}
	ms, _, err := jsonrpc.Parse(body)
	if err != nil {
		kept, limited := readable(body, err)
		if limited || r.Decoded > int64(len(body)) {
			r.cutOff()
		}
		if msg, _, ok := jsonrpc.Prefix(kept); ok && msg.IsResponse() && (!m.Complete || r.Cut) {
			r.push(Inbound{Start: 0, End: r.Decoded, WireEnd: m.Wire.Len(), At: r.LastBody, Packet: last.Packet,
				Kind: msg.Kind, ID: msg.ID, Level: LevelPartial, Holed: r.Holed})
		}
		return
	}
	for _, msg := range ms {
		if msg.Kind == jsonrpc.Invalid {
			continue
		}
		in := inbound(msg)
		in.Start, in.End, in.WireEnd, in.At, in.Packet, in.Level, in.Holed = 0, r.Decoded, m.Wire.Len(), at, packet, level, r.Holed
		r.keep(in)
	}
}

// clearlyNoJSON reports whether the first bytes of a body without content coding cannot begin a JSON-RPC message.
func (m *Message) clearlyNoJSON() bool {
	if len(m.Body) == 0 || m.coding() != "" {
		return false
	}
	first := m.Wire.Bytes(m.Body[0].Start, min(m.Body[0].Start+64, m.Body[0].End, m.Wire.Len()))
	return len(bytes.Trim(first, " \t\r\n\xEF\xBB\xBF")) > 0 && !looksLikeJSON(first)
}

func looksLikeJSON(b []byte) bool {
	for _, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
			continue
		}
		return c == '{' || c == '['
	}
	return false
}
