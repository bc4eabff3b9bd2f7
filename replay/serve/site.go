package serve

import (
	"bytes"
	"encoding/json"
	"time"

	"mcptrace/capture"
)

// siteKind says what stands at a site.
type siteKind uint8

const (
	siteID       siteKind = iota // the id of a call
	siteToken                    // a progress token
	siteEndpoint                 // the URI of an endpoint event
)

// site is a place in a decoded body whose bytes belong to the recorded client or session.
type site struct {
	from, to int64
	kind     siteKind
	raw      string
}

// mark is one event of a recorded stream, or the whole of a JSON body.
type mark struct {
	start, end int64 // in the decoded body
	wireEnd    int64 // bytes of Wire needed for it
	id         string
}

// survey is what is found in a response body.
type survey struct {
	sites []site
	marks []mark
}

const subscriptionID = "io.modelcontextprotocol/subscriptionId"

// surveyOf walks the response body once.
func surveyOf(ex *capture.Exchange) survey {
	v := surveyor{m: &ex.Response}
	switch {
	case ex.Response.IsSSE():
		s := v.m.Blocks(&v)
		if s.Tail.HasData {
			v.data(s.Tail.Start, s.Tail.Start+s.Tail.Len, s.Tail.JSONOffset, s.Tail.Data)
		}
	case ex.Response.IsJSON():
		body := v.whole()
		v.jsonText(body, func(off int) int64 { return int64(off) })
		v.marks = append(v.marks, mark{end: int64(len(body)), wireEnd: v.m.Wire.Len()})
	}
	return v.survey
}

type surveyor struct {
	survey
	m    *capture.Message
	body []byte
}

// Block implements capture.BlockHandler.
func (v *surveyor) Block(b *capture.Block) {
	v.marks = append(v.marks, mark{start: b.Start, end: b.End, wireEnd: b.WireEnd, id: b.ID})
	if !b.HasData || len(b.Data) == 0 {
		return
	}
	if b.Type == "endpoint" {
		if b.DataLines == 1 {
			v.sites = append(v.sites, site{b.JSONOffset, b.JSONOffset + int64(len(b.Data)), siteEndpoint, string(b.Data)})
		}
		return
	}
	v.data(b.Start, b.End, b.JSONOffset, b.Data)
}

// Comment implements capture.BlockHandler.
func (v *surveyor) Comment(int64, int64, time.Duration) {}

// CRLF implements capture.BlockHandler.
func (v *surveyor) CRLF(int64) {}

// data looks for sites in the data of the block [start, end), whose first byte stands at off.
func (v *surveyor) data(start, end, off int64, data []byte) {
	if bytes.IndexByte(data, '\n') < 0 {
		v.jsonText(data, func(i int) int64 { return off + int64(i) })
		return
	}
	body := v.whole()
	lines := dataLines(body[start:min(end, int64(len(body)))])
	v.jsonText(data, func(i int) int64 {
		for _, l := range lines {
			if i <= l.n {
				return start + int64(l.off+i)
			}
			i -= l.n + 1
		}
		return -1
	})
}

// whole returns the decoded body.
func (v *surveyor) whole() []byte {
	if v.body == nil {
		v.m.Pieces(func(p *capture.Piece) bool {
			v.body = append(v.body, p.Data...)
			return true
		})
	}
	return v.body
}

// line is the value of a data field: where it stands in its block, and how long it is.
type line struct{ off, n int }

// dataLines finds the values of the data fields of a block.
func dataLines(block []byte) []line {
	var out []line
	for i := 0; i < len(block); {
		j := bytes.IndexAny(block[i:], "\r\n")
		if j < 0 {
			j = len(block) - i
		}
		if rest, ok := bytes.CutPrefix(block[i:i+j], []byte("data")); ok && (len(rest) == 0 || rest[0] == ':') {
			rest = bytes.TrimPrefix(rest, []byte(":"))
			rest = bytes.TrimPrefix(rest, []byte(" "))
			out = append(out, line{i + j - len(rest), len(rest)})
		}
		if i += j; i+1 < len(block) && block[i] == '\r' && block[i+1] == '\n' {
			i++
		}
		i++
	}
	return out
}

// jsonText looks for sites in a JSON-RPC message, or a batch of them, as far as it goes. at tells where a byte of text
// stands in the body.
func (v *surveyor) jsonText(text []byte, at func(int) int64) {
	t := bytes.TrimLeft(text, " \t\r\n")
	base := len(text) - len(t)
	if len(t) > 0 && t[0] == '[' {
		elements(t, func(_ string, off int, raw []byte) { v.message(raw, base+off, at) })
		return
	}
	v.message(t, base, at)
}

func (v *surveyor) message(text []byte, base int, at func(int) int64) {
	var id, params, result []byte
	var idAt, paramsAt, resultAt int
	method := ""
	elements(text, func(key string, off int, raw []byte) {
		switch key {
		case "id":
			id, idAt = raw, off
		case "method":
			json.Unmarshal(raw, &method)
		case "params":
			params, paramsAt = raw, off
		case "result":
			result, resultAt = raw, off
		}
	})
	add := func(kind siteKind, raw []byte, off int) {
		from, to := at(base+off), at(base+off+len(raw)-1)+1
		if len(raw) > 0 && from >= 0 && to-from == int64(len(raw)) {
			v.sites = append(v.sites, site{from, to, kind, string(raw)})
		}
	}
	if method == "" && id != nil && string(id) != "null" {
		add(siteID, id, idAt)
	}
	if method == "notifications/progress" {
		elements(params, func(key string, off int, raw []byte) {
			if key == "progressToken" {
				add(siteToken, raw, paramsAt+off)
			}
		})
	}
	for _, in := range []struct {
		raw []byte
		at  int
	}{{params, paramsAt}, {result, resultAt}} {
		elements(in.raw, func(key string, off int, meta []byte) {
			if key != "_meta" {
				return
			}
			elements(meta, func(key string, inner int, raw []byte) {
				if key == subscriptionID {
					add(siteID, raw, in.at+off+inner)
				}
			})
		})
	}
}

// elements calls f for each member of an object, or element of an array, that is there in full: its key, its raw value
// and where that begins in text.
func elements(text []byte, f func(key string, off int, raw []byte)) {
	d := json.NewDecoder(bytes.NewReader(text))
	t, err := d.Token()
	open, ok := t.(json.Delim)
	if err != nil || !ok || open != '{' && open != '[' {
		return
	}
	for d.More() {
		key := ""
		if open == '{' {
			t, err := d.Token()
			if key, ok = t.(string); err != nil || !ok {
				return
			}
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return
		}
		f(key, int(d.InputOffset())-len(raw), raw)
	}
}
