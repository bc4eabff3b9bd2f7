package analyze

import (
	"reflect"
	"testing"
)

// TestFactsHoldNoPointers: what stands in a mapped file the collector does not see.
func TestFactsHoldNoPointers(t *testing.T) {
	var look func(reflect.Type, string)
	look = func(x reflect.Type, path string) {
		switch x.Kind() {
		case reflect.Struct:
			for i := range x.NumField() {
				look(x.Field(i).Type, path+"."+x.Field(i).Name)
			}
		case reflect.Array:
			look(x.Elem(), path+"[]")
		case reflect.Pointer, reflect.String, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer:
			t.Errorf("facts%s is a %s", path, x)
		}
	}
	look(reflect.TypeFor[facts](), "")
}

// TestArenaBringsBack: what was let go of is there again where it is looked at.
func TestArenaBringsBack(t *testing.T) {
	for _, few := range []int{0, 1, 1000} {
		r := arena{few: few}
		var all []*facts
		for i := range 100_000 {
			f := r.room()
			if *f != (facts{}) {
				t.Fatalf("room %d is not empty", i)
			}
			f.Seq, f.id = int64(i), uint64(i)<<32
			all = append(all, f)
		}
		if canMap && r.space != nil && (r.size <= arenaChunk || len(r.near)+r.apart > arenaNear) {
			t.Errorf("%d bytes, %d blocks are near", r.size, len(r.near))
		}
		for i, f := range all {
			if r.pass(f); f.Seq != int64(i) || f.id != uint64(i)<<32 {
				t.Fatalf("%d in memory: facts %d say %d", few, i, f.Seq)
			}
		}
		r.close()
	}
}
