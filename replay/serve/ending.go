package serve

import (
	"bytes"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// ending is how a response ends.
type ending struct {
	kind  endKind
	at    time.Duration // since the request's end
	hold  time.Duration // endHold: close after this long, whatever the speed; 0: never
	code  uint32        // HTTP/2 error code
	close bool          // endClean: the server closes the connection, or the client must
}

type endKind uint8

const (
	endClean  endKind = iota // the framing is complete
	endFIN                   // close the connection in order
	endRST                   // reset it
	endHold                  // nothing more comes
	endStream                // HTTP/2: reset the stream
	endGoAway                // HTTP/2: the stream was not worked on
)

// String returns the word for it that --end takes.
func (k endKind) String() string {
	return [...]string{"clean", "fin", "rst", "hold", "h2-rst", "goaway"}[k]
}

// endingOf returns how the recorded response ended. What the client ended, or the capture, stays open.
func endingOf(ex *capture.Exchange, base time.Duration) ending {
	n := &ex.Ending
	e := ending{at: max(0, n.At-base), code: n.Code}
	switch {
	case n.Kind == capture.EndClean:
		e.close = ex.Response.Head != nil && mustClose(ex.Response.Head)
	case n.By != "server":
		e.kind = endHold
	case n.Kind == capture.EndH2RST, n.Kind == capture.EndNone && ex.Proto == "2" && ex.Conn.FirstClosing(capture.Server) == nil:
		e.kind = endStream
	case n.Kind == capture.EndGoAway:
		e.kind = endGoAway
	case n.How == capture.RST:
		e.kind = endRST
	case n.Kind == capture.EndRST:
		e.kind = endRST
	default:
		e.kind = endFIN
	}
	return e
}

// mustClose reports whether a connection ends with the response.
func mustClose(h *http1.Head) bool {
	c := bytes.ToLower([]byte(h.Get("Connection")))
	if h.Proto == "HTTP/1.0" {
		return !bytes.Contains(c, []byte("keep-alive"))
	}
	return bytes.Contains(c, []byte("close"))
}
