package replay_test

import (
	"strings"
	"testing"

	"mcptrace/capture"
	"mcptrace/replay"
)

// corpus are whole responses, as they stood on the wire.
func corpus(t testing.TB) [][]byte {
	var out [][]byte
	for _, s := range scripts(t) {
		out = append(out, []byte(strings.ReplaceAll(string(s.wire), "@@ID@@", "1")))
	}
	return out
}

// Whatever comes, no model panics, and what a client makes of a response does not depend on how the packets were cut where
// nothing is read in pieces: the models of products may only differ where their product does.
func FuzzModels(f *testing.F) {
	for _, wire := range corpus(f) {
		f.Add(wire, uint16(len(wire)/2), uint8(0))
		f.Add(wire, uint16(60), uint8(5))
	}
	f.Fuzz(func(t *testing.T, wire []byte, cut uint16, flags uint8) {
		how := []capture.How{capture.FIN, capture.RST, capture.NoEnd}[flags%3]
		at := int(cut) % (len(wire) + 1)
		one := madeCall("tools/call", "1", flags&4 != 0, how, 3*ms, part{ms, string(wire)})
		two := madeCall("tools/call", "1", flags&4 != 0, how, 3*ms, part{ms, string(wire[:at])}, part{ms, string(wire[at:])})
		for _, p := range replay.Policies() {
			a, b := replay.Run(one.ex, one.rd, p, one.last, replay.Options{}), replay.Run(two.ex, two.rd, p, two.last, replay.Options{})
			if piecewise := strings.HasPrefix(p.Name, "ruby-sdk"); a.Verdict != b.Verdict && !piecewise {
				t.Errorf("%s: %s in one piece, %s cut at %d", p.Name, a.Verdict, b.Verdict, at)
			}
		}
	})
}

// A sweep says at every byte what cutting there says, for bodies of any kind.
func FuzzSweep(f *testing.F) {
	for i, wire := range corpus(f) {
		if len(wire) < 400 {
			f.Add(wire, uint8(len(wire)/2), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, wire []byte, cut, who uint8) {
		if len(wire) > 500 {
			return
		}
		at := int(cut) % (len(wire) + 1)
		e := made("1", capture.FIN, part{ms, string(wire[:at])}, part{2 * ms, string(wire[at:])})
		if e.ex.Response.Head == nil || strings.TrimSpace(e.ex.Response.Head.Get("Content-Encoding")) != "" {
			return
		}
		ps := replay.Policies()
		p, how := ps[int(who)%len(ps)], ways[int(who)/len(ps)%len(ways)]
		compareSweep(t, p.Name+" "+string(how), e, replay.Sweep(e.ex, e.rd, how, p, replay.Options{}))
	})
}
