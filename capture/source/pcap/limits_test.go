package pcap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
)

// TestOutOfOrderLimit: bytes that wait for a hole wait up to the limit; one byte more, and the hole is given up.
func TestOutOfOrderLimit(t *testing.T) {
	const pieces, length = 50, 1000
	const cost = pieces * (length + pieceCost)
	ps := hello()
	var want bytes.Buffer
	for i := range pieces {
		data := text(length, int64(i))
		want.WriteString(data)
		ps = append(ps, pkt{ms: 10 + float64(i), side: 'c', flags: "A", seq: 101 + int64(i)*length, ack: 1, data: data})
	}
	in := file(newTalk().packets(ps...)...)
	for _, c := range []struct {
		Limits
		cuts int
	}{
		{Limits{OutOfOrder: cost}, 0}, {Limits{OutOfOrder: cost - 1}, 1},
		{Limits{OutOfOrderTotal: cost}, 0}, {Limits{OutOfOrderTotal: cost - 1}, 1},
	} {
		r, q := read(t, Options{Limits: c.Limits}, Input{R: bytes.NewReader(in)})
		d := r.conns[0].dir[0]
		if q[0].LimitCuts != c.cuts || d.missing != 100 || !bytes.Equal(d.data[100:], want.Bytes()) {
			t.Errorf("%+v: %+v, missing %d", c, q[0], d.missing)
		}
	}
}

// TestConnectionLimit: as many connections as the limit are followed; of one more the one idle for longest is closed.
func TestConnectionLimit(t *testing.T) {
	var many []raw
	for i := range 20 {
		k := newTalk()
		k.clientPort += uint16(i)
		many = append(many, k.packet(pkt{ms: float64(i), side: 'c', flags: "PA", seq: 1, ack: 1, data: fmt.Sprintf("GET /%d", i)}))
	}
	for limit, cuts := range map[int]int{20: 0, 19: 1, 3: 17} {
		r, q := read(t, Options{Limits: Limits{Connections: limit}}, Input{R: bytes.NewReader(file(many...))})
		if len(r.conns) != 20 || q[0].LimitCuts != cuts {
			t.Errorf("limit %d: %d connections, %d cuts", limit, len(r.conns), q[0].LimitCuts)
		}
	}
}

// TestOverConnectionLimit: a connection that is over and has to make room counts too: what comes late does not belong to it.
func TestOverConnectionLimit(t *testing.T) {
	var many []raw
	for i := range 20 {
		k := newTalk()
		k.clientPort, k.clientISN, k.serverISN = uint16(40001+i), uint32(1e6*i), uint32(2e6*i)
		for _, p := range k.packets(call()...) {
			p.at = p.at.Add(time.Duration(i) * 20 * time.Millisecond)
			many = append(many, p)
		}
	}
	for limit, cuts := range map[int]int{20: 0, 19: 1, 3: 17} {
		r, q := read(t, Options{Limits: Limits{Connections: limit}}, Input{R: bytes.NewReader(file(many...))})
		if len(r.conns) != 20 || q[0].LimitCuts != cuts || logWithoutPackets(r.conns[19]) != callLog {
			t.Errorf("limit %d: %d connections, %d cuts", limit, len(r.conns), q[0].LimitCuts)
		}
	}
}

// TestFlood: a flood of connections that never come about takes the place of no connection that has.
func TestFlood(t *testing.T) {
	k := newTalk()
	packets := k.packets(hello(pkt{ms: 1, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET / "})...)
	for i := range 1000 {
		syn := newTalk()
		syn.clientPort += uint16(1 + i)
		packets = append(packets, syn.packet(pkt{ms: 2 + float64(i)/1000, side: 'c', flags: "S"}))
	}
	packets = append(packets, k.packet(pkt{ms: 10, side: 'c', flags: "PA", seq: 7, ack: 1, data: "HTTP/1.1"}))
	r, q := read(t, Options{Limits: Limits{Connections: 100}}, Input{R: bytes.NewReader(file(packets...))})
	if len(r.conns) != 1 || string(r.conns[0].dir[0].data) != "GET / HTTP/1.1" || q[0].LimitCuts != 901 {
		t.Errorf("%d connections, %d cuts", len(r.conns), q[0].LimitCuts)
	}
}

// TestVanished: a file of a set that is removed before its turn is named; the others are read.
func TestVanished(t *testing.T) {
	packets := newTalk().packets(call()...)
	inputs := writeFiles(t, packets[:4], packets[4:])
	r := &remover{path: inputs[1].Path}
	q, err := Read(context.Background(), inputs, r, Options{})
	if err != nil || q[0].Packets != 4 || q[1].Packets != 0 || !q[1].TruncatedInput || len(q[1].Notes) != 1 || !strings.Contains(q[1].Notes[0], "no such file") {
		t.Errorf("%v, %+v", err, q)
	}
}

// remover removes a file when it is told of the first connection.
type remover struct {
	recorder
	path string
}

func (r *remover) Connection(c *capture.Conn) capture.Duplex {
	os.Remove(r.path)
	return r.recorder.Connection(c)
}

// TestReadError: what was read before an error of the disk is good, and the error is told.
func TestReadError(t *testing.T) {
	in := file(newTalk().packets(call()...)...)
	r, q := read(t, Options{}, Input{R: io.MultiReader(bytes.NewReader(in[:len(in)-10]), badDisk{})})
	if len(r.conns) != 1 || !q[0].TruncatedInput || !strings.Contains(strings.Join(q[0].Notes, "\n"), "input/output error") {
		t.Errorf("%+v", q)
	}
}

type badDisk struct{}

func (badDisk) Read([]byte) (int, error) { return 0, errors.New("input/output error") }
