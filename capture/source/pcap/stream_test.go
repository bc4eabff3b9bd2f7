package pcap

import (
	"bytes"
	"math/rand"
	"testing"

	"mcptrace/capture"
)

// However a stream is cut up, shuffled, repeated and overlapped, the same bytes come out.
func TestShuffledSegments(t *testing.T) {
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		want := "GET /" + text(rng.Intn(5000), seed)
		segments := hello()
		for off := 0; off < len(want); {
			n := min(1+rng.Intn(400), len(want)-off)
			from := max(0, off-rng.Intn(3)*rng.Intn(50)) // overlaps what is before
			segments = append(segments, pkt{side: 'c', flags: "A", seq: int64(from) + 1, ack: 1, data: want[from : off+n]})
			if rng.Intn(4) == 0 {
				segments = append(segments, segments[3+rng.Intn(len(segments)-3)])
			}
			off += n
		}
		body := segments[3:]
		reach := 1 + rng.Intn(10)
		for i := range body {
			if j := i + rng.Intn(reach); j < len(body) {
				body[i], body[j] = body[j], body[i]
			}
		}
		for i := range body {
			body[i].ms = 20 + float64(i)*15
		}
		k := newTalk()
		k.clientISN = rng.Uint32()
		r, q := readBytes(t, file(k.packets(segments...)...))
		if len(r.conns) != 1 || string(r.conns[0].dir[0].data) != want || q[0].TCPGaps != 0 {
			t.Fatalf("seed %d: another stream (%d gaps)", seed, q[0].TCPGaps)
		}
	}
}

// Bytes the capture lost are told as missing where they stood, all others come out.
func TestDroppedSegments(t *testing.T) {
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		sent := "GET /" + text(3000, seed)
		segments := hello(pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: sent[:5]})
		want := []byte(sent)
		var lost int64
		ms, off := 20.0, 5
		for off < len(sent) {
			n := min(1+rng.Intn(300), len(sent)-off)
			if rng.Intn(4) == 0 {
				clear(want[off : off+n])
				lost += int64(n)
			} else {
				segments = append(segments, pkt{ms: ms, side: 'c', flags: "A", seq: int64(off) + 1, ack: 1, data: sent[off : off+n]})
			}
			off += n
			ms += rng.Float64() * 40
			if rng.Intn(3) > 0 {
				segments = append(segments, pkt{ms: ms, side: 's', flags: "A", seq: 1, ack: int64(off) + 1})
			}
		}
		segments = append(segments, pkt{ms: ms + 1, side: 'c', flags: "FA", seq: int64(off) + 1, ack: 1})
		r, q := readBytes(t, file(newTalk().packets(segments...)...))
		d := r.conns[0]
		if !bytes.Equal(d.dir[0].data, want) || q[0].GapBytes != lost || d.dir[0].missing != lost {
			t.Fatalf("seed %d: missing %d, want %d; %v", seed, d.dir[0].missing, lost, d.log)
		}
		if len(d.dir[0].ends) != 1 || d.dir[0].ends[0] != capture.FIN {
			t.Fatalf("seed %d: ends %v", seed, d.dir[0].ends)
		}
	}
}

// The queue of a direction against a map of bytes: the first copy of each wins.
func TestInsert(t *testing.T) {
	for seed := range int64(500) {
		rng := rand.New(rand.NewSource(seed))
		d := newDirection()
		model := map[int64]int16{} // -1: cut off by the snap length
		for range 30 {
			p := piece{off: int64(rng.Intn(60)), data: []byte(text(rng.Intn(10), rng.Int63())), cut: int64(rng.Intn(4) / 3 * rng.Intn(5))}
			fresh := false
			for i := p.off; i < p.end(); i++ {
				if _, ok := model[i]; ok {
					continue
				}
				fresh = true
				model[i] = -1
				if i-p.off < int64(len(p.data)) {
					model[i] = int16(p.data[i-p.off])
				}
			}
			if d.insert(p) != fresh {
				t.Fatalf("seed %d: insert says nothing new: %v", seed, fresh)
			}
		}
		var n int
		var cost, end int64
		for _, p := range d.queue {
			if p.off < end || p.end() == p.off {
				t.Fatalf("seed %d: pieces out of order", seed)
			}
			end = p.end()
			cost += int64(len(p.data)) + pieceCost
			for i := p.off; i < p.end(); i++ {
				want := int16(-1)
				if i-p.off < int64(len(p.data)) {
					want = int16(p.data[i-p.off])
				}
				if got, ok := model[i]; !ok || got != want {
					t.Fatalf("seed %d: byte %d is %d, want %d", seed, i, want, got)
				}
				n++
			}
		}
		if n != len(model) || cost != d.queued {
			t.Fatalf("seed %d: %d bytes of %d, cost %d of %d", seed, n, len(model), d.queued, cost)
		}
	}
}
