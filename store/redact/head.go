package redact

import (
	"bytes"
	"strings"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
	"mcptrace/store/secret"
)

// lines replaces values in text that holds heads, whole or in part.
func (r *Redactor) lines(text []byte) {
	name := ""
	for _, line := range splitLines(text) {
		switch colon := bytes.IndexByte(line, ':'); {
		case len(line) > 0 && (line[0] == ' ' || line[0] == '\t'):
			r.field(name, bytes.TrimSpace(line)) // a folded line goes on with the field before
		case colon <= 0 || bytes.IndexByte(line[:colon], ' ') >= 0:
			r.startLine(line)
		default:
			name = string(bytes.TrimRight(line[:colon], " \t"))
			r.line(line)
		}
	}
}

// line replaces the value of a field line.
func (r *Redactor) line(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	r.field(string(bytes.TrimRight(name, " \t")), bytes.TrimSpace(value))
}

// startLine replaces what the target of a request line tells, and the reason of a status line.
func (r *Redactor) startLine(line []byte) {
	words := bytes.SplitN(line, []byte(" "), 3)
	switch {
	case bytes.HasPrefix(line, []byte("HTTP/")) && len(words) == 3:
		if status := string(words[1]); http1Reason[string(words[2])] == "" && status != "" {
			r.text(words[2])
		}
	case len(words) >= 2:
		r.target(words[1])
	}
}

// http1Reason are the reasons that tell nothing.
var http1Reason = map[string]string{"OK": "200", "Accepted": "202", "No Content": "204", "Bad Request": "400", "Unauthorized": "401", "Forbidden": "403", "Not Found": "404",
	"Method Not Allowed": "405", "Conflict": "409", "Internal Server Error": "500", "Bad Gateway": "502", "Service Unavailable": "503", "Gateway Timeout": "504", "Continue": "100"}

// field replaces the value of a field unless it is harmless.
func (r *Redactor) field(name string, value []byte) {
	switch name = strings.ToLower(name); {
	case name == "mcp-name" && !bytes.Contains(value, []byte(":")):
		// the name of a tool or prompt; a resource's address has a colon
	case name == "mcp-name":
		r.text(value)
	case name == "location" || name == "referer" || name == "content-location":
		r.target(value)
	case name == "host":
		// who the server is, as its address
	case !secret.Harmless(name):
		r.text(value)
	}
}

// target replaces in an address what may identify: query values and fragments, and path segments that look random.
func (r *Redactor) target(t []byte) {
	if i := bytes.Index(t, []byte("://")); i >= 0 {
		t = t[i+3:]
		if at := bytes.IndexByte(t, '@'); at >= 0 && bytes.IndexByte(t[:at], '/') < 0 {
			r.text(t[:at])
			t = t[at+1:]
		}
		slash := bytes.IndexAny(t, "/?#")
		if slash < 0 {
			return
		}
		t = t[slash:]
	}
	path, query := t, []byte(nil)
	if i := bytes.IndexAny(t, "?#"); i >= 0 {
		path, query = t[:i], t[i+1:]
	}
	for _, s := range bytes.Split(path, []byte("/")) {
		if random(s) {
			r.text(s)
		}
	}
	for _, p := range bytes.FieldsFunc(query, func(c rune) bool { return c == '&' || c == ';' || c == '#' || c == '?' }) {
		if i := bytes.IndexByte(p, '='); i >= 0 {
			p = p[i+1:]
		}
		r.text(p)
	}
}

// random reports whether a path segment looks like an id or a token rather than a word.
func random(s []byte) bool {
	digits := 0
	for _, c := range s {
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	return len(s) >= 12 && digits >= 2 || len(s) >= 32
}

// head returns the head as it reads now.
func (r *Redactor) head(m *capture.Message, wire []byte, from capture.Side, method string) *http1.Head {
	if m.HeadStart >= 0 && m.HeadStart < m.HeadEnd && m.HeadEnd <= int64(len(wire)) {
		if h := capture.ParseHead(wire[m.HeadStart:m.HeadEnd], from, method); h != nil && h.Framing == m.Head.Framing && len(m.Head.Trailers) == 0 {
			return h
		}
	}
	h := *m.Head
	t := []byte(h.Target)
	r.target(t)
	h.Target = string(t)
	h.Fields, h.Trailers = r.fields(h.Fields), r.fields(h.Trailers)
	return &h
}

func (r *Redactor) fields(fs []http1.Field) []http1.Field {
	out := make([]http1.Field, 0, len(fs))
	for _, f := range fs {
		v := []byte(f.Value)
		r.field(f.Name, v)
		out = append(out, http1.Field{Name: f.Name, Value: string(v)})
	}
	return out
}

// splitLines returns the lines of b without their ends, pieces of b.
func splitLines(b []byte) [][]byte {
	var out [][]byte
	for len(b) > 0 {
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			return append(out, b)
		}
		out = append(out, b[:i])
		if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
			i++
		}
		b = b[i+1:]
	}
	return out
}
