package bigpcap

import (
	"bufio"
	"container/heap"
	"io"
	"math/rand/v2"
	"net/netip"
	"time"

	"mcptrace/capture/capturetest"
)

// Options say what to write.
type Options struct {
	Bytes int64  // about how large the file shall be
	Seed  uint64 // another seed, another capture
}

// Generate writes a capture (pcap, nanoseconds, Ethernet) and returns the truth about it. It keeps in memory what is
// under way at one moment, never the whole. An error is one of w.
func Generate(w io.Writer, o Options) (Truth, error) {
	buf := bufio.NewWriterSize(w, 1<<20)
	g := &generator{
		rng:   rand.New(rand.NewPCG(o.Seed, 0x6d6370)),
		file:  capturetest.NewPcapWriter(buf),
		truth: Truth{Seed: o.Seed, ReissuesBy: map[string]int{}},
	}
	g.text = words(g.rng)
	if err := g.run(o.Bytes); err != nil {
		return g.truth, err
	}
	if err := g.file.Close(); err != nil {
		return g.truth, err
	}
	return g.truth, buf.Flush()
}

type generator struct {
	rng   *rand.Rand
	file  *capturetest.PcapWriter
	queue queue
	truth Truth
	text  string // what answers are cut from
	ports int
	hosts uint32
}

// run starts things until the file is large enough, and lets them all come to their end but for one call.
func (g *generator) run(size int64) error {
	g.truth.Bytes = 24
	var now time.Duration
	for first := true; first || g.truth.Bytes < size; first = false {
		now += g.upTo(60 * time.Millisecond)
		switch r := g.rng.Float64(); {
		case first || r < 0.70:
			g.session(now)
		case r < 0.82:
			g.download(now)
		case r < 0.94:
			g.secret(now)
		default:
			g.binary(now)
		}
		if err := g.write(now); err != nil {
			return err
		}
	}
	now = max(now, g.queue.last) + time.Millisecond
	g.openCall(now)
	return g.write(max(now, g.queue.last))
}

// write writes the packets that passed until then.
func (g *generator) write(until time.Duration) error {
	for len(g.queue.heap) > 0 && g.queue.heap[0].at <= until {
		p := heap.Pop(&g.queue.heap).(packet)
		if err := g.file.Write(capturetest.Epoch.Add(p.at), p.frame); err != nil {
			return err
		}
		g.truth.Packets++
		g.truth.Bytes += int64(16 + len(p.frame))
	}
	return nil
}

// host returns an address that nobody else has.
func (g *generator) host() netip.Addr {
	g.hosts++
	return netip.AddrFrom4([4]byte{10, byte(16 + g.hosts>>16), byte(g.hosts >> 8), byte(g.hosts)})
}

// server returns the address of one of the servers.
func (g *generator) server(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 0, byte(1 + g.rng.IntN(7))}), port)
}

// upTo returns a time below d.
func (g *generator) upTo(d time.Duration) time.Duration { return time.Duration(g.rng.Int64N(int64(d))) }

// packet is a frame and when it passes.
type packet struct {
	at    time.Duration
	n     int64 // of equal times the first emitted goes first
	frame []byte
}

// queue holds frames until everything before them has been emitted.
type queue struct {
	heap packets
	n    int64
	last time.Duration // of the latest frame so far
}

func (q *queue) add(at time.Duration, frame []byte) {
	q.n++
	q.last = max(q.last, at)
	heap.Push(&q.heap, packet{at, q.n, frame})
}

// packets is a heap. See container/heap.
type packets []packet

func (p packets) Len() int      { return len(p) }
func (p packets) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p packets) Less(i, j int) bool {
	return p[i].at < p[j].at || p[i].at == p[j].at && p[i].n < p[j].n
}

// Push adds x.
func (p *packets) Push(x any) { *p = append(*p, x.(packet)) }

// Pop takes the last one off.
func (p *packets) Pop() any {
	old := *p
	x := old[len(old)-1]
	old[len(old)-1].frame = nil
	*p = old[:len(old)-1]
	return x
}
