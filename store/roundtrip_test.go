package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/pcap"
	"mcptrace/capture/wire/http1"
)

// odd returns exchanges with everything in them that a source may produce.
func odd() ([]*capture.Exchange, []*capture.Conn) {
	conn := &capture.Conn{ID: 7, Input: 1, Client: netip.MustParseAddrPort("[fe80::1%eth0]:1"), Server: netip.MustParseAddrPort("127.0.0.1:2"),
		Open: 1, Last: epoch, Vantage: capture.Vantage{Kind: "proxy", RTTClient: -1, RTTServer: 1 << 40},
		MidStart: true, OneSided: true, Gaps: 1, GapBytes: 2, Retransmitted: 3, OutsideResets: 4, WindowCloses: 5, SnaplenCut: 6, CopiesDropped: 7,
		AlsoSeenAs: []string{"a → b", `"`}, ClientDataTTL: 255, ServerDataTTL: 1,
		TLS: &capture.TLSInfo{SNI: "x", ALPN: "h2", Version: "1.3", Suite: "s", Readable: true, Why: "w", Bytes: [2]int64{1, 2}},
		Closings: []capture.Closing{
			{By: capture.Server, How: capture.FatalAlert, At: epoch, Packet: 1, Offset: 1 << 40, TTL: 64, Alert: 40},
			{By: capture.Client, How: capture.CloseNotify}, {How: capture.RST}, {How: capture.FIN},
		}}
	stdio := &capture.Conn{ID: 8, Vantage: capture.Vantage{Kind: "stdio"}}
	lost := &capture.Conn{ID: 9, TLS: &capture.TLSInfo{Why: "no keys"}}
	h2 := "HTTP/2 200\r\ncontent-type: application/json\r\nx: a: b\r\n\r\n"
	long := strings.Repeat("0123456789abcdef", 20_000)
	exs := []*capture.Exchange{
		{Seq: 5, Conn: conn, Stream: 1<<32 - 1, Proto: "2", Start: epoch, Interim: 3, ClientReset: epoch + 5,
			Request: capture.Message{Head: &http1.Head{Method: "POST", Proto: "HTTP/2", Fields: []http1.Field{{Name: "host", Value: "h"}}},
				Wire: capture.BlobOf([]byte("POST ? HTTP/2\r\nhost: h\r\n\r\n")), HeadEnd: 26, Complete: true, Chunks: []capture.Chunk{{}}},
			Response: capture.Message{Head: &http1.Head{Status: 200, Proto: "HTTP/2", Fields: []http1.Field{{Name: "content-type", Value: "application/json"}, {Name: "x", Value: "a: b"}},
				Trailers: []http1.Field{{Name: "t", Value: "v"}}}, Wire: capture.BlobOf([]byte(h2 + "\x00\x00{}")), HeadEnd: int64(len(h2)),
				Body: []capture.Span{{Start: int64(len(h2)), End: int64(len(h2)) + 4}}, Holes: []capture.Span{{Start: int64(len(h2)), End: int64(len(h2)) + 2}},
				Chunks: []capture.Chunk{{Packet: 3, Seen: -5, At: 0}, {Off: 3, Packet: 1 << 40, Seen: time.Hour * 1000, At: time.Hour * 1001}},
				Acks:   []capture.Ack{{Off: 1, At: 1}, {Off: 9, At: 1}}},
			Ending: capture.Ending{Kind: capture.EndH2RST, By: "client", How: capture.RST, At: 0, Packet: 9, Code: 1<<32 - 1, Unprocessed: true}},
		{Seq: 2, Conn: conn, Proto: "1.1", Ending: capture.Ending{Kind: capture.EndOpen, At: -1}}, // nothing at all
		{Seq: 3, Conn: conn, Proto: "1.0", Start: -1, Ending: capture.Ending{Kind: capture.EndFIN, By: "server", How: capture.FIN, At: 5},
			Request:  capture.Message{Wire: capture.BlobOf([]byte("POST /mcp HT")), Chunks: []capture.Chunk{{}}, Cut: true},
			Response: capture.Message{Wire: capture.BlobOf([]byte(long)), Chunks: []capture.Chunk{{}, {Off: 65536}}, Holes: []capture.Span{{Start: 4, End: 4}}}},
		{Seq: 4, Conn: conn, Proto: "2", Start: epoch, // fields that no text can hold, and a head that a limit cut off
			Request: capture.Message{Head: &http1.Head{Method: "G\r\nT", Target: "/\xff", Proto: "HTTP/2", Fields: []http1.Field{{Name: "a:b", Value: "x\r\ny"}, {Value: " "}}},
				Wire: capture.BlobOf([]byte("G")), HeadEnd: 900, Cut: true, Chunks: []capture.Chunk{{}}},
			Response: capture.Message{Head: &http1.Head{Status: 404, Reason: "Not", Proto: "HTTP/1.1", Framing: http1.Length, Length: 1 << 40, Conflict: true, Dropped: 3}}},
		{Seq: 1, Conn: stdio, Proto: "stdio", Start: epoch,
			Request:  capture.Message{Wire: capture.BlobOf([]byte("{}\n")), Body: []capture.Span{{Start: 0, End: 3}}, Chunks: []capture.Chunk{{}}, Complete: true},
			Response: capture.Message{Wire: capture.BlobOf([]byte("{}\n{}")), Body: []capture.Span{{Start: 0, End: 2}, {Start: 3, End: 5}}, Chunks: []capture.Chunk{{At: 1}}},
			Ending:   capture.Ending{Kind: capture.EndClean, At: 3}},
	}
	return exs, []*capture.Conn{conn, stdio, lost, {ID: 10}}
}

func TestRoundTrip(t *testing.T) {
	exs, conns := odd()
	for _, o := range []Options{{KeepSecrets: true}, {}, {Live: true}} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			path := recordAll(t, o, exs, conns)
			r, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			sameExchanges(t, exchangesOf(t, r), exs)
			got, _ := r.Conns()
			if len(got) != 3 || !reflect.DeepEqual(got[2], conns[2]) {
				t.Errorf("connections %v", got)
			}
			if want := (Meta{Tool: "v1", Created: created, Source: "pcap", KeepSecrets: o.KeepSecrets}); r.Meta() != want {
				t.Errorf("meta %+v instead of %+v", r.Meta(), want)
			}
			if r.Unfinished() {
				t.Error("unfinished")
			}
			for _, leftover := range []string{"-journal", "-wal", "-shm"} {
				if _, err := os.Stat(path + leftover); err == nil {
					t.Error(leftover + " is left over")
				}
			}
			if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v", info.Mode())
			}
		})
	}
}

func TestSameConn(t *testing.T) {
	exs, conns := odd()
	r, err := Open(recordAll(t, Options{}, exs, conns))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all, _ := r.Conns()
	got := exchangesOf(t, r)
	if got[1].Conn != got[2].Conn || got[1].Conn == got[0].Conn || got[0].Conn != all[1] && got[0].Conn != all[0] {
		t.Error("connections are not shared")
	}
}

func TestExchange(t *testing.T) {
	exs, conns := odd()
	r, err := Open(recordAll(t, Options{}, exs, conns))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx := context.Background()
	for ex, err := range r.Exchanges(ctx) { // one may be asked for meanwhile
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Exchange(ctx, int(ex.Seq)) // they count from 1 here
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(ex, again); d != "" {
			t.Error(d)
		}
	}
	for _, n := range []int{-1, 0, 6, 1 << 40} {
		if _, err := r.Exchange(ctx, n); !errors.Is(err, ErrNotFound) {
			t.Errorf("exchange %d: %v", n, err)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range r.Exchanges(canceled) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestInputsAndFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?#%.db")
	w, err := Create(path, Meta{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inputs := []Input{
		{Path: "-", Kind: "pcap"},
		{Path: "x", Kind: "pcapng", Quality: capture.Quality{Packets: 1 << 40, TCPGaps: 1, GapBytes: 2, RetransmittedSegments: 3, SnaplenCutPackets: 4,
			UndecodablePackets: 5, TLSOpaqueConnections: 6, MidStartConnections: 7, OneSidedConnections: 8, NonMCPExchanges: 9, TruncatedInput: true,
			TruncatedAt: 0, DroppedByCapture: 11, OutsideResets: 12, DuplicatePackets: 13, LimitCuts: 14, HTTP3Packets: 15, First: 16, Last: 17, Notes: []string{"n"}}},
	}
	failures := []capture.ConnectFailure{
		{Client: netip.MustParseAddrPort("1.2.3.4:5"), Server: netip.MustParseAddrPort("[::1]:6"), Start: epoch, Kind: "refused", By: "server"},
		{Kind: "timeout"},
	}
	for _, f := range failures {
		if err := w.ConnectFailure(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(inputs, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(&capture.Exchange{}); err == nil {
		t.Error("added to a finished recording")
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !reflect.DeepEqual(r.Inputs(), inputs) {
		t.Errorf("%+v", r.Inputs())
	}
	if got, err := r.Failures(); err != nil || !reflect.DeepEqual(got, failures) {
		t.Errorf("%+v %v", got, err)
	}
	if !r.Meta().Created.IsZero() {
		t.Error("created")
	}
}

// TestCaptures records real traffic and reads it back.
func TestCaptures(t *testing.T) {
	files, _ := filepath.Glob("../../shared/captures/*.pcap*")
	more, _ := filepath.Glob("../../shared/cases/*.pcap*")
	if files = append(files, more...); len(files) == 0 {
		t.Skip("no captures")
	}
	a, exs := gather()
	for _, name := range files {
		// an input that cannot be read is not this package's
		pcap.Read(context.Background(), []pcap.Input{{Path: name}}, a, pcap.Options{})
	}
	for _, live := range []bool{false, true} {
		sameExchanges(t, readAll(t, recordAll(t, Options{KeepSecrets: true, Live: live}, *exs, a.Conns())), *exs)
	}
	masked := readAll(t, recordAll(t, Options{}, *exs, a.Conns()))
	if len(masked) != len(*exs) || len(*exs) < len(files) {
		t.Errorf("%d exchanges of %d in %d files", len(masked), len(*exs), len(files))
	}
	sameShape(t, masked, *exs)
}

// sameShape fails the test where masking changed more than bytes.
func sameShape(t *testing.T, got, want []*capture.Exchange) {
	t.Helper()
	bySeq := map[int64]*capture.Exchange{}
	for _, ex := range want {
		bySeq[ex.Seq] = ex
	}
	for _, ex := range got {
		a, b := capture.Read(bySeq[ex.Seq]), capture.Read(ex)
		if len(a.Calls) != len(b.Calls) || len(a.Messages) != len(b.Messages) || a.Events != b.Events || a.Wire != b.Wire || a.Tail != b.Tail {
			t.Errorf("seq %d reads otherwise once it is masked", ex.Seq)
			continue
		}
		for i := range a.Messages {
			x, y := &a.Messages[i], &b.Messages[i]
			if x.Kind != y.Kind || x.Level != y.Level || x.ID != y.ID || x.Method != y.Method || x.End != y.End || x.At != y.At || x.AckedAt != y.AckedAt {
				t.Errorf("seq %d: message %d reads otherwise once it is masked: %+v instead of %+v", ex.Seq, i, y, x)
			}
		}
	}
}

// TestSize: a recording is not much larger than what it holds.
func TestSize(t *testing.T) {
	var exs []*capture.Exchange
	var conns []*capture.Conn
	var payload int64
	for _, size := range []int{500, 2_000, 5_000, 10_000, 40_000, 200_000} {
		more, c, n := traffic(40, size)
		for _, ex := range more {
			ex.Seq = int64(len(exs))
			exs = append(exs, ex)
		}
		conns, payload = append(conns, c...), payload+n
	}
	size := len(fileBytes(t, recordAll(t, Options{}, exs, conns)))
	if ratio := float64(size) / float64(payload); ratio > 1.3 {
		t.Errorf("%.2f times the payload", ratio)
	}
}

func TestPackedSpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var spans []capture.Span
		var chunks []capture.Chunk
		var acks []capture.Ack
		var off int64
		for range rng.IntN(20) {
			start := off + rng.Int64N(1<<rng.IntN(40))
			off = start + rng.Int64N(1<<rng.IntN(40))
			spans = append(spans, capture.Span{Start: start, End: off})
			chunks = append(chunks, capture.Chunk{Off: start, Packet: rng.Int64N(1000), Seen: time.Duration(rng.Int64()), At: time.Duration(-rng.Int64())})
			acks = append(acks, capture.Ack{Off: rng.Int64(), At: time.Duration(rng.Int64())})
		}
		s, err1 := unpackSpans(nil, packSpans(nil, spans), off)
		c, err2 := unpackChunks(nil, packChunks(nil, chunks), off)
		k, err3 := unpackAcks(nil, packAcks(nil, acks))
		if err := errors.Join(err1, err2, err3); err != nil || !reflect.DeepEqual(s, spans) || !reflect.DeepEqual(c, chunks) || !reflect.DeepEqual(k, acks) {
			t.Fatalf("%v: %v %v %v", err, s, c, k)
		}
	}
}

// FuzzUnpack: what is no packed column is an error, and never more memory than it has bytes.
func FuzzUnpack(f *testing.F) {
	f.Add(packSpans(nil, []capture.Span{{Start: 1, End: 2}, {Start: 5, End: 9}}), int64(10))
	f.Add(packHead(&http1.Head{Method: "GET", Fields: []http1.Field{{Name: "a", Value: "b"}}}), int64(3))
	f.Add(packChunks(nil, []capture.Chunk{{}, {Off: 3, At: 7}}), int64(3))
	f.Fuzz(func(t *testing.T, b []byte, length int64) {
		spans, err := unpackSpans(nil, b, length)
		for _, s := range spans {
			if err == nil && (s.Start < 0 || s.End < s.Start || s.End > length) {
				t.Errorf("%v of %d", s, length)
			}
		}
		unpackChunks(nil, b, length)
		unpackAcks(nil, b)
		if h, err := unpackHead(b); err == nil {
			again, err := unpackHead(packHead(h))
			if err != nil || !sameHead(h, again) {
				t.Errorf("%+v instead of %+v", again, h)
			}
		}
	})
}
