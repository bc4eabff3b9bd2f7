package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptrace/capture"
	"mcptrace/capture/source/pcap"
	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/tls"
	"mcptrace/replay"
)

// exchangesOf reads the MCP exchanges of a capture.
func exchangesOf(t *testing.T, input []string) []*capture.Exchange {
	t.Helper()
	r := &reader{flags: &inputFlags{}, s: &streams{}}
	if len(input) > 1 {
		r.flags.keylogs = input[2:]
	}
	keys, err := r.keyLogs()
	if err != nil {
		t.Fatal(err)
	}
	return readExchanges(t, input[0], keys)
}

func readExchanges(t *testing.T, path string, keys *tls.KeyLog) []*capture.Exchange {
	t.Helper()
	var out []*capture.Exchange
	rec := &capture.Recognizer{Out: func(ex *capture.Exchange, _ *capture.Reading) { out = append(out, ex) }}
	if _, err := pcap.Read(context.Background(), []pcap.Input{{Path: path}}, &capture.Assembly{Keys: keys, Sink: rec.Add}, pcap.Options{}); err != nil {
		t.Fatal(err)
	}
	rec.Close()
	return out
}

// streamed calls f for each event stream of the captures.
func streamed(t *testing.T, f func(t *testing.T, ex *capture.Exchange, rd *capture.Reading)) {
	n := 0
	corpus(t, func(t *testing.T, _ string, input []string) {
		for _, ex := range exchangesOf(t, input) {
			if rd := capture.Read(ex); rd.SSE && len(rd.Messages) > 0 {
				n++
				t.Run(fmt.Sprint("exchange ", ex.Seq), func(t *testing.T) { f(t, ex, rd) })
			}
		}
	})
	if n < 20 {
		t.Errorf("%s holds %d event streams only", filepath.Base(pcapDir), n)
	}
}

// cut returns ex as it would have been seen, had the server closed after n bytes of the response.
func cut(ex *capture.Exchange, n int64, how capture.EndKind) *capture.Exchange {
	c, m := *ex, &ex.Response
	if n == m.Wire.Len() && m.Complete {
		return &c
	}
	r := &c.Response
	r.Wire, r.Complete = m.Wire.Prefix(n), false
	if r.HeadEnd > n {
		r.Head, r.HeadEnd = nil, 0
	}
	r.Body, r.Holes = clip(m.Body, n), clip(m.Holes, n)
	r.Chunks = slices.DeleteFunc(slices.Clone(m.Chunks), func(c capture.Chunk) bool { return c.Off >= n })
	r.Acks = slices.DeleteFunc(slices.Clone(m.Acks), func(a capture.Ack) bool { return a.Off > n })
	c.Ending = capture.Ending{Kind: how, By: "server", How: capture.FIN}
	if how == capture.EndRST {
		c.Ending.How = capture.RST
	}
	if k := len(r.Chunks); k > 0 {
		c.Ending.At = r.Chunks[k-1].At
	}
	return &c
}

func clip(spans []capture.Span, n int64) []capture.Span {
	var out []capture.Span
	for _, s := range spans {
		if s.Start < n {
			out = append(out, capture.Span{Start: s.Start, End: min(s.End, n)})
		}
	}
	return out
}

// TestSweepDelivery: broken after any byte of the response, a message is delivered from the byte on that the rules
// name, and no byte before; by FIN and by RST alike.
func TestSweepDelivery(t *testing.T) {
	streamed(t, func(t *testing.T, ex *capture.Exchange, rd *capture.Reading) {
		for _, how := range []capture.EndKind{capture.EndFIN, capture.EndRST} {
			before := 0
			for n := int64(0); n <= ex.Response.Wire.Len(); n++ {
				c := cut(ex, n, how)
				got := delivered(capture.Read(c))
				if want := deliveredBy(c, rd, n, got); got != want {
					t.Fatalf("%s after byte %d: %d messages delivered, want %d", how, n, got, want)
				}
				if got < before {
					t.Fatalf("%s after byte %d: %d messages delivered, a byte earlier %d", how, n, got, before)
				}
				before = got
			}
			if want := delivered(rd); before != want {
				t.Errorf("%s: %d messages in the end, want %d", how, before, want)
			}
		}
	})
}

func delivered(rd *capture.Reading) int {
	n := 0
	for i := range rd.Messages {
		if rd.Messages[i].Level == capture.LevelDispatched {
			n++
		}
	}
	return n
}

// deliveredBy returns how many messages of the whole stream stand within the first n bytes. Where a content coding says
// which bytes a message needs only by the run of them, the decoded bytes of the cut stream decide.
func deliveredBy(c *capture.Exchange, whole *capture.Reading, n int64, got int) int {
	coded := c.Response.Head != nil && c.Response.Head.Get("Content-Encoding") != ""
	have := int64(0)
	if coded {
		c.Response.Pieces(func(p *capture.Piece) bool { have = p.Start + int64(len(p.Data)); return true })
	}
	want := 0
	for i := range whole.Messages {
		m := &whole.Messages[i]
		if m.Level == capture.LevelDispatched && (coded && m.End <= have || !coded && m.WireEnd <= n) {
			want++
		}
	}
	return want
}

// TestSweepPolicies: a client that salvages never repeats a call that had been answered; one that discards does so at
// exactly the cuts at or after the answer.
func TestSweepPolicies(t *testing.T) {
	ps, err := replay.Find([]string{"salvage", "discard-reissue"})
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	streamed(t, func(t *testing.T, ex *capture.Exchange, rd *capture.Reading) {
		if k, all := rd.LastAnswer(ex.Response.Head.Status); k < 0 || !all || rd.Holed {
			return
		}
		answers++
		for _, how := range []capture.EndKind{capture.EndFIN, capture.EndRST} {
			for n := range ex.Response.Wire.Len() {
				c := cut(ex, n, how)
				r := capture.Read(c)
				v := replay.NewView(c, r, c.Ending.At)
				want := [2]replay.Verdict{replay.Failed, replay.Reissued}
				if v.Modern {
					want[0] = replay.Reissued
				}
				if v.Delivered() {
					want = [2]replay.Verdict{replay.Salvaged, replay.Duplicated}
				}
				for i, p := range ps {
					if got := p.Judge(v, replay.Options{}); got.Verdict != want[i] {
						t.Fatalf("%s after byte %d: %s says %s, want %s", how, n, p.Name, got.Verdict, want[i])
					}
				}
			}
		}
	})
	if answers < 15 {
		t.Errorf("%d answers only", answers)
	}
}

// TestSweepOnePass: the sweep, which takes one pass over the body, says what playing each cut by itself says.
func TestSweepOnePass(t *testing.T) {
	ps := replay.Generic()
	streamed(t, func(t *testing.T, ex *capture.Exchange, rd *capture.Reading) {
		for kind, how := range map[capture.EndKind]replay.How{capture.EndFIN: replay.FIN, capture.EndRST: replay.RST} {
			for i, swept := range replay.SweepAll(ex, rd, how, ps, replay.Options{}) {
				next := int64(0)
				for _, r := range swept.Ranges {
					if r.From != next || r.To < r.From {
						t.Fatalf("%s, %s: the ranges leave a gap: %d to %d after %d", ps[i].Name, how, r.From, r.To, next-1)
					}
					next = r.To + 1
				}
				if next != ex.Response.BodyLen()+1 {
					t.Errorf("%s, %s: the ranges end at %d, the body at %d", ps[i].Name, how, next-1, ex.Response.BodyLen())
				}
				sameOutcomes(t, ex, ps[i], kind, swept)
			}
		}
	})
}

// sameOutcomes plays the cuts at both ends of each range. Cuts that another rule makes a clean end are left out.
func sameOutcomes(t *testing.T, ex *capture.Exchange, p replay.Policy, kind capture.EndKind, swept replay.Swept) {
	t.Helper()
	if f := ex.Response.Head.Framing; f == http1.Close && ex.Proto != "2" || f == http1.Length {
		return
	}
	for _, r := range swept.Ranges {
		for _, n := range []int64{r.From, r.To} {
			c := cut(ex, wireAt(ex, n), kind)
			if c.Response.Complete {
				continue
			}
			got := p.Judge(replay.NewView(c, capture.Read(c), c.Ending.At), replay.Options{})
			if got.Verdict != r.Outcome.Verdict {
				t.Fatalf("%s, %s after body byte %d: %s, the sweep says %s", p.Name, kind, n, got.Verdict, r.Outcome.Verdict)
			}
		}
	}
}

// wireAt returns how much of the response has arrived when so many body bytes have.
func wireAt(ex *capture.Exchange, n int64) int64 {
	at := ex.Response.HeadEnd
	for _, s := range ex.Response.Body {
		if n > 0 {
			at = s.Start + min(n, s.Len())
			n -= s.Len()
		}
	}
	return at
}

// TestSweepArrival: wherever the response was split on its way, the same is read from it.
func TestSweepArrival(t *testing.T) {
	streamed(t, func(t *testing.T, ex *capture.Exchange, rd *capture.Reading) {
		want := offsets(rd, ex)
		for n := int64(1); n < ex.Response.Wire.Len(); n++ {
			if got := offsets(capture.Read(arriving(ex, n)), ex); got != want {
				t.Fatalf("split at byte %d:\ngot  %s\nwant %s", n, got, want)
			}
		}
		all := make([]int64, ex.Response.Wire.Len())
		for i := range all {
			all[i] = int64(i)
		}
		if got := offsets(capture.Read(arriving(ex, all...)), ex); got != want {
			t.Fatalf("byte by byte:\ngot  %s\nwant %s", got, want)
		}
	})
}

// arriving returns ex with more places at which its response was split.
func arriving(ex *capture.Exchange, at ...int64) *capture.Exchange {
	c := *ex
	c.Response.Chunks = slices.Clone(ex.Response.Chunks)
	for _, n := range at {
		i, found := slices.BinarySearchFunc(c.Response.Chunks, n, func(k capture.Chunk, n int64) int { return int(k.Off - n) })
		if found {
			continue
		}
		k := c.Response.Chunks[i-1]
		k.Off = n
		c.Response.Chunks = slices.Insert(c.Response.Chunks, i, k)
	}
	return &c
}

// offsets writes what was read and where it stands. The wire bytes of a coded body depend on the runs in which it came.
func offsets(rd *capture.Reading, ex *capture.Exchange) string {
	var b strings.Builder
	coded := ex.Response.Head.Get("Content-Encoding") != ""
	for i := range rd.Messages {
		m := rd.Messages[i]
		if coded {
			m.WireEnd, m.AckedAt = 0, 0
		}
		fmt.Fprintf(&b, "%d-%d json %d-%d wire %d %v %v %s %s at %v acked %v cr %v; ", m.Start, m.End, m.JSONStart, m.JSONEnd, m.WireEnd, m.Kind, m.ID, m.Method, m.Level, m.At, m.AckedAt, m.CROnly)
	}
	fmt.Fprintf(&b, "%d bytes, %d decoded, %d events, %d comments, tail %d, odd %b", rd.Wire, rd.Decoded, rd.Events, rd.Comments, rd.Tail, rd.Odd)
	return b.String()
}
