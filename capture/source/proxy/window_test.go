package proxy

import (
	"bytes"
	"strings"
	"testing"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
)

// TestWindow reads through windows that hold back much, little and nothing: what is read is what was sent, and memory is
// large only while much comes.
func TestWindow(t *testing.T) {
	w := newWindow()
	defer w.release()
	read := func(text string, drop int, large bool) {
		t.Helper()
		old := string(w.bytes())
		n, err := w.read(strings.NewReader(text))
		if err != nil || string(w.bytes()) != old+text[:n] {
			t.Fatalf("%d bytes, %v; they are not what was sent", n, err)
		}
		rest := string(w.bytes()[drop:])
		if w.drop(drop); string(w.bytes()) != rest {
			t.Fatalf("%d bytes stay, want %d", len(w.bytes()), len(rest))
		}
		if (w.large != nil) != large {
			t.Errorf("after %d bytes of which %d stay: large is %v", n, len(rest), !large)
		}
	}
	much := strings.Repeat("0123456789abcdef", 100<<10/16)
	read("a line", 2, false)
	read("another", 11, false)
	read(much, windowSmall-7, true)
	read(much, 7+100<<10, true)
	read("little", 6, false)
	read(much, windowSmall, true)
	read("little", 3, false)
	read("more", 7, false)
}

// TestWindowLeavesWhatIsHeld fills a window's memory anew while a feed holds on to what was in it.
func TestWindowLeavesWhatIsHeld(t *testing.T) {
	f := feed.New(0)
	tap := f.Connect(&capture.Conn{})
	w := newWindow()
	var sent []byte
	for i := range byte(20) {
		piece := bytes.Repeat([]byte{i}, feed.BufferSize)
		n, _ := w.read(bytes.NewReader(piece))
		tap.Keep(capture.Server, w.bytes()[len(w.bytes())-n:], w.large, capture.Stamp{})
		sent = append(sent, piece[:n]...)
		w.drop(len(w.bytes()) - int(i)) // some bytes stay
	}
	w.release()
	tap.Close(capture.Stamp{})
	f.Close()
	got := &told{}
	f.Run(got, 1, nil)
	if !bytes.Equal(got.bytes, sent) {
		t.Error("the feed does not tell what was read")
	}
}

// told is a recorder of one direction's bytes.
type told struct {
	capture.Duplex
	bytes []byte
}

func (d *told) Connection(*capture.Conn) capture.Duplex        { return d }
func (d *told) ConnectFailure(capture.ConnectFailure)          {}
func (d *told) Secrets([]byte)                                 {}
func (d *told) Data(_ capture.Side, p []byte, _ capture.Stamp) { d.bytes = append(d.bytes, p...) }
func (d *told) Close(capture.Stamp)                            {}
