package serve

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestRenderSplit: however the recorded bytes are split, the live bytes are the same.
func TestRenderSplit(t *testing.T) {
	text := []byte("0123456789abcdefghij")
	es := edits{{2, 4, []byte("XYZ")}, {4, 5, []byte("W")}, {8, 12, []byte("p")}, {15, 20, nil}}
	const want = "01XYZW567pcde"
	render := func(cuts ...int64) string {
		live := append(edits(nil), es...)
		var out []byte
		from := int64(0)
		for _, to := range append(cuts, int64(len(text))) {
			out = live.render(out, from, to, func(dst []byte, a, b int64) []byte { return append(dst, text[a:b]...) })
			live.drop(to)
			from = to
		}
		return string(out)
	}
	if got := render(); got != want {
		t.Fatalf("whole: got %q, want %q", got, want)
	}
	for i := range int64(len(text)) {
		for j := i; j <= int64(len(text)); j++ {
			if got := render(i, j); got != want {
				t.Errorf("cut at %d and %d: got %q, want %q", i, j, got, want)
			}
		}
	}
}

func TestAddKeepsOrder(t *testing.T) {
	var es edits
	for _, i := range rand.Perm(50) {
		es.add(edit{from: int64(i), to: int64(i + 1)})
	}
	for i := range es {
		if es[i].from != int64(i) {
			t.Fatalf("edit %d stands at %d", es[i].from, i)
		}
	}
}

func TestDataLines(t *testing.T) {
	block := "event: x\r\ndata:  a\rdata\ndata:b\n: data: c\ndatas: d\n\n"
	var got [][]byte
	for _, l := range dataLines([]byte(block)) {
		got = append(got, []byte(block[l.off:l.off+l.n]))
	}
	if want := [][]byte{[]byte(" a"), {}, []byte("b")}; !equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func equal(a, b [][]byte) bool {
	return bytes.Equal(bytes.Join(a, []byte("|")), bytes.Join(b, []byte("|")))
}

func TestEndpointToken(t *testing.T) {
	for uri, want := range map[string]string{
		"/message?sessionId=abc": "abc", "http://h:1/m/?a=1&session_id=0123456789": "0123456789", "/messages/0123456789abcdef": "0123456789abcdef",
		"/message": "", "": "",
	} {
		if got := endpointToken(uri); got != want {
			t.Errorf("%s: got %q, want %q", uri, got, want)
		}
	}
}

func TestFresh(t *testing.T) {
	for _, id := range []string{"", "-", "abc", "01234567-89ab", "TKLOVRETWUTP5ONUWS4P7QZZU5"} {
		got := fresh(id)
		if got == id || len(id) >= 8 && len(got) != len(id) {
			t.Errorf("%q became %q", id, got)
		}
	}
}
