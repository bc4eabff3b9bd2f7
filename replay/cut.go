package replay

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// How is the way in which a cut ends a response.
type How string

// The ways.
const (
	FIN   How = "fin"   // the server closes in order
	RST   How = "rst"   // the server resets the connection
	Stall How = "stall" // nothing more comes, and nothing ends
)

// ParseHow reads the name of a way; hold is another name for stall. The error names what there is.
func ParseHow(s string) (How, error) {
	switch h := How(strings.ToLower(s)); h {
	case FIN, RST, Stall:
		return h, nil
	case "hold":
		return Stall, nil
	}
	return "", fmt.Errorf("no ending %q: want fin, rst or stall", s)
}

// Cut returns ex as it would have been had its response broken behind body byte n, counted with transfer coding off and
// content coding on. The framing behind that byte, the line end of its transfer chunk included, has not arrived.
//
// The break comes at the moment at which the last byte before it was readable. A response that n completes by its
// Content-Length, or a FIN where the connection's end is the body's end, is a clean end.
//
// n beyond the body stands for all of it, and below 0 for none; without a response head there is nothing to cut, and ex
// itself is returned. The result shares the bytes with ex, which must not be released before it, and must not be released.
func Cut(ex *capture.Exchange, n int64, how How) *capture.Exchange {
	m := &ex.Response
	if m.Head == nil {
		return ex
	}
	out := *ex
	out.Response = cutMessage(m, n)
	end, complete := cutEnding(ex, out.Response.BodyLen(), how)
	out.Response.Complete = complete
	if c, ok := out.Response.LastChunk(); ok && end.Kind != capture.EndOpen {
		end.At, end.Packet = c.At, c.Packet
	}
	out.Ending, out.ClientReset = end, 0
	return &out
}

// cutEnding returns how a response that breaks behind n body bytes ends, without the time, and whether its framing is
// complete then.
func cutEnding(ex *capture.Exchange, n int64, how How) (e capture.Ending, complete bool) {
	http2, h := ex.Proto == "2", ex.Response.Head
	switch {
	case !http2 && (h.Framing == http1.None || h.Framing == http1.Length && n == h.Length):
		return capture.Ending{Kind: capture.EndClean}, true
	case how == Stall:
		return capture.Ending{Kind: capture.EndOpen, At: -1}, false
	case how == FIN:
		e = capture.Ending{Kind: capture.EndFIN, By: "server", How: capture.FIN}
	case http2:
		e = capture.Ending{Kind: capture.EndH2RST, By: "server", How: capture.RST}
	default:
		e = capture.Ending{Kind: capture.EndRST, By: "server", How: capture.RST}
	}
	if h.Framing == http1.Close && !http2 {
		e.Kind = capture.EndCloseDelimited
		return e, how == FIN
	}
	return e, false
}

// cutMessage returns m up to body byte n, sharing its bytes.
func cutMessage(m *capture.Message, n int64) capture.Message {
	out := *m
	end := wireEnd(m, n)
	out.Wire = m.Wire.Prefix(end)
	out.Complete, out.Cut = false, m.Cut && end == m.Wire.Len()
	out.Body = cutSpans(m.Body, end)
	out.Holes = cutSpans(m.Holes, end)
	out.Chunks = m.Chunks[:sort.Search(len(m.Chunks), func(i int) bool { return m.Chunks[i].Off >= end })]
	out.Acks = slices.Clone(m.Acks[:sort.Search(len(m.Acks), func(i int) bool { return m.Acks[i].Off >= end })])
	if k := len(out.Acks); k < len(m.Acks) {
		out.Acks = append(out.Acks, capture.Ack{Off: end, At: m.Acks[k].At})
	}
	return out
}

// wireEnd returns how much of Wire has arrived when body byte n, and nothing behind it, has.
func wireEnd(m *capture.Message, n int64) int64 {
	end := m.HeadEnd
	for _, s := range m.Body {
		if n <= 0 {
			break
		}
		end = s.Start + min(n, s.Len())
		n -= s.Len()
	}
	return min(end, m.Wire.Len())
}

func cutSpans(spans []capture.Span, end int64) []capture.Span {
	k := sort.Search(len(spans), func(i int) bool { return spans[i].Start >= end })
	out := slices.Clone(spans[:k])
	if k > 0 {
		out[k-1].End = min(out[k-1].End, end)
	}
	return out
}

// RunCut plays ex, broken behind body byte n, through p. It is Run on what Cut returns, but that a stall lasts for ever.
func RunCut(ex *capture.Exchange, n int64, how How, p Policy, o Options) Outcome {
	cut := Cut(ex, n, how)
	rd := capture.Read(cut)
	return p.play(cut, rd, cutView(cut, rd, how), o)
}

// cutView returns the view of a cut exchange.
func cutView(cut *capture.Exchange, rd *capture.Reading, how How) *View {
	v := NewView(cut, rd, lastByte(cut))
	v.End.Stall = how == Stall && v.End.Kind == capture.EndOpen
	return v
}

// lastByte returns when the last byte of the response was readable.
func lastByte(ex *capture.Exchange) time.Duration {
	if c, ok := ex.Response.LastChunk(); ok {
		return c.At
	}
	return ex.RequestEnd()
}
