package redact

import (
	"errors"
	"fmt"
	"strings"

	"mcptrace/capture"
)

// What Exchange returns, wrapped, where a body cannot be redacted. The exchange must not be shown then.
var (
	ErrCoded    = errors.New("the body is compressed and cannot be read")
	ErrTooLarge = errors.New("the body is too large to be redacted")
)

// maxMessage bounds the bytes of one message that are held in memory.
const maxMessage = 512 << 20

// Exchange replaces the values in both messages of ex, in place. A body with a content coding, in which nothing can be
// replaced in place, is decoded for it and coded anew.
func (r *Redactor) Exchange(ex *capture.Exchange) error {
	method := ""
	if ex.Request.Head != nil {
		method = ex.Request.Head.Method
	}
	if err := r.message(ex, &ex.Request, capture.Client, ""); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if err := r.message(ex, &ex.Response, capture.Server, method); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	return nil
}

// Conn replaces what the handshake of a connection told.
func (r *Redactor) Conn(c *capture.Conn) {
	if c.TLS == nil || c.TLS.SNI == "" {
		return
	}
	info, name := *c.TLS, []byte(c.TLS.SNI)
	r.text(name)
	info.SNI = string(name)
	c.TLS = &info
}

func (r *Redactor) message(ex *capture.Exchange, m *capture.Message, from capture.Side, method string) error {
	n := m.Wire.Len()
	switch {
	case n == 0:
		return nil
	case n > maxMessage:
		return ErrTooLarge
	}
	if !coded(m) || m.BodyLen() == 0 {
		return r.plain(ex, m, from, method)
	}
	encoding, first := m.Head.Get("Content-Encoding"), m.Wire.At(m.Body[0].Start)
	plain, whole, err := uncoded(m, from, method)
	if err != nil {
		return err
	}
	if err := r.plain(ex, plain, from, method); err != nil {
		return err
	}
	packed, err := recoded(plain, encoding, first, whole, from, method)
	if err != nil {
		return err
	}
	m.Wire.Release()
	*m = *packed
	r.Recoded++
	return nil
}

// plain replaces the values in a message whose body has no content coding, in place.
func (r *Redactor) plain(ex *capture.Exchange, m *capture.Message, from capture.Side, method string) error {
	n := m.Wire.Len()
	wire := m.Wire.Bytes(0, n)
	if wire == nil {
		return errors.New("its bytes cannot be read")
	}
	if ex.Proto != "stdio" {
		r.around(m, wire)
	}
	r.body(m, wire)
	for _, h := range m.Holes {
		clear(wire[min(h.Start, n):min(h.End, n)])
	}
	m.Wire.Release()
	m.Wire = capture.BlobOf(wire)
	if m.Head != nil {
		m.Head = r.head(m, wire, from, method)
	}
	return nil
}

// around replaces what stands before the body, between its pieces and behind it: heads, trailers, chunk extensions.
func (r *Redactor) around(m *capture.Message, wire []byte) {
	at := int64(0)
	if m.Head != nil {
		at = min(m.HeadEnd, int64(len(wire)))
		r.lines(wire[:at])
	}
	for _, s := range m.Body {
		if s.Start > at {
			r.framing(wire[at:s.Start])
		}
		at = max(at, s.End)
	}
	if at < int64(len(wire)) {
		if m.Head == nil {
			r.lines(wire[at:])
		} else {
			r.framing(wire[at:])
		}
	}
}

// framing replaces chunk extensions and trailer values.
func (r *Redactor) framing(b []byte) {
	for _, line := range splitLines(b) {
		if colon := strings.IndexByte(string(line), ':'); colon > 0 {
			r.line(line)
		} else if semicolon := strings.IndexByte(string(line), ';'); semicolon >= 0 {
			r.text(line[semicolon:])
		}
	}
}

// body replaces values in the body.
func (r *Redactor) body(m *capture.Message, wire []byte) {
	spans := m.Body
	if m.Head == nil && len(spans) == 0 {
		return
	}
	var text []byte
	for _, s := range spans {
		text = append(text, wire[min(s.Start, int64(len(wire))):min(s.End, int64(len(wire)))]...)
	}
	switch {
	case m.IsSSE():
		r.events(text)
	case looksLikeJSON(text):
		r.json(text)
	default:
		r.text(text)
	}
	for _, s := range spans {
		if s.Start < int64(len(wire)) {
			text = text[copy(wire[s.Start:min(s.End, int64(len(wire)))], text):]
		}
	}
}

func coded(m *capture.Message) bool {
	if m.Head == nil {
		return false
	}
	c := strings.TrimSpace(m.Head.Get("Content-Encoding"))
	return c != "" && !strings.EqualFold(c, "identity")
}

func looksLikeJSON(b []byte) bool {
	t := strings.TrimLeft(string(b[:min(len(b), 64)]), " \t\r\n\ufeff")
	return t != "" && (t[0] == '{' || t[0] == '[')
}
