package redact

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/capture/wire/coding"
)

// codedEvents returns events with a content coding, a piece for each, and what ends the stream.
func codedEvents(t *testing.T, encoding string, events ...string) (pieces []string, end string) {
	t.Helper()
	enc, err := coding.NewEncoder(encoding, 0x78)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		pieces = append(pieces, string(enc.Write([]byte(e))))
	}
	return pieces, string(enc.Close())
}

// told is what a reader makes of a response: when what came, and where.
type told struct {
	Marks    []capture.EventMark
	Answers  []string
	Decoded  int64
	Wire     bool
	Tail     int64
	Complete bool
}

func tell(ex *capture.Exchange) told {
	r := capture.Read(ex)
	for i := range r.Marks {
		r.Marks[i].ID = ""
	}
	x := told{Marks: r.Marks, Decoded: r.Decoded, Wire: r.Wire > 0, Tail: r.Tail, Complete: ex.Response.Complete}
	for _, m := range r.Messages {
		x.Answers = append(x.Answers, fmt.Sprint(m.ID, m.Level, m.End, m.At, m.AckedAt))
	}
	return x
}

// TestCoded: a compressed body keeps what it says, when and in which framing, and loses its secrets.
func TestCoded(t *testing.T) {
	events := []string{": s3cr3t-comment\n\n", capturetest.Event(capturetest.Note("notifications/progress", `{"progressToken":1,"progress":1,"message":"s3cr3t-progress"}`)),
		"id: s3cr3t-id\n" + capturetest.Event(capturetest.Text("1", "s3cr3t-result"))}
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd", "br, gzip"} {
		pieces, end := codedEvents(t, encoding, events...)
		body := strings.Join(pieces, "") + end
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: " + encoding + "\r\n"
		chunked := func(pieces ...string) []string {
			out := []string{head + "Transfer-Encoding: chunked\r\n\r\n"}
			for _, p := range pieces {
				out = append(out, capturetest.Chunk(p))
			}
			return out
		}
		for name, answer := range map[string][]string{
			"in chunks":             append(chunked(pieces...), capturetest.Chunk(end)+capturetest.LastChunk),
			"with a trailer":        append(chunked(pieces...), capturetest.Chunk(end)+"0\r\nX-End: s3cr3t-end\r\n\r\n"),
			"in chunks of 7":        append(chunked(inSevens(body)...), capturetest.LastChunk),
			"cut behind the answer": chunked(pieces...),
			"cut in the answer":     append(chunked(pieces[:2]...), fmt.Sprintf("%x\r\n%s", len(pieces[2]), pieces[2][:len(pieces[2])-4])),
			"with a length":         {head + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)), pieces[0], pieces[1], pieces[2] + end},
			"too long announced":    {head + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)+100), body},
			"until the end":         {head + "\r\n", pieces[0] + pieces[1], pieces[2], end},
		} {
			t.Run(encoding+" "+name, func(t *testing.T) {
				k := capturetest.NewTalk(40001).Ask(capturetest.Post("/mcp", capturetest.Call("1", "tools/call", `{"name":"pay"}`)))
				for _, part := range answer {
					k.Answer(part).Wait(10 * time.Millisecond)
				}
				exs := capturetest.Exchanges(k.End(capture.Server, capture.FIN))
				ex := exs[len(exs)-1]
				before := tell(ex)
				r := New()
				if err := r.Exchange(ex); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(before, tell(ex)); diff != "" {
					t.Errorf("before -, after +:\n%s", diff)
				}
				if r.Recoded != 1 || ex.Response.Head.Get("Content-Encoding") != encoding {
					t.Errorf("%d bodies, coding %q", r.Recoded, ex.Response.Head.Get("Content-Encoding"))
				}
				m := &ex.Response
				all := m.Wire.Bytes(0, m.Wire.Len())
				m.Pieces(func(p *capture.Piece) bool { all = append(all, p.Data...); return true })
				if i := bytes.Index(all, []byte("s3cr3t")); i >= 0 {
					t.Errorf("a secret is left: %q", all[i:min(i+20, len(all))])
				}
				if again := capturetest.Exchanges(capturetest.NewTalk(1).Ask(capturetest.Get("/")).Answer(string(m.Wire.Bytes(0, m.Wire.Len()))).End(capture.Server, capture.FIN)); again[0].Response.Complete != m.Complete {
					t.Errorf("what is written is complete: %v, it was %v", again[0].Response.Complete, m.Complete)
				}
			})
		}
	}
}

// inSevens cuts s into pieces of seven bytes.
func inSevens(s string) (out []string) {
	for len(s) > 7 {
		out, s = append(out, s[:7]), s[7:]
	}
	return append(out, s)
}

// TestCodedUnreadable: what cannot be decoded is not passed on.
func TestCodedUnreadable(t *testing.T) {
	for _, encoding := range []string{"compress", "gzip"} {
		body := "s3cr3t, and no gzip"
		exs := capturetest.Exchanges(capturetest.NewTalk(40001).Ask(capturetest.Post("/mcp", capturetest.Call("1", "tools/call", `{"name":"pay"}`))).
			Answer(capturetest.JSON(body, "Content-Encoding: "+encoding)))
		if err := New().Exchange(exs[0]); !errors.Is(err, ErrCoded) {
			t.Errorf("%s: %v", encoding, err)
		}
	}
}
