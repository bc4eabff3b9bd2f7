package capture

import (
	"bytes"
	"strconv"
	"strings"

	"mcptrace/capture/wire/http1"
)

// ParseHead parses the head that text holds from its first byte to past its empty line, in either of the forms in which
// Message.Wire keeps one: as HTTP/1 sent it, or as made of an HTTP/2 header list. It is nil where text is no such head.
//
// from is who sent it; method is that of the request a response answers, "" if not known: the framing depends on it.
// Trailers are not part of it.
func ParseHead(text []byte, from Side, method string) *http1.Head {
	line, fields, _ := bytes.Cut(text, []byte("\r\n"))
	if isHTTP2Line(line, from) {
		return parseHTTP2Head(string(line), string(fields), from)
	}
	h, end, _, _ := http1.Spans(text, from == Client, method)
	if end != int64(len(text)) {
		return nil
	}
	return h
}

func isHTTP2Line(line []byte, from Side) bool {
	if from == Client {
		return bytes.HasSuffix(line, []byte(" HTTP/2"))
	}
	return bytes.HasPrefix(line, []byte("HTTP/2 "))
}

// parseHTTP2Head undoes headOf.
func parseHTTP2Head(line, fields string, from Side) *http1.Head {
	h := &http1.Head{Proto: "HTTP/2"}
	if from == Client {
		line = strings.TrimSuffix(line, " HTTP/2")
		method, target, ok := strings.Cut(line, " ")
		if !ok {
			return nil
		}
		h.Method, h.Target = known(method), known(target)
	} else {
		status, err := strconv.Atoi(strings.TrimPrefix(line, "HTTP/2 "))
		if err != nil {
			return nil
		}
		h.Status = status
	}
	for fields != "\r\n" {
		line, rest, ok := strings.Cut(fields, "\r\n")
		name, value, colon := strings.Cut(line, ": ")
		if !ok || !colon {
			return nil
		}
		h.Fields = append(h.Fields, http1.Field{Name: name, Value: value})
		fields = rest
	}
	return h
}

// known undoes orUnknown.
func known(s string) string {
	if s == "?" {
		return ""
	}
	return s
}
