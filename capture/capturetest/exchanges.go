package capturetest

import (
	"mcptrace/capture"
)

// Exchanges returns what an ideal source makes of talks, in the order in which they settle within each talk. Packet
// numbers count from 1 in each talk.
func Exchanges(talks ...*Talk) []*capture.Exchange {
	var out []*capture.Exchange
	asm := &capture.Assembly{Sink: func(ex *capture.Exchange) { out = append(out, ex) }}
	for i, k := range talks {
		feed(asm, k, int64(i+1))
	}
	return out
}

// feed tells rec what passed.
func feed(rec capture.Recorder, k *Talk, id int64) {
	packets := k.packets()
	f := &feeder{conn: &capture.Conn{ID: id, Client: k.Client, Server: k.Server, Open: packets[0].at,
		Vantage: capture.Vantage{Kind: "network", RTTClient: RTT / 2, RTTServer: RTT / 2}}}
	for i := range packets {
		p := &packets[i]
		if f.sink == nil && len(p.seg.Payload) > 0 {
			f.sink = rec.Connection(f.conn)
		}
		f.conn.Last = p.at
		if f.sink != nil && !f.done() {
			f.tell(p, stampOf(p, i))
		}
	}
	if f.sink != nil {
		last := len(packets) - 1
		f.sink.Close(stampOf(&packets[last], last))
	}
}

func stampOf(p *passed, i int) capture.Stamp {
	return capture.Stamp{Seen: p.at, At: p.at, Packet: int64(i + 1)}
}

// feeder is TCP where every segment arrives in order and once.
type feeder struct {
	conn *capture.Conn
	sink capture.Duplex
	sent [2]int64 // bytes
	over [2]bool  // closed
}

func (f *feeder) done() bool { return f.over[0] && f.over[1] }

func (f *feeder) tell(p *passed, at capture.Stamp) {
	peer, flags := p.from.Peer(), p.seg.Flags
	f.sink.Ack(peer, f.sent[peer], f.over[p.from] || flags&RST != 0, at)
	if n := len(p.seg.Payload); n > 0 {
		f.sink.Data(p.from, p.seg.Payload, at)
		f.sent[p.from] += int64(n)
		f.noteTTL(p.from)
	}
	switch {
	case flags&RST != 0:
		f.over[peer] = true
		f.end(p.from, capture.RST, at)
	case flags&FIN != 0:
		f.end(p.from, capture.FIN, at)
	}
}

func (f *feeder) end(by capture.Side, how capture.How, at capture.Stamp) {
	f.over[by] = true
	f.conn.Closings = append(f.conn.Closings, capture.Closing{By: by, How: how, At: at.At, Packet: at.Packet, Offset: f.sent[by], TTL: defaultTTL})
	f.sink.End(by, how, at)
}

func (f *feeder) noteTTL(from capture.Side) {
	if from == capture.Client {
		f.conn.ClientDataTTL = defaultTTL
	} else {
		f.conn.ServerDataTTL = defaultTTL
	}
}
