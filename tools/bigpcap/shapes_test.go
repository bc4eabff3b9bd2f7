package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptrace/analyze"
	"mcptrace/analyze/report"
	"mcptrace/capture"
	"mcptrace/capture/capturetest/bigpcap"
	"mcptrace/capture/source/pcap"
)

// TestShapes: the analyzer finds in each shape exactly what was put in.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		shape                              string
		n                                  int64
		exchanges, delivered, open, client int
		connections                        int
		bytes                              int64 // of bodies, at least
	}{
		{"one", 300, 300, 300, 0, 1, 1, 300 * 300},
		{"short", 300, 300, 300, 0, 300, 300, 300 * 300},
		{"open", 300, 300, 0, 300, 300, 300, 0},
		{"large", 3e6, 1, 1, 0, 1, 1, 3e6},
		{"large", 1, 1, 1, 0, 1, 1, 1},
	} {
		file, truth := generate(t, c.shape, c.n)
		if truth.Bytes != int64(len(file)) {
			t.Errorf("%s: %d bytes written, the truth says %d", c.shape, len(file), truth.Bytes)
		}
		r := read(t, file)
		if diff := cmp.Diff(truth.Totals, r.Totals); diff != "" {
			t.Errorf("%s: truth -, found +:\n%s", c.shape, diff)
		}
		open, bodies := 0, int64(0)
		for i := range r.Exchanges {
			if x := &r.Exchanges[i]; x.End.Kind == "open" && x.HTTP.Type == "text/event-stream" {
				open++
			}
			bodies += r.Exchanges[i].Body.Bytes
		}
		switch n := &r.Totals; {
		case n.Exchanges != c.exchanges || n.Calls != c.exchanges || n.Delivered != c.delivered || n.Unknown != c.exchanges-c.delivered:
			t.Errorf("%s: %+v", c.shape, *n)
		case open != c.open || len(r.Sessions) != c.client || truth.Sessions != c.client || r.connections != c.connections:
			t.Errorf("%s: %d open streams, %d sessions, %d connections", c.shape, open, len(r.Sessions), r.connections)
		case bodies < c.bytes || bodies > c.bytes+c.bytes/10+300:
			t.Errorf("%s: %d bytes in bodies", c.shape, bodies)
		case len(r.Findings) > 0:
			t.Errorf("%s: found %s", c.shape, r.Findings[0])
		}
	}
}

// TestShapeErrors: what is no shape is said, and an error of the writer comes back.
func TestShapeErrors(t *testing.T) {
	if _, err := newShape("round", 1); err == nil {
		t.Error("there is a round shape")
	}
	if _, err := newShape("one", 0); err == nil {
		t.Error("there is a shape of nothing")
	}
	want := errors.New("full")
	for shape := range shapes {
		write, err := newShape(shape, 5e6)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := write(failing{want}); !errors.Is(err, want) {
			t.Errorf("%s: got %v", shape, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func generate(t *testing.T, shape string, n int64) ([]byte, bigpcap.Truth) {
	t.Helper()
	write, err := newShape(shape, n)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	truth, err := write(&b)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), truth
}

// told is what the JSON report says.
type told struct {
	Totals    bigpcap.Totals
	Sessions  []json.RawMessage
	Findings  []json.RawMessage
	Exchanges []struct {
		HTTP struct {
			Type string `json:"content_type"`
		}
		End  struct{ Kind string }
		Body struct {
			Bytes int64 `json:"decoded_bytes"`
		}
	}

	connections int
}

// read analyzes a capture.
func read(t *testing.T, file []byte) *told {
	t.Helper()
	a := analyze.New(analyze.Options{})
	rec := &capture.Recognizer{Out: func(ex *capture.Exchange, rd *capture.Reading) {
		a.Add(ex, rd)
		ex.Release()
	}}
	asm := &capture.Assembly{Sink: rec.Add}
	qs, err := pcap.Read(context.Background(), []pcap.Input{{Path: "shape", R: bytes.NewReader(file)}}, asm, pcap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Close()
	a.Report([]analyze.Input{{Path: "shape", Kind: "pcap", Quality: qs[0]}}, asm.Conns())
	format, err := report.Find("json")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := format.Write(&text, a, report.Options{}); err != nil {
		t.Fatal(err)
	}
	r := &told{connections: len(asm.Conns())}
	if err := json.Unmarshal(text.Bytes(), r); err != nil {
		t.Fatal(err)
	}
	return r
}
