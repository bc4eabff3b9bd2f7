package export

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"mcptrace/analyze"
	"mcptrace/analyze/report"
	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// Archive is an HTTP archive under construction. The zero Archive is empty and ready to use.
//
// Source: HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/ . What that has no place for (when which event of a
// stream came, the answer, how the stream ended, what clients make of it) stands in fields that begin with _mcptrace, as
// the specification provides.
type Archive struct {
	Options Options
	Creator string // name and version of the program
	Version string
	entries map[entryKey]*harEntry
}

type entryKey struct {
	conn *capture.Conn
	seq  int64
}

// maxBody bounds the text of a body in an archive.
const maxBody = 1 << 20

// Add takes one exchange; its bytes are not kept. What is no HTTP is left out.
func (h *Archive) Add(ex *capture.Exchange) {
	if ex.Proto == "stdio" || ex.Request.Head == nil {
		return
	}
	if h.entries == nil {
		h.entries = map[entryKey]*harEntry{}
	}
	e := &harEntry{Started: ex.Start.Time().Format("2006-01-02T15:04:05.000000Z"), Request: h.request(ex), Response: h.response(ex), Cache: struct{}{}}
	if ex.Conn.Server.IsValid() {
		e.ServerIP = ex.Conn.Server.Addr().String()
	}
	e.Connection = fmt.Sprint(ex.Conn.ID)
	e.ResourceType = "fetch"
	t := report.NewTrack(ex, report.TrackOptions{})
	for _, c := range t.Chunks {
		e.chunks = append(e.chunks, harChunk{c.End, ms(c.At), c.Packet})
	}
	for _, v := range t.Events {
		e.events = append(e.events, harEvent{v.Kind, v.Type, v.Start, v.End, ms(v.At), v.Packet})
	}
	e.left = t.Left
	h.entries[entryKey{ex.Conn, ex.Seq}] = e
}

// Has reports whether the archive has an entry for c: an HTTP exchange whose request was seen.
func (h *Archive) Has(c *analyze.Case) bool { return h.entries[entryKey{c.Conn, c.Seq}] != nil }

// Write writes the archive: an entry for each exchange that a shows, in its order, or for the one with the number only.
// It returns the writer's error.
func (h *Archive) Write(w io.Writer, a *analyze.Analyzer, only int) error {
	creator, _ := json.Marshal(harCreator{h.Creator, h.Version, "Times are those of the capture. Fields that begin with _mcptrace: docs/output.md."})
	if _, err := fmt.Fprintf(w, "{\"log\": {\"version\": \"1.2\", \"creator\": %s, \"pages\": [], \"entries\": [", creator); err != nil {
		return err
	}
	sep := "\n"
	for c := range a.Each() {
		e := h.entries[entryKey{c.Conn, c.Seq}]
		if e == nil || only != 0 && c.ID != only {
			continue
		}
		e.judge(a, c)
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", sep, b); err != nil {
			return err
		}
		sep = ",\n"
	}
	_, err := io.WriteString(w, "\n]}}\n")
	return err
}

func (h *Archive) request(ex *capture.Exchange) harRequest {
	q := ex.Request.Head
	r := harRequest{Method: q.Method, URL: h.url(ex), Version: version(ex.Proto), Cookies: []any{}, Headers: h.headers(q.Fields), Query: h.query(q), HeadersSize: ex.Request.HeadEnd - ex.Request.HeadStart, BodySize: ex.Request.BodyLen()}
	if h.Options.Payload && r.BodySize > 0 {
		text, _, cut := bodyText(&ex.Request)
		r.Post = &harPost{MimeType: ex.Request.Media(), Params: []any{}, Text: strings.ToValidUTF8(text, "\uFFFD"), Comment: cut}
	}
	return r
}

func (h *Archive) url(ex *capture.Exchange) string {
	q := ex.Request.Head
	target := h.target(q)
	if u, err := url.Parse(target); err == nil && u.IsAbs() {
		return target
	}
	scheme, host := "http", q.Get("Host")
	if ex.Conn.TLS != nil {
		scheme = "https"
	}
	if host == "" || strings.ContainsAny(host, " /?#@") {
		host = address(ex.Conn.Server)
	}
	if host == "" {
		host = net.JoinHostPort("unknown", "0")
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return scheme + "://" + host + target
}

// target hides the values of all parameters, or with payload those that are secret.
func (h *Archive) target(q *http1.Head) string {
	t := h.Options.target(q.Method, q.Target)
	if !h.Options.Payload {
		t = analyze.MaskTarget(t)
	}
	return t
}

func (h *Archive) query(q *http1.Head) []harPair {
	out := []harPair{}
	_, query, _ := strings.Cut(h.target(q), "?")
	for _, p := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' }) {
		name, value, _ := strings.Cut(p, "=")
		out = append(out, harPair{name, value})
	}
	return out
}

func (h *Archive) headers(fields []http1.Field) []harPair {
	out := []harPair{}
	for _, f := range fields {
		out = append(out, harPair{f.Name, h.Options.value(f)})
	}
	return out
}

func (h *Archive) response(ex *capture.Exchange) harResponse {
	m := &ex.Response
	r := harResponse{Version: version(ex.Proto), Cookies: []any{}, Headers: []harPair{}, HeadersSize: -1, BodySize: m.BodyLen()}
	r.Content = harContent{Size: m.BodyLen(), MimeType: "x-unknown"}
	p := m.Head
	if p == nil {
		r.BodySize = -1
		return r
	}
	r.Status, r.StatusText, r.Headers, r.HeadersSize = p.Status, p.Reason, h.headers(p.Fields), m.HeadEnd-m.HeadStart
	if t := p.Get("Content-Type"); t != "" {
		r.Content.MimeType = t
	}
	text, size, cut := bodyText(m)
	r.Content.Size = size
	if !h.Options.Payload {
		r.Content.Comment = "left out"
		return r
	}
	r.Content.Text, r.Content.Comment = text, cut
	if !utf8.ValidString(text) {
		r.Content.Text, r.Content.Encoding = base64.StdEncoding.EncodeToString([]byte(text)), "base64"
	}
	return r
}

// bodyText returns the body with content coding undone, its length, and what to say where the text is cut.
func bodyText(m *capture.Message) (text string, size int64, cut string) {
	var b []byte
	m.Pieces(func(p *capture.Piece) bool {
		size = p.Start + int64(len(p.Data))
		b = append(b, p.Data[:min(len(p.Data), maxBody-len(b))]...)
		return true
	})
	if size > int64(len(b)) {
		cut = fmt.Sprintf("cut to %d of %d bytes", len(b), size)
	}
	return string(b), size, cut
}

func version(proto string) string {
	if proto == "2" {
		return "h2"
	}
	return "HTTP/" + proto
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
