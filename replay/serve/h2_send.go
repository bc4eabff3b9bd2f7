package serve

import (
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"mcptrace/capture/wire/http1"
)

// connectionFields belong to a connection of HTTP/1. Source: RFC 9113 section 8.2.2.
var connectionFields = map[string]bool{"connection": true, "keep-alive": true, "proxy-connection": true, "transfer-encoding": true, "upgrade": true}

// fieldsOf makes the header list of a head's text.
func fieldsOf(head []byte, status int) []hpack.HeaderField {
	out := []hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(status)}}
	_, rest, _ := strings.Cut(string(head), "\n")
	for line := range strings.Lines(rest) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		name = strings.ToLower(strings.TrimSpace(name))
		if ok && name != "" && !connectionFields[name] {
			out = append(out, hpack.HeaderField{Name: name, Value: strings.TrimSpace(value)})
		}
	}
	return out
}

func lower(fs []http1.Field) []hpack.HeaderField {
	var out []hpack.HeaderField
	for _, f := range fs {
		out = append(out, hpack.HeaderField{Name: strings.ToLower(f.Name), Value: f.Value})
	}
	return out
}

// headers sends a header list.
func (st *h2stream) headers(fields []hpack.HeaderField, end bool) error {
	h := st.h
	return h.locked(func() error {
		if st.away || st.ended {
			return io.ErrClosedPipe
		}
		st.ended = end
		h.block.Reset()
		for _, f := range fields {
			h.enc.WriteField(f)
		}
		b := h.block.Bytes()
		first := true
		for first || len(b) > 0 {
			n := min(int64(len(b)), h.frame)
			part := b[:n]
			b = b[n:]
			var err error
			if first {
				err = h.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: st.id, BlockFragment: part, EndStream: end, EndHeaders: len(b) == 0})
			} else {
				err = h.fr.WriteContinuation(st.id, len(b) == 0, part)
			}
			if err != nil {
				return err
			}
			first = false
		}
		return nil
	})
}

// data sends body bytes as the windows of the client let it.
func (st *h2stream) data(p []byte, end bool) error {
	h := st.h
	return h.locked(func() error {
		for {
			for len(p) > 0 && !st.away && !h.over && (h.window <= 0 || st.window <= 0) {
				h.room.Wait()
			}
			if st.away || h.over {
				return io.ErrClosedPipe
			}
			if st.ended {
				return nil
			}
			n := int64(len(p))
			if n > 0 {
				n = min(n, h.window, st.window, h.frame)
			} else if !end {
				return nil
			}
			st.ended = end && n == int64(len(p))
			if err := h.fr.WriteData(st.id, st.ended, p[:n]); err != nil {
				return err
			}
			h.window -= n
			st.window -= n
			if p = p[n:]; len(p) == 0 {
				return nil
			}
		}
	})
}
