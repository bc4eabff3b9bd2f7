package http1

import (
	"errors"
	"strings"
)

// ErrIncomplete says that a head is cut off before its empty line.
var ErrIncomplete = errors.New("http1: incomplete head")

var (
	errStartLine  = errors.New("http1: not an HTTP/1 start line")
	errHeadLimit  = errors.New("http1: head longer than 256 KiB")
	errFieldLimit = errors.New("http1: more than 2000 field lines")
)

// ParseHead parses the head at the beginning of b, a request's or a response's, and returns it with
// the number of its bytes. Framing is left out, as it depends on the request for a response.
//
// The error is ErrIncomplete if b ends before the head does; any other means that there is no head.
func ParseHead(b []byte, request bool) (*Head, int, error) {
	skip := 0
	for skip < len(b) && (b[skip] == '\r' || b[skip] == '\n') {
		skip++
	}
	end := headEnd(b[skip:min(len(b), skip+MaxHead)])
	switch {
	case end < 0 && len(b)-skip >= MaxHead:
		return nil, 0, errHeadLimit
	case end < 0:
		return nil, 0, ErrIncomplete
	}
	h, err := parseHead(string(b[skip:skip+end]), request)
	if err != nil {
		return nil, 0, err
	}
	return h, skip + end, nil
}

// headEnd returns the offset just past the empty line that ends the head b begins with, or -1.
func headEnd(b []byte) int {
	start := 0
	for i, c := range b {
		if c != '\n' {
			continue
		}
		if isBlank(b[start : i+1]) {
			return i + 1
		}
		start = i + 1
	}
	return -1
}

// isBlank reports whether line, line end included, is empty.
func isBlank(line []byte) bool {
	return len(line) == 1 || len(line) == 2 && line[0] == '\r'
}

// parseHead parses a head from its start line through its empty line. The fields share text's memory.
func parseHead(text string, request bool) (*Head, error) {
	line, rest := cutLine(text)
	h := new(Head)
	if request {
		m, t, v, ok := requestLine(line)
		if !ok {
			return nil, errStartLine
		}
		h.Method, h.Target, h.Proto = m, t, v
	} else {
		v, status, reason, ok := statusLine(line)
		if !ok {
			return nil, errStartLine
		}
		h.Proto, h.Status, h.Reason = v, status, reason
	}
	var err error
	h.Fields, h.Dropped, err = parseFields(rest)
	return h, err
}

// parseFields parses field lines up to an empty line or the end of text.
func parseFields(text string) (fields []Field, dropped int, err error) {
	if n := strings.Count(text, "\n") - 1; n > 0 {
		fields = make([]Field, 0, min(n, MaxFields))
	}
	foldable := false // whether a folded line has a field to belong to
	for text != "" {
		var line string
		line, text = cutLine(text)
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if !foldable {
				dropped++
				continue
			}
			// One copy per folded line would be quadratic; folds are joined all at once.
			last := &fields[len(fields)-1]
			last.Value, text = unfold(last.Value, line, text)
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimRight(name, " \t")
		if foldable = ok && name != ""; !foldable {
			dropped++
			continue
		}
		if len(fields) == MaxFields {
			return fields, dropped, errFieldLimit
		}
		fields = append(fields, Field{name, strings.Trim(value, " \t")})
	}
	return fields, dropped, nil
}

// unfold joins value, the folded line after it and all folded lines that text begins with.
func unfold(value, line, text string) (joined, rest string) {
	parts := []string{value, strings.Trim(line, " \t")}
	for text != "" && (text[0] == ' ' || text[0] == '\t') {
		line, text = cutLine(text)
		parts = append(parts, strings.Trim(line, " \t"))
	}
	return strings.TrimSpace(strings.Join(parts, " ")), text
}

// cutLine cuts text after its first line end and strips the line end, CR LF or LF.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}
