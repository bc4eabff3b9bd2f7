package capture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"
)

// taken returns how many blocks of temporary files are in use, and how many files there are. What other tests have left
// to the collector counts until then.
func taken() (blocks, files int) {
	spills.mu.Lock()
	defer spills.mu.Unlock()
	for _, f := range spills.files {
		blocks += f.taken
	}
	return blocks, len(spills.files)
}

// TestOpenMessagesLimit: what all open messages together hold in memory is bounded. Nothing is lost beyond it: the message
// that grows goes to a file.
func TestOpenMessagesLimit(t *testing.T) {
	const conns, each = 20, 1<<10 + 32<<10 // buffers of a request and of a response
	response := jsonResponse(someResult + strings.Repeat(" ", 20000))
	for over := range 2 {
		var exs []*Exchange
		a := &Assembly{Sink: func(ex *Exchange) { exs = append(exs, ex) }}
		a.purse.most = conns*each - int64(over)
		s := Stamp{1e9, 1e9, 1}
		var open []Duplex
		for range conns {
			d := a.Connection(&Conn{Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")})
			d.Data(Client, []byte(getRequest), s)
			d.Data(Server, []byte(response), s)
			if a.purse.held > a.purse.most {
				t.Fatalf("%d over: %d bytes held of %d", over, a.purse.held, a.purse.most)
			}
			open = append(open, d)
		}
		for _, d := range open {
			d.Close(s)
		}
		spilled := 0
		for _, ex := range exs {
			if ex.Response.Wire.file != nil {
				spilled++
			}
			if r := Read(ex); len(r.Messages) != 1 || r.Messages[0].Level != LevelDispatched || r.Holed {
				t.Errorf("%d over: %+v", over, r)
			}
			ex.Release()
		}
		if len(exs) != conns || spilled != over || a.Cuts() != 0 || a.purse.held != 0 {
			t.Errorf("%d over: %d exchanges, %d in files, %d cuts, %d bytes held at the end", over, len(exs), spilled, a.Cuts(), a.purse.held)
		}
	}
}

// TestDefaultOfOpenMessages: nobody has to ask for the bound.
func TestDefaultOfOpenMessages(t *testing.T) {
	for over := range 2 {
		spilled := false
		a := &Assembly{Sink: func(ex *Exchange) {
			spilled = ex.Request.Wire.file != nil
			ex.Release()
		}}
		a.purse.held = openBytes - 1<<10 + int64(over)
		tell(a, []talk{{Client, getRequest}}, 1000, nil)
		if spilled != (over == 1) {
			t.Errorf("%d over: in a file: %v", over, spilled)
		}
	}
}

// TestAllInFiles: what is told of a connection is the same where no byte stays in memory, and the count comes out even.
func TestAllInFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	h2 := newH2Talk()
	h2.request(1)
	h2.headers(Server, 1, false, ":status", "200", "content-type", "text/event-stream")
	h2.fr.WriteData(1, false, []byte(answer+"\n"))
	h2.say(Server)
	for i := range 200 {
		parts := h2.parts
		if i%4 > 0 {
			parts = nil
			for range 1 + rng.IntN(4) {
				parts = append(parts, talk{Client, getRequest}, talk{Server, "HTTP/1.1 103 Early Hints\r\n\r\n"}, talk{Server, sseResponse})
			}
			parts = append(parts, talk{Client, "POST /x\x00\r\n\r\n"}, talk{Server, "stray"})[:len(parts)+rng.IntN(3)]
		}
		n := 1 + rng.IntN(90)
		play := func(most int64) (exs []*Exchange) {
			a := &Assembly{Sink: func(ex *Exchange) { exs = append(exs, ex) }}
			a.purse.most = most
			tell(a, parts, n, nil)
			if a.purse.held != 0 {
				t.Errorf("%d bytes held at the end", a.purse.held)
			}
			return exs
		}
		memory, files := play(0), play(1)
		if a, b := describe(memory), describe(files); a != b {
			t.Fatalf("in memory:\n%s\nin files:\n%s", a, b)
		}
		for i, ex := range files {
			if w := &ex.Request.Wire; w.file == nil || !bytes.Equal(w.Bytes(0, w.Len()), memory[i].Request.Wire.Bytes(0, w.Len())) {
				t.Error("a request is not what it was")
			}
			ex.Release()
		}
	}
}

// TestSharedFiles: messages that grow in turn share a file, each keeps its bytes, also where it goes on in a second file,
// and all give their places back.
func TestSharedFiles(t *testing.T) {
	held, err := spills.take(nil, fileBlocks-100)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := taken()
	rng := rand.New(rand.NewPCG(5, 6))
	p := &purse{most: 1}
	blobs, want := make([]Blob, 50), make([][]byte, 50)
	for range 2000 {
		i := rng.IntN(len(blobs))
		piece := bytes.Repeat([]byte{byte(rng.Uint32())}, 1+rng.IntN(5000))
		blobs[i].purse = p
		blobs[i].Append(piece)
		want[i] = append(want[i], piece...)
	}
	if _, files := taken(); files != 2 {
		t.Errorf("%d files", files)
	}
	for i := range blobs {
		b := &blobs[i]
		half := b.Prefix(b.Len() / 2)
		if !bytes.Equal(b.Bytes(0, b.Len()), want[i]) || !bytes.Equal(half.Bytes(0, half.Len()), want[i][:half.Len()]) || len(b.mem) > 0 {
			t.Fatalf("message %d is not what was appended", i)
		}
		b.Release()
	}
	if n, _ := taken(); n > before || p.held != 0 {
		t.Errorf("%d blocks taken, %d before; %d bytes held", n, before, p.held)
	}
	spills.give(held, false)
}

// TestForgottenMessage: a message that nobody released gives its place back once it is collected.
func TestForgottenMessage(t *testing.T) {
	before, _ := taken()
	func() {
		b := Blob{purse: &purse{most: 1}}
		b.Append([]byte(fmt.Sprint("some", "thing")))
	}()
	for range 100 {
		runtime.GC()
		if n, _ := taken(); n <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("its place is still taken")
}

// TestLargeMessagesUnderPressure: where many messages are large, none keeps a buffer of the largest size.
func TestLargeMessagesUnderPressure(t *testing.T) {
	p := &purse{most: 4 << 20}
	blobs := make([]Blob, 100)
	piece := make([]byte, 1400)
	for range spillAt/len(piece) + 2 {
		for i := range blobs {
			blobs[i].purse = p
			blobs[i].Append(piece)
		}
	}
	if p.held > p.most {
		t.Errorf("%d bytes held of %d", p.held, p.most)
	}
	for i := range blobs {
		blobs[i].Release()
	}
	if p.held != 0 {
		t.Errorf("%d bytes held at the end", p.held)
	}
}
