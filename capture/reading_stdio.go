package capture

import (
	"bytes"

	"mcptrace/capture/wire/jsonrpc"
)

// readLines reads what a server wrote in one exchange over stdio: each line is one JSON-RPC message, dispatched by its
// newline. Offsets are those of the bytes as they stood; there is no other body.
//
// Source: MCP specification, "Transports", section stdio.
func (r *Reading) readLines(m *Message) {
	l := lineWalker{r: r, m: m}
	var err error
	r.Wire, err = m.rawPieces(func(p *Piece) bool {
		l.piece(p)
		return true
	})
	r.Decoded = r.Wire
	r.stopped(err, r.Decoded)
	l.tail()
}

// lineWalker cuts a server's bytes into lines.
type lineWalker struct {
	r     *Reading
	m     *Message
	start int64  // offset of the line under way
	text  []byte // what came of it
	last  Piece
}

func (l *lineWalker) piece(p *Piece) {
	r := l.r
	if r.FirstBody < 0 {
		r.FirstBody = p.At
	}
	r.LastBody = p.At
	l.last = *p
	data := p.Data
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			l.text = append(l.text, data...)
			return
		}
		l.text = append(l.text, data[:i+1]...)
		data = data[i+1:]
		l.line()
	}
}

// line takes the messages of a line that is whole.
func (l *lineWalker) line() {
	start, end := l.start, l.start+int64(len(l.text))
	l.start = end
	ms, _, err := jsonrpc.Parse(l.text)
	if kept, limited := readable(l.text, err); limited {
		l.r.cutOff()
		l.begun(kept, start, end)
	} else if err != nil && len(bytes.TrimSpace(l.text)) > 0 {
		l.r.odd(OddNotJSON, start, err.Error())
	}
	for _, m := range ms {
		if m.Kind == jsonrpc.Invalid {
			l.r.odd(OddNotJSON, start, "not a JSON-RPC message")
			continue
		}
		l.keep(inbound(m), start, end, LevelDispatched)
	}
	l.text = l.text[:0]
}

// begun keeps what can be read of an answer that a limit cut off.
func (l *lineWalker) begun(text []byte, start, end int64) {
	if m, _, ok := jsonrpc.Prefix(text); ok && m.IsResponse() {
		l.keep(Inbound{Kind: m.Kind, ID: m.ID, Holed: true}, start, end, LevelPartial)
	}
}

// tail looks for an answer in what no newline had ended.
func (l *lineWalker) tail() {
	l.r.Tail = int64(len(l.text))
	m, whole, ok := jsonrpc.Prefix(l.text)
	if !ok || !m.IsResponse() {
		return
	}
	level, end := LevelPartial, l.start+int64(len(l.text))
	in := Inbound{Kind: m.Kind, ID: m.ID}
	if whole {
		level, in = LevelUnframed, inbound(m)
		end = l.start + int64(len(bytes.TrimRight(l.text, " \t\r")))
	}
	l.keep(in, l.start, end, level)
}

// keep adds a message that stands at [start, end).
func (l *lineWalker) keep(in Inbound, start, end int64, level Level) {
	in.Start, in.End, in.WireEnd, in.Level = start, end, end, level
	in.JSONStart, in.JSONEnd = start, end
	in.At, in.Packet = l.last.At, l.last.Packet
	in.Holed = in.Holed || l.m.holed(start, end)
	l.r.keep(in)
}
