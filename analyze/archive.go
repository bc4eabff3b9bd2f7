package analyze

import (
	"encoding/binary"
	"math"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// archive writes values to a record, or reads them from one: the same list of fields serves both ways.
type archive struct {
	*codec
	writing bool
	b       []byte // what is written, or what is left to read
	text    string // all of a record that is read
	bad     bool   // it ended early
}

// namesLimit bounds the names that are kept once for all records.
const namesLimit = 1 << 14

func (x *archive) detail(d *detail) {
	ints(x, &d.last)
	ints(x, &d.noColon)
	x.bytes(d.identical[:])
	names(x, &d.version)
	x.reading(d.reading)
	listOf(x, &d.answers, func(an *Answer) { x.answer(an, d.reading) })
}

// reading leaves out DecodeErr, which no conclusion asks for.
func (x *archive) reading(r *capture.Reading) {
	str(x, &r.Kind)
	x.flags(&r.RequestWhole, &r.RequestBad, &r.SSE, &r.JSON, &r.Holed, &r.Cut)
	listOf(x, &r.Calls, x.call)
	listOf(x, &r.Messages, x.message)
	listOf(x, &r.Marks, x.mark)
	ints(x, &r.Wire, &r.Decoded, &r.Tail, &r.Retry)
	ints(x, &r.Events, &r.Comments, &r.Limited)
	ints(x, &r.FirstBody, &r.LastBody, &r.FirstEvent, &r.LastEvent, &r.FirstComment, &r.MaxGap, &r.EndpointAt)
	str(x, &r.Endpoint)
	x.oddities(r)
}

// oddities are few, and most streams have none.
func (x *archive) oddities(r *capture.Reading) {
	odd := int64(r.Odd)
	ints(x, &odd)
	r.Odd = capture.Oddity(odd)
	if odd == 0 {
		return
	}
	if !x.writing {
		r.OddAt, r.OddNote = map[capture.Oddity]int64{}, map[capture.Oddity]string{}
	}
	for o := capture.Oddity(1); o != 0 && o <= r.Odd; o <<= 1 {
		if r.Odd&o != 0 {
			at, note := r.OddAt[o], r.OddNote[o]
			ints(x, &at)
			str(x, &note)
			if !x.writing {
				r.OddAt[o], r.OddNote[o] = at, note
			}
		}
	}
}

func (x *archive) call(c *capture.Call) {
	names(x, &c.Kind)
	names(x, &c.Method, &c.MetaVersion, &c.AskedVersion, &c.ClientName, &c.ClientVer)
	str(x, &c.ID, &c.CancelID)
	str(x, &c.Name, &c.ProgressToken, &c.TaskID, &c.Idempotency, &c.Traceparent)
	x.bytes(c.Fingerprint[:])
	x.bytes(c.ArgsHash[:])
	x.bytes(c.StateHash[:])
	x.flags(&c.RequestState, &c.Cursor, &c.Meta, &c.ClientCaps, &c.Capabilities, &c.LogLevel)
	ints(x, &c.Size)
}

func (x *archive) message(m *capture.Inbound) {
	ints(x, &m.Start, &m.End, &m.JSONStart, &m.JSONEnd, &m.WireEnd, &m.Packet)
	ints(x, &m.At, &m.AckedAt)
	kind := int64(m.Kind)
	ints(x, &kind)
	m.Kind = jsonrpc.Kind(kind)
	names(x, &m.Level)
	names(x, &m.Method, &m.EventType)
	str(x, &m.ID)
	str(x, &m.EventID, &m.Subscribed)
	x.flags(&m.Holed, &m.CROnly)
	x.result(&m.Result)
	x.word(&m.Sum.Raw)
	x.word(&m.Sum.Digest)
}

func (x *archive) mark(m *capture.EventMark) {
	str(x, &m.ID)
	ints(x, &m.End)
	ints(x, &m.At)
	x.flags(&m.Data)
}

// result is shared by many messages: what is packed is its number, or 0 and then all of it.
func (x *archive) result(r **capture.ResultFacts) {
	n := 0
	if x.writing {
		n = x.factsNumber(*r)
	}
	ints(x, &n)
	switch {
	case n == 0:
		if !x.writing {
			*r = new(capture.ResultFacts)
		}
		x.resultFacts(*r)
	case x.writing:
	case n < 0 || n > len(x.facts.values):
		x.bad = true
	default:
		*r = x.facts.values[n-1]
	}
}

// factsLimit bounds the facts that are kept once for all records; lists of tools are always.
const factsLimit = 1 << 12

func (x *archive) factsNumber(r *capture.ResultFacts) int {
	if n := x.facts.numbers[r]; n != 0 {
		return n
	}
	limit := factsLimit
	if r.Tools() != nil {
		limit = math.MaxInt
	}
	return x.facts.number(x.known.share(*r, func(*capture.ResultFacts) {}), limit)
}

// resultFacts are the facts of one message, which brings no tools.
func (x *archive) resultFacts(r *capture.ResultFacts) {
	ints(x, &r.Code)
	x.flags(&r.IsError, &r.State, &r.NextCursor)
	names(x, &r.ResultType, &r.TaskStatus, &r.Version, &r.ServerName, &r.ServerVer, &r.Shape)
	str(x, &r.TaskID)
	x.bytes(r.StateHash[:])
}

// answer is that to a call of r.
func (x *archive) answer(an *Answer, r *capture.Reading) {
	names(x, &an.Level)
	names(x, &an.Kind)
	names(x, &an.Evidence)
	ints(x, &an.At)
	ints(x, &an.End, &an.Packet)
	ints(x, &an.Delivered)
	x.flags(&an.Holed)
	within(x, &an.Call, r.Calls)
	x.stream(&an.Stream)
	if an.Stream == nil {
		within(x, &an.Message, r.Messages)
		return
	}
	if !x.writing {
		an.Message = new(capture.Inbound) // of another exchange
	}
	x.message(an.Message)
}

// stream is another case, by its id.
func (x *archive) stream(c **Case) {
	id := 0
	if *c != nil {
		id = (*c).ID
	}
	ints(x, &id)
	switch {
	case x.writing || id == 0:
	case id > 0 && id <= len(x.cases):
		*c = x.cases[id-1]
	default:
		x.bad = true
	}
}

// ints are numbers that are mostly small.
func ints[T ~int | ~int64](x *archive, ns ...*T) {
	for _, n := range ns {
		if x.writing {
			x.b = binary.AppendVarint(x.b, int64(*n))
			continue
		}
		v, size := binary.Varint(x.b)
		x.bad = x.bad || size <= 0
		x.skip(size)
		*n = T(v)
	}
}

func (x *archive) flags(flags ...*bool) {
	n := 0
	for i, f := range flags {
		if *f {
			n |= 1 << i
		}
	}
	ints(x, &n)
	for i, f := range flags {
		*f = n>>i&1 != 0
	}
}

// str are texts that few others share.
func str[T ~string](x *archive, texts ...*T) {
	for _, s := range texts {
		n := len(*s)
		ints(x, &n)
		if x.writing {
			x.b = append(x.b, *s...)
			continue
		}
		from := len(x.text) - len(x.b)
		if x.skip(n); !x.bad {
			*s = T(x.text[from : from+n])
		}
	}
}

// names are texts that many records have; number 0 stands for one that is written out, -1 for none.
func names[T ~string](x *archive, texts ...*T) {
	for _, s := range texts {
		n := -1
		if x.writing && *s != "" {
			n = x.names.number(string(*s), namesLimit)
		}
		ints(x, &n)
		switch {
		case n == 0:
			str(x, s)
		case x.writing || n == -1:
		case n > 0 && n <= len(x.names.values):
			*s = T(x.names.values[n-1])
		default:
			x.bad = true
		}
	}
}

func (x *archive) bytes(b []byte) {
	if x.writing {
		x.b = append(x.b, b...)
		return
	}
	copy(b, x.b)
	x.skip(len(b))
}

func (x *archive) word(n *uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], *n)
	x.bytes(b[:])
	*n = binary.LittleEndian.Uint64(b[:])
}

// listOf is a list; read into one that is empty, whose memory is used.
func listOf[T any](x *archive, list *[]T, each func(*T)) {
	n := len(*list)
	ints(x, &n)
	if !x.writing {
		if n < 0 || n > len(x.b) {
			x.bad = true
			return
		}
		if n > cap(*list) {
			*list = make([]T, n)
		}
		*list = (*list)[:n]
	}
	for i := range *list {
		each(&(*list)[i])
	}
}

// within is a pointer into a list, by its place; -1 stands for none.
func within[T any](x *archive, p **T, list []T) {
	n := -1
	for i := range list {
		if *p == &list[i] {
			n = i
		}
	}
	ints(x, &n)
	switch {
	case x.writing || n == -1:
	case n >= 0 && n < len(list):
		*p = &list[n]
	default:
		x.bad = true
	}
}

// skip goes on by n bytes.
func (x *archive) skip(n int) {
	if n < 0 || n > len(x.b) {
		x.bad = true
		x.b = nil
		return
	}
	x.b = x.b[n:]
}
