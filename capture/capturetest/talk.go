package capturetest

import (
	"net/netip"
	"time"

	"mcptrace/capture"
)

// Epoch is when a Talk starts unless its Start says otherwise.
var Epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// The times that packets take. They are small and fixed, so that a test can count on them.
const (
	RTT      = 100 * time.Microsecond // of the handshake: half of it to each side
	AckDelay = 20 * time.Microsecond  // from a segment to its acknowledgement
	MSS      = 1448                   // payload bytes of a segment
)

// Talk is what passes on one TCP connection: the handshake, then what its methods say, in that order.
type Talk struct {
	// Client and Server are IPv4 addresses.
	Client, Server netip.AddrPort
	// Start is the time of the first packet.
	Start time.Time
	// Silent is the side whose acknowledgements were not captured, by index; they are left out.
	Silent [2]bool

	steps []step
}

// step is one thing that happens, after a wait.
type step struct {
	wait time.Duration
	from capture.Side
	how  capture.How // of an ending; NoEnd: data
	data string
}

// NewTalk returns a Talk from 192.0.2.10:port to 198.51.100.20:8080 that starts at Epoch.
func NewTalk(port uint16) *Talk {
	return &Talk{
		Client: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 10}), port),
		Server: netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 20}), 8080),
		Start:  Epoch,
	}
}

// Wait lets time pass before the next step. It returns k, as all steps do.
func (k *Talk) Wait(d time.Duration) *Talk {
	k.steps = append(k.steps, step{wait: d})
	return k
}

// Send lets a side send data, at once and in one go; segments of it are acknowledged.
func (k *Talk) Send(from capture.Side, data ...string) *Talk {
	for _, d := range data {
		k.steps = append(k.steps, step{from: from, data: d})
	}
	return k
}

// Ask lets the client send data, and Answer the server.
func (k *Talk) Ask(data ...string) *Talk { return k.Send(capture.Client, data...) }

// Answer lets the server send data.
func (k *Talk) Answer(data ...string) *Talk { return k.Send(capture.Server, data...) }

// End lets a side close: capture.FIN, which the other side acknowledges, or capture.RST.
func (k *Talk) End(by capture.Side, how capture.How) *Talk {
	k.steps = append(k.steps, step{from: by, how: how})
	return k
}

// passed is a segment and when it passed.
type passed struct {
	seg  Segment
	at   capture.Instant
	from capture.Side
}

// wire turns the steps into segments.
type wire struct {
	k    *Talk
	now  capture.Instant
	next [2]uint32 // sequence number of each side's next byte
	id   [2]uint16
	out  []passed
}

// packets returns the segments in the order in which they pass.
func (k *Talk) packets() []passed {
	w := &wire{k: k, now: capture.Instant(k.Start.UnixNano()), next: [2]uint32{1000 * uint32(k.Client.Port()), 7_000_000}}
	w.open()
	for _, s := range k.steps {
		w.now += capture.Instant(s.wait)
		switch {
		case s.how == capture.RST:
			w.put(s.from, RST|ACK, "")
		case s.how != capture.NoEnd:
			w.put(s.from, FIN|ACK, "")
			w.next[s.from]++
			w.ack(s.from.Peer())
		case s.data != "":
			w.send(s.from, s.data)
		}
	}
	return w.out
}

func (w *wire) open() {
	w.put(capture.Client, SYN, "")
	w.next[capture.Client]++
	w.now += capture.Instant(RTT / 2)
	w.put(capture.Server, SYN|ACK, "")
	w.next[capture.Server]++
	w.now += capture.Instant(RTT / 2)
	w.put(capture.Client, ACK, "")
}

func (w *wire) send(from capture.Side, data string) {
	for data != "" {
		n := min(MSS, len(data))
		w.put(from, ACK|PSH, data[:n])
		w.next[from] += uint32(n)
		data = data[n:]
		w.ack(from.Peer())
	}
}

// ack lets a side acknowledge all it has had.
func (w *wire) ack(by capture.Side) {
	w.now += capture.Instant(AckDelay)
	if !w.k.Silent[by] {
		w.put(by, ACK, "")
	}
}

func (w *wire) put(from capture.Side, flags Flag, data string) {
	s := Segment{Src: w.k.Client, Dst: w.k.Server, Seq: w.next[from], Flags: flags, Payload: []byte(data)}
	if from == capture.Server {
		s.Src, s.Dst = s.Dst, s.Src
	}
	if flags&ACK != 0 {
		s.Ack = w.next[from.Peer()]
	}
	w.id[from]++
	s.ID = w.id[from]
	w.out = append(w.out, passed{s, w.now, from})
}
