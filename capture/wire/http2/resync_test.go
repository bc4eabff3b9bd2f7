package http2

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// session is a direction like a server's: header blocks that refer to earlier ones, and events in DATA frames, some large.
func session() string {
	w := newBlockWriter()
	var b strings.Builder
	b.WriteString(frameBytes(frameSettings, 0, 0, "\x00\x03\x00\x00\x00\xfa"))
	for i := range 8 {
		id := uint32(2*i + 1)
		b.WriteString(frameBytes(frameHeaders, flagEndHeaders, id,
			w.block(":status", "200", "content-type", "text/event-stream", "mcp-session-id", "1868a90c", "x-request", fmt.Sprint(i))))
		for j := range 3 {
			event := fmt.Sprintf("id: %d\ndata: {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"text\":%q}}\n\n", j, i, strings.Repeat("all work and no play ", i*j))
			b.WriteString(frameBytes(frameData, 0, id, event))
		}
		if i%3 == 0 {
			b.WriteString(frameBytes(frameRSTStream, 0, id, "\x00\x00\x00\x02"))
			b.WriteString(frameBytes(frameWindowUpdate, 0, 0, "\x00\x00\x10\x00"))
			continue
		}
		b.WriteString(frameBytes(frameData, flagEndStream, id, ""))
	}
	return b.String()
}

// checkFrames compares what was told of a direction without its bytes [from, to) with what the whole has: all frames
// outside must be told of, word for word but for header blocks, and none that is not there.
func checkFrames(t *testing.T, what string, full, got *log, from, to int64) {
	t.Helper()
	told := map[int64]logged{}
	for _, f := range got.frames {
		told[f.end] = f
	}
	ends := map[int64]bool{}
	for i, f := range full.frames {
		ends[f.end] = true
		start := int64(0) // or later, if frames that are not told of stand between
		if i > 0 {
			start = full.frames[i-1].end
		}
		if start < to && f.end > from {
			continue
		}
		g, ok := told[f.end]
		if !ok || g.text != f.text && !strings.HasPrefix(f.text, "headers") {
			t.Fatalf("%s: [%d,%d) %s is told as %q", what, start, f.end, f.text, g.text)
		}
		if strings.HasPrefix(f.text, "headers") && g.whole && g.text != f.text {
			t.Fatalf("%s: %s is told as %s", what, f.text, g.text)
		}
	}
	for _, g := range got.frames {
		if !strings.HasPrefix(g.text, "data") && !strings.HasPrefix(g.text, "headers") {
			continue
		}
		// The block of a HEADERS frame with a hole over its end is told where the hole begins.
		if !ends[g.end] && !(strings.HasPrefix(g.text, "headers") && g.end == from && !g.whole) {
			t.Fatalf("%s: no frame ends at %d: %s", what, g.end, g.text)
		}
	}
}

// A Reader that starts anywhere finds every frame from there on.
func TestResyncEverywhere(t *testing.T) {
	s := session()
	full := read(t, false, s)
	for at := range len(s) {
		rest := s[at:]
		for _, pieces := range [][]string{{rest}, packets(rest, 100), strings.Split(rest, "")} {
			l := newLog(t)
			l.next = int64(at)
			r := NewReader(l, false)
			r.off = int64(at) // so that offsets agree
			r.Resync()
			for _, p := range pieces {
				r.Write([]byte(p))
			}
			checkFrames(t, fmt.Sprintf("from %d, %d pieces", at, len(pieces)), full, l, 0, int64(at))
		}
	}
}

// A hole costs the frames it touches, and no other.
func TestMissingEverywhere(t *testing.T) {
	s := session()
	full := read(t, false, s)
	for _, n := range []int{1, 9, 300} {
		for at := 0; at+n <= len(s); at += 1 + n/50 {
			for _, size := range []int{len(s), 10 - n%10} {
				l := newLog(t)
				r := NewReader(l, false)
				for _, p := range packets(s[:at], size) {
					r.Write([]byte(p))
				}
				r.Missing(int64(n))
				for _, p := range packets(s[at+n:], size) {
					r.Write([]byte(p))
				}
				r.Close()
				checkFrames(t, fmt.Sprintf("without [%d,%d), pieces of %d", at, at+n, size), full, l, int64(at), int64(at+n))
			}
		}
	}
}

func packets(s string, n int) (p []string) {
	for len(s) > n {
		p = append(p, s[:n])
		s = s[n:]
	}
	return append(p, s)
}

func TestMissing(t *testing.T) {
	w := newBlockWriter()
	head := w.block(":status", "200", "x-a", "1")
	headers := frameBytes(frameHeaders, flagEndHeaders, 1, head)
	again := frameBytes(frameHeaders, flagEndHeaders, 3, w.block(":status", "200", "x-a", "1"))
	data := frameBytes(frameData, flagEndStream, 1, "0123456789")
	padded := frameBytes(frameData, flagPadded, 1, "\x030123456789\x00\x00\x00")
	ping := frameBytes(framePing, 0, 0, "12345678")
	reset := frameBytes(frameRSTStream, 0, 1, "\x00\x00\x00\x08")
	tests := []struct {
		name     string
		in       string
		from, to int // not seen
		want     string
	}{
		{"in data", data + ping, 12, 15, "[-1,19) data 1 \"012???6789\" end=true (not whole)\n[-1,36) ping ack=false\n"},
		{"to the end of data", data + ping, 12, 19, "[-1,19) data 1 \"012???????\" end=true (not whole)\n[-1,36) ping ack=false\n"},
		{"over the end of data", data + data, 12, 38, "[-1,19) data 1 \"012???????\" end=true (not whole)\nlost [19,38)\n"},
		{"in padded data", padded + ping, 13, 15, "[-1,23) data 1 \"012??56789\" end=false (not whole)\n[-1,40) ping ack=false\n"},
		{"in padding", padded + ping, 21, 22, "[-1,23) data 1 \"0123456789\" end=false\n[-1,40) ping ack=false\n"},
		{"from data into padding", padded + ping, 18, 22, "[-1,23) data 1 \"01234567??\" end=false (not whole)\n[-1,40) ping ack=false\n"},
		{"the length of padding", padded + ping, 9, 10, "[-1,23) data 1 \"?????????????\" end=false (not whole)\n[-1,40) ping ack=false\n"},
		{"in a header block", headers + again, 11, 12, "[0,17) headers 1 :status=200; end=false (not whole)\n[17,28) headers 3 :status=200; end=false (not whole)\n"},
		{"over the end of a header block", headers + ping + again, 11, 17 + 17, "[0,17) headers 1 :status=200; end=false (not whole)\n[34,45) headers 3 :status=200; end=false (not whole)\nlost [17,34)\n"},
		{"in a ping", ping + again, 12, 14, "[-1,17) ping ack=false\n[17,28) headers 3 :status=200; end=false (not whole)\n"},
		{"in a reset", reset + ping, 10, 11, "[-1,30) ping ack=false\nlost [10,11)\n"},
		{"in a frame header", ping + data + ping, 20, 22, "[-1,17) ping ack=false\n[-1,53) ping ack=false\nlost [17,36)\n"},
		{"whole frames", ping + ping + ping, 17, 34, "[-1,17) ping ack=false\n[-1,51) ping ack=false\nlost [17,34)\n"},
		{"the beginning", ping + ping, 0, 17, "[-1,34) ping ack=false\nlost [0,17)\n"},
	}
	for _, tt := range tests {
		splits(tt.in[tt.to:], func(how string, pieces ...string) {
			l := newLog(t)
			r := NewReader(l, false)
			r.Write([]byte(tt.in[:tt.from]))
			r.Missing(int64(tt.to - tt.from))
			for _, p := range pieces {
				r.Write([]byte(p))
			}
			r.Close()
			if got := l.String(); got != tt.want {
				t.Fatalf("%s, %s: got\n%s\nwant\n%s", tt.name, how, got, tt.want)
			}
		})
	}
}

// A hole while a border is looked for ends the window; everything is told once.
func TestMissingWhileScanning(t *testing.T) {
	l := newLog(t)
	r := NewReader(l, true)
	r.Resync()
	r.Write([]byte("in the middle of something"))
	r.Missing(10)
	r.Missing(1 << 40)
	r.Write([]byte("and of something else"))
	r.Write([]byte(frameBytes(framePing, 0, 0, "12345678")))
	if got, want := l.String(), "[-1,1099511627850) ping ack=false\nlost [0,1099511627833)\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Text, zeros and noise are given up within bounds of memory and time.
func TestScanBounds(t *testing.T) {
	noise := make([]byte, 1<<18)
	x := uint32(1)
	for i := range noise {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		noise[i] = byte(x)
	}
	alternating := strings.Repeat(strings.Repeat(frameBytes(framePing, 0, 0, "12345678"), 3)+frameBytes(framePing, 0, 0, "123"), 1<<12)
	inputs := map[string]string{
		"text":             strings.Repeat("data: {\"jsonrpc\":\"2.0\"}\n\n", 1<<13),
		"zeros":            strings.Repeat("\x00", 1<<18),
		"noise":            string(noise),
		"frames and not":   alternating,
		"half-open frames": strings.Repeat("\x00\xff\x00\x00\x01\x00\x00\x00\x01", 1<<15),
	}
	for name, in := range inputs {
		for _, size := range []int{len(in), 1460, 1} {
			start := time.Now()
			l := newLog(t)
			r := NewReader(l, false)
			r.Resync()
			for _, p := range packets(in, size) {
				r.Write([]byte(p))
				if len(r.scan.window) > maxWindow+size {
					t.Fatalf("%s: %d bytes kept", name, len(r.scan.window))
				}
			}
			r.Close()
			t.Logf("%s in pieces of %d: %v, %d frames", name, size, time.Since(start), len(l.frames))
			if l.next == 0 {
				t.Errorf("%s: nothing told", name)
			}
		}
	}
}
