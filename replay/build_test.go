package replay_test

import (
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

const ms = time.Millisecond

// piece is bytes that pass together.
type part struct {
	at   time.Duration
	wire string
}

// made returns an exchange: a call with this id, answered by the parts, which break off or end as how says.
func made(id string, how capture.How, parts ...part) exchange {
	var last time.Duration
	if len(parts) > 0 {
		last = parts[len(parts)-1].at
	}
	return madeCall("tools/call", id, false, how, last, parts...)
}

// madeCall is made for any method, in either era, with the end at its own time.
func madeCall(method, id string, modern bool, how capture.How, end time.Duration, parts ...part) exchange {
	params, head := `{"name":"t","arguments":{}}`, ""
	if modern {
		params = `{"name":"t","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
		head = "MCP-Protocol-Version: 2026-07-28\r\n"
	}
	req := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
	ex := &capture.Exchange{Proto: "1.1", Conn: &capture.Conn{}, Start: 1}
	request := []byte("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n" + head + "Content-Length: " + itoa(len(req)) + "\r\n\r\n" + req)
	ex.Request = message(request, true, []capture.Chunk{{}})
	var wire []byte
	var chunks []capture.Chunk
	for _, p := range parts {
		chunks = append(chunks, capture.Chunk{Off: int64(len(wire)), At: p.at, Seen: p.at})
		wire = append(wire, p.wire...)
	}
	ex.Response = message(wire, false, chunks)
	ex.Ending = ending(&ex.Response, how, end)
	return exchange{"made", ex, capture.Read(ex), end}
}

func field(name, value string) http1.Field { return http1.Field{Name: name, Value: value} }

func message(wire []byte, request bool, chunks []capture.Chunk) capture.Message {
	m := capture.Message{Wire: capture.BlobOf(wire), Chunks: chunks}
	head, end, spans, complete := http1.Spans(wire, request, "POST")
	m.Head, m.HeadEnd, m.Complete = head, end, complete
	for _, s := range spans {
		m.Body = append(m.Body, capture.Span{Start: s[0], End: s[1]})
	}
	return m
}

func ending(m *capture.Message, how capture.How, at time.Duration) capture.Ending {
	e := capture.Ending{Kind: capture.EndClean, At: at}
	switch {
	case m.Head == nil && m.Wire.Len() == 0:
		e = capture.Ending{Kind: capture.EndNone, By: "server", How: how, At: at}
	case m.Head != nil && m.Head.Framing == http1.Close && how != capture.NoEnd:
		m.Complete = how == capture.FIN
		e = capture.Ending{Kind: capture.EndCloseDelimited, By: "server", How: how, At: at}
	case m.Complete && m.Head.Framing != http1.Close:
	case how == capture.FIN:
		e = capture.Ending{Kind: capture.EndFIN, By: "server", How: how, At: at}
	case how == capture.RST:
		e = capture.Ending{Kind: capture.EndRST, By: "server", How: how, At: at}
	default:
		e = capture.Ending{Kind: capture.EndOpen, At: -1}
	}
	return e
}

func itoa(n int) string {
	s := ""
	for ; n > 0; n /= 10 {
		s = string(rune('0'+n%10)) + s
	}
	return s
}

// chunked puts body into transfer chunks of at most size bytes each.
func chunked(body string, size int) string {
	const hex = "0123456789abcdef"
	out := ""
	for len(body) > 0 {
		n := min(size, len(body))
		digits := ""
		for k := n; k > 0; k /= 16 {
			digits = string(hex[k%16]) + digits
		}
		out += digits + "\r\n" + body[:n] + "\r\n"
		body = body[n:]
	}
	return out + "0\r\n\r\n"
}
