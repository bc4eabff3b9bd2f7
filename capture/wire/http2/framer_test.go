package http2

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// framerLog is what x/net's Framer and HPACK decoder make of a direction, up to the first thing they refuse.
func framerLog(t testing.TB, in []byte) *log {
	l := newLog(t)
	src := bytes.NewReader(in)
	framer := xhttp2.NewFramer(io.Discard, src)
	framer.SetMaxReadFrameSize(1<<24 - 1)
	decoder := hpack.NewDecoder(defaultTable, nil)
	decoder.SetAllowedMaxDynamicTableSize(maxTable)
	var block []byte
	var first xhttp2.Frame
	var begin int64
	for {
		start := int64(len(in) - src.Len())
		f, err := framer.ReadFrame()
		if err != nil {
			return l
		}
		end := int64(len(in) - src.Len())
		ended := false
		switch f := f.(type) {
		case *xhttp2.DataFrame:
			if len(f.Data()) > 0 {
				off := start + headLen
				if f.Flags.Has(xhttp2.FlagDataPadded) {
					off++
				}
				l.Data(f.StreamID, f.Data(), start, end, off)
			}
			l.DataEnd(f.StreamID, f.StreamEnded(), end)
		case *xhttp2.HeadersFrame:
			head := *f // the Framer uses its own again
			first, begin, block, ended = &head, start, append([]byte(nil), f.HeaderBlockFragment()...), f.HeadersEnded()
		case *xhttp2.PushPromiseFrame:
			if !f.HeadersEnded() {
				return l // the Framer minds neither what follows nor its own order here
			}
			first, block, ended = f, f.HeaderBlockFragment(), true
		case *xhttp2.ContinuationFrame:
			block, ended = append(block, f.HeaderBlockFragment()...), f.HeadersEnded()
		case *xhttp2.RSTStreamFrame:
			l.Reset(f.StreamID, uint32(f.ErrCode), end)
		case *xhttp2.GoAwayFrame:
			l.GoAway(f.LastStreamID, uint32(f.ErrCode), end)
		case *xhttp2.SettingsFrame:
			l.Settings(end, f.IsAck())
		case *xhttp2.PingFrame:
			l.Ping(f.IsAck(), end)
		}
		if !ended {
			continue
		}
		decoded, err := decoder.DecodeFull(block)
		if err != nil {
			return l
		}
		var fields []Field
		for _, h := range decoded {
			fields = append(fields, Field{h.Name, h.Value})
		}
		switch f := first.(type) {
		case *xhttp2.HeadersFrame:
			l.Headers(f.StreamID, fields, f.StreamEnded(), begin, end, true)
		case *xhttp2.PushPromiseFrame:
			l.PushPromise(f.StreamID, f.PromiseID, fields, end)
		}
	}
}

func compareFramer(t testing.TB, in []byte) {
	want := framerLog(t, in)
	l := newLog(t)
	r := NewReader(l, false)
	r.Write(in)
	if len(l.frames) < len(want.frames) {
		t.Fatalf("%d events, the Framer has %d\n%s", len(l.frames), len(want.frames), l)
	}
	for i, f := range want.frames {
		if l.frames[i] != f {
			t.Fatalf("event %d is %v, the Framer has %v", i, l.frames[i], f)
		}
	}
}

// framed is a direction written by the Framer.
func framed(t testing.TB) []byte {
	var buf bytes.Buffer
	w := newBlockWriter()
	f := xhttp2.NewFramer(&buf, nil)
	wide := w.block(":status", "200", "x-wide", strings.Repeat("wide ", 10000))
	status := w.block(":status", "204", "x-wide", "narrow")
	err := errors.Join(
		f.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingHeaderTableSize, Val: 65536}),
		f.WriteSettingsAck(),
		f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte(wide[:16000]), PadLength: 200,
			Priority: xhttp2.PriorityParam{StreamDep: 3, Weight: 9}}),
		f.WriteContinuation(1, false, []byte(wide[16000:16001])),
		f.WriteContinuation(1, false, nil),
		f.WriteContinuation(1, true, []byte(wide[16001:])),
		f.WriteDataPadded(1, false, []byte("data: {}\n\n"), make([]byte, 255)),
		f.WriteDataPadded(1, false, nil, make([]byte, 7)),
		f.WriteData(1, true, []byte(strings.Repeat("x", 100000))),
		f.WritePushPromise(xhttp2.PushPromiseParam{StreamID: 3, PromiseID: 2, BlockFragment: []byte(status), EndHeaders: true, PadLength: 3}),
		f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 3, BlockFragment: []byte(w.block(":status", "204", "x-wide", "narrow")), EndHeaders: true, EndStream: true}),
		f.WritePriority(5, xhttp2.PriorityParam{StreamDep: 3}),
		f.WriteWindowUpdate(0, 1000),
		f.WritePing(true, [8]byte{1}),
		f.WriteRawFrame(0xfa, 0xff, 1, []byte("extension")),
		f.WriteRSTStream(5, xhttp2.ErrCodeEnhanceYourCalm),
		f.WriteGoAway(3, xhttp2.ErrCodeNo, []byte("bye")),
	)
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestFramer(t *testing.T) {
	in := framed(t)
	compareFramer(t, in)
	compareFramer(t, []byte(frames()))
	want := framerLog(t, in).String()
	if strings.Count(want, "\n") != 11 {
		t.Errorf("the Framer tells\n%s", want)
	}
	splits(string(in), func(how string, pieces ...string) {
		if got := read(t, false, pieces...).String(); got != want {
			t.Fatalf("%s: got\n%s\nwant\n%s", how, got, want)
		}
	})
	for code := range uint32(20) {
		if name := xhttp2.ErrCode(code).String(); !strings.HasPrefix(name, "unknown") && CodeName(code) != name {
			t.Errorf("CodeName(%d) = %s, x/net has %s", code, CodeName(code), name)
		}
	}
}

func TestFramerLoopback(t *testing.T) {
	client, server := conversation(t)
	compareFramer(t, []byte(strings.TrimPrefix(strings.Join(client, ""), Preface)))
	compareFramer(t, []byte(strings.Join(server, "")))
}

// FuzzFramer compares with x/net's Framer: what it reads of the input is read alike.
func FuzzFramer(f *testing.F) {
	f.Add([]byte(frames()))
	f.Add([]byte(session()))
	f.Add(framed(f))
	f.Fuzz(func(t *testing.T, in []byte) { compareFramer(t, in) })
}
