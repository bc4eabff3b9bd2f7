package analyze

import (
	"errors"

	"mcptrace/capture"
)

// codec packs details into records and back. What many have in common it keeps, and packs its number.
type codec struct {
	names table[string]
	facts table[*capture.ResultFacts]
	known sharing[capture.ResultFacts]
	cases []*Case // by their ids, once they have them
	buf   []byte
}

// errRecord says that a record is not what was written.
var errRecord = errors.New("it does not hold what was written")

// pack returns the record of a detail. It is good until the next call.
func (k *codec) pack(d *detail) []byte {
	x := archive{codec: k, writing: true, b: k.buf[:0]}
	x.detail(d)
	k.buf = x.b
	return x.b
}

// unpack returns the detail of a record.
func (k *codec) unpack(record []byte) (*detail, error) {
	room := new(detailRoom)
	d := &room.detail
	d.reading, d.answers = &room.reading, room.answers[:0]
	d.reading.Calls, d.reading.Messages = room.calls[:0], room.messages[:0]
	x := archive{codec: k, b: record, text: string(record)}
	x.detail(d)
	if x.bad || len(x.b) != 0 {
		return nil, errRecord
	}
	d.summary()
	return d, nil
}

// detailRoom is a detail of one call and one answer, as most are, in one piece of memory.
type detailRoom struct {
	detail   detail
	reading  capture.Reading
	calls    [1]capture.Call
	messages [1]capture.Inbound
	answers  [1]Answer
}

// table numbers values in order of their first use, from 1.
type table[T comparable] struct {
	values  []T
	numbers map[T]int
}

// number returns the number of v, 0 where there are limit others.
func (t *table[T]) number(v T, limit int) int {
	n, ok := t.numbers[v]
	if ok || len(t.values) >= limit {
		return n
	}
	if t.numbers == nil {
		t.numbers = map[T]int{}
	}
	t.values = append(t.values, v)
	t.numbers[v] = len(t.values)
	return len(t.values)
}
