package pcap

import (
	"context"
	"fmt"
	"io"

	"mcptrace/capture"
)

// Limits bounds the memory of a Read. What a limit cuts off is counted in Quality.LimitCuts.
type Limits struct {
	// OutOfOrder is how much one direction may hold back while bytes before it are missing, in bytes; 0 means 4 MiB.
	// Beyond it the missing bytes are given up.
	OutOfOrder int64
	// OutOfOrderTotal is the same for all connections together; 0 means 256 MiB.
	OutOfOrderTotal int64
	// Connections is how many connections may be open at once, those included that have just closed; 0 means 250,000.
	// Beyond it one is forgotten: one that never answered, else one that is over, else the one idle for longest.
	Connections int
}

// The limits that hold where Limits say nothing.
const (
	DefaultOutOfOrder      = 4 << 20   // bytes
	DefaultOutOfOrderTotal = 256 << 20 // bytes
	DefaultConnections     = 250_000
)

func (l Limits) orDefaults() Limits {
	if l.OutOfOrder <= 0 {
		l.OutOfOrder = DefaultOutOfOrder
	}
	if l.OutOfOrderTotal <= 0 {
		l.OutOfOrderTotal = DefaultOutOfOrderTotal
	}
	if l.Connections <= 0 {
		l.Connections = DefaultConnections
	}
	return l
}

// Options says how to read.
type Options struct {
	Limits Limits
	// Progress, if not nil, is called about once for each MiB read, with the bytes of all inputs before decompression.
	// total is 0 where it is not known.
	Progress func(read, total int64)
}

// Read reads inputs as one capture and tells rec of every TCP connection in it, in the order of packet times. Inputs may
// be given in any order; a connection goes on from one file of a rotated set into the next. Each packet of a pipe is told
// as soon as its bytes are there. All calls of rec and of what it returns come from the calling goroutine; connections
// still open at the end are closed in the order of their ids.
//
// It returns one Quality for each input. An input that is damaged or cut short is read up to there, which its Quality
// says; that is no error. The error is a *FormatError if an input could not be read at all (not a capture file, empty,
// missing, a directory), and then nothing was told; or that of ctx, and then what was told until then is good and every
// connection has been closed.
func Read(ctx context.Context, inputs []Input, rec capture.Recorder, opt Options) ([]capture.Quality, error) {
	m := newMeter(inputs, opt.Progress)
	packets, quality, err := newMerge(ctx, inputs, m, rec.Secrets)
	if err != nil {
		return nil, err
	}
	defer packets.close()
	l := &loop{
		table:   newTable(rec, opt.Limits.orDefaults(), inputs, quality, packets.done),
		quality: quality,
		unknown: make([]map[uint16]int, len(inputs)),
	}
	for {
		f, err := packets.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			l.finish()
			return quality, err
		}
		l.packet(&f.pending, f.index)
	}
	l.finish()
	return quality, nil
}

// loop takes packets one by one.
type loop struct {
	decoder decoder
	table   *table
	quality []capture.Quality
	unknown []map[uint16]int // by input: packets of link types that nothing here reads
}

func (l *loop) packet(r *record, input int) {
	q := &l.quality[input]
	q.Packets++
	if q.First == 0 || r.at < q.First {
		q.First = r.at
	}
	q.Last = max(q.Last, r.at)
	switch l.decoder.decode(r, input) {
	case isTCP:
		l.table.segment(&l.decoder.seg)
	case isQUIC:
		q.HTTP3Packets++
	case undecodable:
		q.UndecodablePackets++
	case unknownLink:
		q.UndecodablePackets++
		l.countUnknown(r.link, input)
	}
}

func (l *loop) countUnknown(link uint16, input int) {
	if l.unknown[input] == nil {
		l.unknown[input] = map[uint16]int{}
	}
	l.unknown[input][link]++
}

// finish closes every connection and writes the notes that need the whole.
func (l *loop) finish() {
	l.table.finish()
	for i, links := range l.unknown {
		for link, n := range links {
			l.quality[i].Notes = append(l.quality[i].Notes, fmt.Sprintf("link type %d is not known: %d packets", link, n))
		}
	}
}
