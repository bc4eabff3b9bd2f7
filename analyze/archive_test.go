package analyze

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"mcptrace/capture"
)

// TestArchive: every field of a detail comes back as it was written.
func TestArchive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		k := new(codec)
		if i%2 == 0 { // no room for what many have in common: it is written out
			k.names.values, k.facts.values = make([]string, namesLimit), make([]*capture.ResultFacts, factsLimit)
		}
		k.cases = []*Case{{ID: 1}, {ID: 2}}
		d := someDetail(rnd, k)
		d.summary()
		got, err := k.unpack(k.pack(d))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(d, got) {
			t.Fatalf("got  %+v\n%+v\n%+v\nwant %+v\n%+v\n%+v", got, got.reading, got.answers, d, d.reading, d.answers)
		}
		for i := range got.answers {
			if an := &got.answers[i]; an.Stream == nil && an.Message != nil && !inside(an.Message, got.reading.Messages) {
				t.Fatal("a message of its own is a copy")
			}
		}
	}
}

// TestDamagedRecord: a record that is not what was written gives an error.
func TestDamagedRecord(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		k := new(codec)
		k.cases = []*Case{{ID: 1}, {ID: 2}}
		b := append([]byte(nil), k.pack(someDetail(rnd, k))...)
		for n := range b {
			if _, err := k.unpack(b[:n]); err == nil {
				t.Fatalf("the first %d of %d bytes were taken for a record", n, len(b))
			}
		}
		for range 50 {
			x := append([]byte(nil), b...)
			x[rnd.IntN(len(x))] ^= byte(1 + rnd.IntN(255))
			k.unpack(x) // whatever it says, it must come back
		}
	}
}

func inside[T any](p *T, list []T) bool {
	for i := range list {
		if p == &list[i] {
			return true
		}
	}
	return false
}

// someDetail returns a detail with a value in each field.
func someDetail(rnd *rand.Rand, k *codec) *detail {
	d := &detail{reading: new(capture.Reading)}
	fill(rnd, reflect.ValueOf(d.reading).Elem())
	r := d.reading
	r.DecodeErr, r.OddAt, r.OddNote = nil, nil, nil // the first is not asked for any more
	r.Odd &= 1<<11 - 1
	if r.Odd != 0 {
		r.OddAt, r.OddNote = map[capture.Oddity]int64{}, map[capture.Oddity]string{}
	}
	for o := capture.Oddity(1); o <= r.Odd; o <<= 1 {
		if r.Odd&o != 0 {
			r.OddAt[o], r.OddNote[o] = rnd.Int64(), "note"
		}
	}
	facts := []*capture.ResultFacts{{Shape: "content"}, {Code: 7, IsError: true, ResultType: "task", StateHash: [8]byte{1}, State: true, TaskID: "t", TaskStatus: "working",
		Version: "2025-11-25", ServerName: "s", ServerVer: "1", NextCursor: true, Shape: "initialize"}}
	for i := range r.Messages {
		r.Messages[i].Result = facts[rnd.IntN(2)]
	}
	for i := range r.Calls {
		an := Answer{Call: &r.Calls[i], Level: capture.LevelPartial, Kind: "result", At: 3, End: 4, Packet: 5, Evidence: Acked, Delivered: 1 - i, Holed: i == 1}
		switch rnd.IntN(3) {
		case 0:
			an.Stream, an.Message = k.cases[rnd.IntN(2)], &capture.Inbound{End: 9, Result: facts[0]}
		case 1:
			if len(r.Messages) > 0 {
				an.Message = &r.Messages[0]
			}
		}
		d.answers = append(d.answers, an)
	}
	d.last, d.noColon, d.version = rnd.Int64(), -1, "2025-11-25"
	d.identical[3] = 3
	return d
}

// fill puts a value into every field that it can reach.
func fill(rnd *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(rnd, v.Field(i))
			}
		}
	case reflect.Slice:
		s := reflect.MakeSlice(v.Type(), 1+rnd.IntN(3), 3)
		for i := range s.Len() {
			fill(rnd, s.Index(i))
		}
		v.Set(s)
	case reflect.Array:
		for i := range v.Len() {
			fill(rnd, v.Index(i))
		}
	case reflect.String:
		v.SetString([]string{"", "a", "tools/call", "a longer text"}[rnd.IntN(4)])
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(rnd.Int64N(1<<40) - 1<<20)
	case reflect.Uint8:
		v.SetUint(uint64(rnd.IntN(5)))
	case reflect.Uint32:
		v.SetUint(uint64(rnd.Uint32()))
	case reflect.Uint64:
		v.SetUint(rnd.Uint64())
	}
}
