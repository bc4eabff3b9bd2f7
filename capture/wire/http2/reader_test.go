package http2

import (
	"strings"
	"testing"
)

// frames is a direction of a server with every kind of frame.
func frames() string {
	w := newBlockWriter()
	head := w.block(":status", "200", "content-type", "text/event-stream", "mcp-session-id", "1868a90c")
	again := w.block(":status", "404", "content-type", "text/event-stream", "mcp-session-id", "1868a90c")
	pushed := w.block(":method", "GET", ":path", "/style.css")
	trailers := w.block("grpc-status", "0")
	return strings.Join([]string{
		frameBytes(frameSettings, 0, 0, "\x00\x03\x00\x00\x00\xfa"),
		frameBytes(frameSettings, flagAck, 0, ""),
		frameBytes(frameWindowUpdate, 0, 0, "\x00\x0f\x00\x01"),
		frameBytes(frameHeaders, flagEndHeaders|flagPadded|flagPriority, 1, "\x03\x00\x00\x00\x00\x10"+head+"\x00\x00\x00"),
		frameBytes(frameData, 0, 1, "data: {\"jsonrpc\":\"2.0\",\"id\":1,"),
		frameBytes(framePing, 0, 0, "12345678"),
		frameBytes(framePing, flagAck, 0, "12345678"),
		frameBytes(frameData, flagPadded, 1, "\x05\"result\":{}}\n\n\x00\x00\x00\x00\x00"),
		frameBytes(frameData, flagPadded, 1, "\x03\x00\x00\x00"), // nothing but padding
		frameBytes(0xbe, 0x55, 7, "an extension"),
		frameBytes(frameHeaders, 0, 3, again[:2]),
		frameBytes(frameContinuation, 0, 3, again[2:3]),
		frameBytes(frameContinuation, 0, 3, ""),
		frameBytes(frameContinuation, flagEndHeaders, 3, again[3:]),
		frameBytes(framePushPromise, flagEndHeaders, 3, "\x80\x00\x00\x02"+pushed),
		frameBytes(frameData, flagEndStream, 3, ""),
		frameBytes(framePriority, 0, 5, "\x00\x00\x00\x03\x10"),
		frameBytes(frameRSTStream, 0, 5, "\x00\x00\x00\x07"),
		frameBytes(frameHeaders, flagEndHeaders|flagEndStream, 1, trailers),
		frameBytes(frameGoAway, 0, 0, "\x80\x00\x00\x05\x00\x00\x00\x0bcalm down"),
		frameBytes(framePriorityUpdate, 0, 0, "\x00\x00\x00\x01u=1"),
		frameBytes(frameData, flagEndStream, 1<<31|7, "the reserved bit is set"),
	}, "")
}

const framesTold = `[-1,15) settings ack=false
[-1,24) settings ack=true
[37,89) headers 1 :status=200;content-type=text/event-stream;mcp-session-id=1868a90c; end=false
[-1,128) data 1 "data: {\"jsonrpc\":\"2.0\",\"id\":1," end=false
[-1,145) ping ack=false
[-1,162) ping ack=true
[-1,191) data 1 "\"result\":{}}\n\n" end=false
[-1,204) data 1 "" end=false
[225,264) headers 3 :status=404;content-type=text/event-stream;mcp-session-id=1868a90c; end=false
[-1,287) push 3 2 :method=GET;:path=/style.css;
[-1,296) data 3 "" end=true
[-1,323) reset 5 REFUSED_STREAM
[323,344) headers 1 grpc-status=0; end=true
[-1,370) goaway 5 ENHANCE_YOUR_CALM
[-1,418) data 7 "the reserved bit is set" end=true
`

func TestReader(t *testing.T) {
	splits(frames(), func(how string, pieces ...string) {
		if got := read(t, false, pieces...).String(); got != framesTold {
			t.Fatalf("%s: got\n%s\nwant\n%s", how, got, framesTold)
		}
	})
}

func TestReaderPreface(t *testing.T) {
	w := newBlockWriter()
	request := frameBytes(frameSettings, 0, 0, "") +
		frameBytes(frameHeaders, flagEndHeaders|flagEndStream, 1, w.block(":method", "GET", ":path", "/mcp"))
	tests := []struct{ name, in, want string }{
		{"there", Preface + request,
			"[-1,33) settings ack=false\n[33,48) headers 1 :method=GET;:path=/mcp; end=true\n"},
		{"missing", request,
			"[-1,9) settings ack=false\n[9,24) headers 1 :method=GET;:path=/mcp; end=true\n"},
		{"other", "PRI * HTTP/3.0\r\n\r\n" + request,
			"[-1,27) settings ack=false\n[27,42) headers 1 :method=GET;:path=/mcp; end=true\nlost [0,18)\n"},
		{"HTTP/1.1", "PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "lost [0,38)\n"},
	}
	for _, tt := range tests {
		splits(tt.in, func(how string, pieces ...string) {
			if got := read(t, true, pieces...).String(); got != tt.want {
				t.Fatalf("%s, %s: got\n%s\nwant\n%s", tt.name, how, got, tt.want)
			}
		})
	}
}

// What a frame may not hold between peers is read as far as it makes sense.
func TestReaderBroken(t *testing.T) {
	status := "\x88" // :status 200
	ping := frameBytes(framePing, 0, 0, "12345678")
	tests := []struct{ name, in, want string }{
		{"more padding than data", frameBytes(frameData, flagPadded, 1, "\x09data") + ping,
			"[-1,14) data 1 \"\" end=false\n[-1,31) ping ack=false\n"},
		{"padded, but empty", frameBytes(frameData, flagPadded, 1, "") + ping,
			"[-1,9) data 1 \"\" end=false\n[-1,26) ping ack=false\n"},
		{"more padding than header block", frameBytes(frameHeaders, flagPadded|flagEndHeaders, 1, "\x09"+status) + ping,
			"[0,11) headers 1  end=false (not whole)\n[-1,28) ping ack=false\n"},
		{"padded header block, but empty", frameBytes(frameHeaders, flagPadded|flagEndHeaders, 1, "") + ping,
			"[0,9) headers 1  end=false (not whole)\n[-1,26) ping ack=false\n"},
		{"priority cut short", frameBytes(frameHeaders, flagPriority|flagEndHeaders, 1, "1234") + ping,
			"[0,13) headers 1  end=false (not whole)\n[-1,30) ping ack=false\n"},
		{"promise cut short", frameBytes(framePushPromise, flagEndHeaders, 1, "123") + ping,
			"[-1,12) push 1 0 \n[-1,29) ping ack=false\n"},
		{"header block not ended", frameBytes(frameHeaders, flagEndStream, 1, status) + ping,
			"[0,10) headers 1 :status=200; end=true (not whole)\n[-1,27) ping ack=false\n"},
		{"continued by another stream", frameBytes(frameHeaders, 0, 1, status) + frameBytes(frameContinuation, flagEndHeaders, 3, status) + ping,
			"[0,10) headers 1 :status=200; end=false (not whole)\n[-1,37) ping ack=false\n"},
		{"continued without a beginning", frameBytes(frameContinuation, flagEndHeaders, 1, status) + ping,
			"[-1,27) ping ack=false\n"},
		{"not a frame", ping + frameBytes(framePing, 0, 0, "123") + ping + ping + ping,
			"[-1,17) ping ack=false\n[-1,46) ping ack=false\n[-1,63) ping ack=false\n[-1,80) ping ack=false\nlost [17,29)\n"},
		{"not HTTP/2", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "lost [0,38)\n"},
	}
	for _, tt := range tests {
		splits(tt.in, func(how string, pieces ...string) {
			if got := read(t, false, pieces...).String(); got != tt.want {
				t.Fatalf("%s, %s: got\n%s\nwant\n%s", tt.name, how, got, tt.want)
			}
		})
	}
}

// A DATA frame larger than any buffer passes through.
func TestReaderLargeFrame(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 1<<20)[:1<<24-1]
	l := read(t, false, frameBytes(frameData, flagEndStream, 1, body), frameBytes(frameRSTStream, 0, 1, "\x00\x00\x00\x08"))
	if l.data[1] != body || len(l.lost) > 0 || len(l.frames) != 2 || l.frames[1].text != "reset 1 CANCEL" {
		t.Errorf("%d bytes of data, %d frames, lost %v", len(l.data[1]), len(l.frames), l.lost)
	}
}

// A header block without end is cut off, and reading goes on.
func TestReaderBlockLimit(t *testing.T) {
	l := newLog(t)
	r := NewReader(l, false)
	w := newBlockWriter()
	r.Write([]byte(frameBytes(frameHeaders, 0, 1, w.block(":status", "200", "x-late", "1"))))
	more := []byte(frameBytes(frameContinuation, 0, 1, strings.Repeat("\x00\x01a\x7f\x81\x7f"+strings.Repeat("b", 0x7f+1+0x7f<<7), 3)))
	for range 100 {
		r.Write(more)
		if len(r.block.buf) > maxBlock {
			t.Fatalf("%d bytes kept", len(r.block.buf))
		}
	}
	r.Write([]byte(frameBytes(frameContinuation, flagEndHeaders, 1, "")))
	r.Write([]byte(frameBytes(frameHeaders, flagEndHeaders, 3, w.block(":status", "200", "x-late", "1"))))
	if len(l.frames) != 2 || l.frames[0].whole || !strings.HasPrefix(l.frames[0].text, "headers 1 :status=200;x-late=1;a=bbb") {
		t.Errorf("got %d frames", len(l.frames))
	}
	// The cut block may have added to the table.
	if f := l.frames[1]; f.whole || f.text != "headers 3 :status=200; end=false" {
		t.Errorf("then got %s", f.text)
	}
	if cap(r.block.buf) > keepBlock {
		t.Error("the large buffer is kept")
	}
}

func TestCodeName(t *testing.T) {
	for code, want := range map[uint32]string{0: "NO_ERROR", 2: "INTERNAL_ERROR", 7: "REFUSED_STREAM", 8: "CANCEL", 13: "HTTP_1_1_REQUIRED", 14: "0xe", 1 << 31: "0x80000000"} {
		if got := CodeName(code); got != want {
			t.Errorf("CodeName(%d) = %q, want %q", code, got, want)
		}
	}
}
