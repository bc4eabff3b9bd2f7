package bigpcap

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"mcptrace/capture/capturetest"
)

// The times of the network: a fast one, with the capture point between client and server.
const (
	halfTrip = 200 * time.Microsecond // from the SYN to the SYN-ACK, and from there to the ACK
	perSeg   = 12 * time.Microsecond  // from one segment of a burst to the next
	ackAfter = 100 * time.Microsecond
	settle   = 120 * time.Microsecond // from the last segment of a burst to what its sender does next

	resend  = 8 * time.Millisecond // a segment that was lost before the capture point
	shuffle = 300 * time.Microsecond
	again   = 4 * time.Millisecond // a segment that was sent twice

	// inFlight is how many segments may follow one that is missing: the window ends there.
	inFlight = 30
)

// flow is one TCP connection. Its clock now runs ahead of the packets that were written.
type flow struct {
	out    *queue
	rng    *rand.Rand
	truth  *Truth
	addr   [2]netip.AddrPort // client, server
	next   [2]uint32         // sequence numbers
	id     [2]uint16
	now    time.Duration
	lossy  bool
	closed bool
}

// The sides of a flow.
const (
	client = 0
	server = 1
)

// newFlow opens a connection from a host of that address.
func (g *generator) newFlow(at time.Duration, from netip.Addr, to netip.AddrPort) *flow {
	g.ports++
	f := &flow{out: &g.queue, rng: g.rng, truth: &g.truth, now: at, lossy: g.rng.IntN(3) == 0,
		addr: [2]netip.AddrPort{netip.AddrPortFrom(from, uint16(20000+g.ports%40000)), to},
		next: [2]uint32{g.rng.Uint32(), g.rng.Uint32()}}
	f.emit(f.now, client, capturetest.SYN, nil)
	f.now += halfTrip
	f.next[client]++
	f.emit(f.now, server, capturetest.SYN|capturetest.ACK, nil)
	f.now += halfTrip
	f.next[server]++
	f.emit(f.now, client, capturetest.ACK, nil)
	f.now += halfTrip / 4
	return f
}

// emit lets a segment with the current sequence numbers pass at a moment.
func (f *flow) emit(at time.Duration, from int, flags capturetest.Flag, payload []byte) {
	s := capturetest.Segment{Src: f.addr[from], Dst: f.addr[from^1], Seq: f.next[from], Flags: flags, ID: f.id[from], Payload: payload}
	if flags&capturetest.ACK != 0 {
		s.Ack = f.next[from^1]
	}
	f.id[from]++
	f.out.add(at, s.AppendFrame(make([]byte, 0, capturetest.HeaderLen+len(payload))))
}

// send lets a side send data in one burst. It returns when the last byte of it was readable.
func (f *flow) send(from int, data string) time.Duration { return f.sendUntil(from, data, len(data)) }

// sendUntil is send, but returns when the first mark bytes were readable.
func (f *flow) sendUntil(from int, data string, mark int) time.Duration {
	var readable, late time.Duration // late: how far what is still missing trails
	following := 0
	for n := 0; len(data) > 0; n++ {
		p := []byte(data[:min(capturetest.MSS, len(data))])
		data = data[len(p):]
		flags := capturetest.ACK
		if len(data) == 0 {
			flags |= capturetest.PSH
		}
		at, delay := f.disorder(from, flags, p)
		if n*capturetest.MSS < mark {
			readable = max(readable, at)
		}
		late = max(late, delay)
		f.next[from] += uint32(len(p))
		f.now += perSeg
		if late > 0 {
			if following++; following > inFlight {
				f.now, late, following = f.now+late, 0, 0
			}
		}
		if n%2 == 1 || len(data) == 0 {
			f.emit(f.now+late+ackAfter, from^1, capturetest.ACK, nil)
		}
	}
	f.now += late + settle
	return readable
}

// disorder emits a segment, perhaps late or twice. It returns when its bytes could first be read, and how long the
// sender waits before what follows counts on it.
func (f *flow) disorder(from int, flags capturetest.Flag, p []byte) (at, delay time.Duration) {
	r := 1.0
	if f.lossy {
		r = f.rng.Float64()
	}
	switch {
	case r < 0.004:
		f.emit(f.now+resend, from, flags, p)
		return f.now + resend, resend
	case r < 0.008:
		f.emit(f.now+shuffle, from, flags, p)
		return f.now + shuffle, shuffle
	case r < 0.011:
		f.emit(f.now, from, flags, p)
		f.emit(f.now+again, from, flags, p)
		f.truth.Retransmitted++
		return f.now, again
	}
	f.emit(f.now, from, flags, p)
	return f.now, 0
}

// fin lets a side close, and the other after it. It returns when the first did.
func (f *flow) fin(by int) time.Duration {
	at := f.now
	f.emit(at, by, capturetest.FIN|capturetest.ACK, nil)
	f.next[by]++
	f.emit(at+halfTrip, by^1, capturetest.FIN|capturetest.ACK, nil)
	f.next[by^1]++
	f.emit(at+2*halfTrip, by, capturetest.ACK, nil)
	f.now += 3 * halfTrip
	f.closed = true
	return at
}

// rst lets the server reset the connection. It returns when.
func (f *flow) rst() time.Duration {
	at := f.now
	f.emit(at, server, capturetest.RST|capturetest.ACK, nil)
	f.now += halfTrip
	f.closed = true
	return at
}
