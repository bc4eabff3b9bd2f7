package sse

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// record is what a Scanner reports, in a form that compares.
type record struct {
	what       string // "event", "comment", "crlf"
	start, end int64
	ev         Event
	data       string
}

// recorder collects records.
type recorder struct{ got []record }

func (r *recorder) Event(e *Event) {
	ev := *e
	ev.Data = nil
	r.got = append(r.got, record{"event", e.Start, e.End, ev, string(e.Data)})
}
func (r *recorder) Comment(start, end int64) {
	r.got = append(r.got, record{what: "comment", start: start, end: end})
}
func (r *recorder) CRLF(end int64) { r.got = append(r.got, record{what: "crlf", end: end}) }

// refLine is a line of the whole stream.
type refLine struct {
	start   int
	content []byte
	eol     string // "" where the stream ends first
}

// refLines splits b by the standard: CR LF, LF or CR end a line.
func refLines(b []byte, start int) (lines []refLine) {
	for start < len(b) {
		n := bytes.IndexAny(b[start:], "\r\n")
		if n < 0 {
			return append(lines, refLine{start, b[start:], ""})
		}
		eol := string(b[start+n])
		if strings.HasPrefix(string(b[start+n:]), "\r\n") {
			eol = "\r\n"
		}
		lines = append(lines, refLine{start, b[start : start+n], eol})
		start += n + len(eol)
	}
	return lines
}

// reference interprets a whole stream by the text of the standard, without regard to speed.
func reference(b []byte) (got []record, tail Tail) {
	start := 0
	if bytes.HasPrefix(b, []byte("\xEF\xBB\xBF")) {
		start = 3
	}
	block := []refLine{}
	for _, l := range refLines(b, start) {
		// The scanner acts at the first byte of a line end.
		end := int64(l.start + len(l.content) + 1)
		switch {
		case l.eol == "":
			block = append(block, l)
		case len(l.content) == 0:
			if e, ok := refEvent(block, l); ok {
				got = append(got, e)
				if l.eol == "\r\n" {
					got = append(got, record{what: "crlf", end: end})
				}
			}
			block = nil
			start = l.start + len(l.eol)
		default:
			if l.content[0] == ':' {
				got = append(got, record{what: "comment", start: int64(l.start), end: end})
			}
			block = append(block, l)
		}
	}
	return got, refTail(b, block, start)
}

// refEvent interprets a block that the line blank ends.
func refEvent(block []refLine, blank refLine) (record, bool) {
	e := Event{JSONOffset: -1, DataEnd: -1, Retry: -1, EndedByCR: blank.eol[0] == '\r'}
	e.End = int64(blank.start + 1)
	var values []string
	eols := map[string]bool{}
	fields := 0
	for _, l := range block {
		eols[l.eol] = true
		if l.content[0] == ':' {
			continue
		}
		fields++
		values = refField(&e, l, values)
	}
	if fields == 0 {
		return record{}, false
	}
	e.Start = int64(block[0].start)
	e.BareCR = eols["\r"]
	if e.EndedByCR {
		e.MixedEOL = eols["\n"] || eols["\r"] && eols["\r\n"]
	} else {
		e.MixedEOL = eols["\r"] || eols["\r\n"]
	}
	return record{"event", e.Start, e.End, e, strings.Join(values, "\n")}, true
}

func refField(e *Event, l refLine, values []string) []string {
	name, value, colon := strings.Cut(string(l.content), ":")
	at := l.start + len(name) + 1
	if strings.HasPrefix(value, " ") {
		value = value[1:]
		at++
	}
	e.NoColon = e.NoColon || !colon
	e.BadUTF8 = e.BadUTF8 || !utf8.ValidString(string(l.content))
	switch name {
	case "event":
		e.Type = value
	case "data":
		e.HasData = true
		e.DataLines++
		values = append(values, value)
		if value != "" {
			e.DataEnd = int64(at + len(value))
			if e.JSONOffset < 0 {
				e.JSONOffset = int64(at)
			}
		}
	case "id":
		if strings.Contains(value, "\x00") {
			e.NulID = true
		} else {
			e.ID, e.HasID = value, true
		}
	case "retry":
		if strings.Trim(value, "0123456789") == "" && value != "" {
			e.Retry, _ = strconv.ParseInt(value, 10, 64) // capped where out of range
		}
	}
	return values
}

// refTail interprets what no blank line ended.
func refTail(b []byte, block []refLine, start int) Tail {
	t := Tail{Start: int64(start), Len: int64(len(b) - start), JSONOffset: -1, DataEnd: -1, CommentOnly: len(block) > 0}
	if start == 0 && len(b) < 3 && bytes.HasPrefix([]byte("\xEF\xBB\xBF"), b) {
		t.CommentOnly = false // it may become a byte order mark
		return t
	}
	var e Event
	e.JSONOffset, e.DataEnd = -1, -1
	var values []string
	for _, l := range block {
		if l.content[0] == ':' {
			continue
		}
		t.CommentOnly = false
		if l.eol != "" {
			values = refField(&e, l, values)
		} else if value, ok := bytes.CutPrefix(l.content, []byte("data:")); ok {
			e.HasData = true
			if len(value) > 0 {
				values = refField(&e, l, values)
			}
		}
	}
	t.Data = []byte(strings.Join(values, "\n"))
	t.HasData, t.JSONOffset, t.DataEnd, t.ID, t.HasID = e.HasData, e.JSONOffset, e.DataEnd, e.ID, e.HasID
	return t
}
