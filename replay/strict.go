package replay

import (
	"time"

	"mcptrace/capture/wire/http1"
)

// strictHTTP reads a response as the HTTP libraries of Go and Node do: by RFC 9112, an end before the framing says so being
// an error.
type strictHTTP struct {
	to     strictBody
	parser *http1.Parser
	base   int64 // of the bytes being parsed
	piece  []byte
	now    time.Duration
	head   *http1.Head
	state  strictState
}

type strictState uint8

const (
	strictOpen strictState = iota
	strictDone
	strictBroken
)

// strictBody is who reads the body.
type strictBody interface {
	strictHead(h *http1.Head)
	strictBytes(p []byte)
}

func newStrictHTTP(to strictBody, method string) *strictHTTP {
	h := &strictHTTP{to: to}
	h.parser = http1.NewResponseParser(h, func() string { return method })
	return h
}

func (h *strictHTTP) read(p []byte, at time.Duration) {
	if h.state != strictOpen {
		return
	}
	h.now, h.piece, h.base = at, p, h.parser.Offset()
	h.parser.Write(p)
	h.piece = nil
}

// Start implements http1.Handler.
func (h *strictHTTP) Start(int64) {}

// Head implements http1.Handler.
func (h *strictHTTP) Head(head *http1.Head, _ int64) {
	if h.state == strictOpen && h.head == nil && head.Status/100 != 1 {
		h.head = head
		h.to.strictHead(head)
	}
}

// Body implements http1.Handler.
func (h *strictHTTP) Body(start, end int64) {
	if h.state == strictOpen {
		h.to.strictBytes(h.piece[start-h.base : end-h.base])
	}
}

// Lost implements http1.Handler.
func (h *strictHTTP) Lost(int64, int64) {}

// End implements http1.Handler.
func (h *strictHTTP) End(int64) {
	if h.state == strictOpen && h.head != nil {
		h.state = strictDone
	}
}

// Broken implements http1.Handler.
func (h *strictHTTP) Broken(int64, string) {
	if h.state == strictOpen {
		h.state = strictBroken
	}
}

// endsAt reports whether a connection that is closed in order here ends the response as it should.
func (h *strictHTTP) endsAt() bool {
	return h.state == strictDone || h.state == strictOpen && h.head != nil && h.head.Framing == http1.Close && h.parser.InBody()
}
