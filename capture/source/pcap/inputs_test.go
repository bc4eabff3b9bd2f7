package pcap

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeFiles writes captures and returns them as inputs.
func writeFiles(t *testing.T, files ...[]raw) []Input {
	t.Helper()
	dir := t.TempDir()
	var inputs []Input
	for i, packets := range files {
		path := filepath.Join(dir, string(rune('a'+i))+".pcap")
		if err := os.WriteFile(path, file(packets...), 0o600); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, Input{Path: path})
	}
	return inputs
}

// A rotated set is one capture, in whatever order its files are given, cut at any packet.
func TestRotatedFiles(t *testing.T) {
	packets := newTalk().packets(call()...)
	for i := range packets {
		for j := i; j < len(packets); j++ {
			inputs := writeFiles(t, packets[:i], packets[i:j], packets[j:])
			for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
				var given []Input
				for _, n := range order {
					given = append(given, inputs[n])
				}
				r, q := read(t, Options{}, given...)
				if len(r.conns) != 1 || logWithoutPackets(r.conns[0]) != callLog {
					t.Fatalf("%d, %d, %v: %d connections", i, j, order, len(r.conns))
				}
				if got := q[0].Packets + q[1].Packets + q[2].Packets; got != int64(len(packets)) {
					t.Errorf("%d packets", got)
				}
				if in := given[r.conns[0].conn.Input].Path; i > 0 && in != inputs[0].Path {
					t.Errorf("%d, %d: begins in %s", i, j, in)
				}
			}
		}
	}
}

// Files that overlap in time are merged by time: here each holds one direction.
func TestOverlappingFiles(t *testing.T) {
	var client, server []raw
	k := newTalk()
	for _, p := range call() {
		if p.side == 'c' {
			client = append(client, k.packet(p))
		} else {
			server = append(server, k.packet(p))
		}
	}
	inputs := writeFiles(t, server, client)
	reader := []Input{{Path: "1", R: bytes.NewReader(file(server...))}, {Path: "2", R: bytes.NewReader(file(client...))}}
	for _, in := range [][]Input{inputs, reader} {
		r, _ := read(t, Options{}, in...)
		if len(r.conns) != 1 || logWithoutPackets(r.conns[0]) != callLog || r.conns[0].conn.OneSided {
			t.Fatalf("%d connections: %v", len(r.conns), r.conns[0].log)
		}
	}
}

// One connection recorded at two places is told once, as it was seen where it was seen first.
func TestTwoVantages(t *testing.T) {
	for name, from := range map[string]int{"whole": 0, "middle": 3} {
		t.Run(name, func(t *testing.T) {
			slow := call()[from:]
			for i := range slow {
				slow[i].ms *= 10
			}
			near, far := newTalk().packets(slow...), newTalk().packets(slow...)
			for i := range far { // 30 ms away, with a clock of its own
				far[i].at = far[i].at.Add(30 * time.Millisecond)
			}
			r, q := read(t, Options{}, writeFiles(t, near, far)...)
			d := r.conns[0]
			if len(r.conns) != 1 || logWithoutPackets(d) != callLog || d.conn.Retransmitted != 0 {
				t.Fatalf("%d connections: %+v %v", len(r.conns), d.conn, d.log)
			}
			if len(d.conn.AlsoSeenAs) != 1 || !strings.HasSuffix(d.conn.AlsoSeenAs[0], "b.pcap") || q[1].DuplicatePackets == 0 {
				t.Errorf("%+v", d.conn)
			}
			// What comes after the other file has ended is not dropped, and changes nothing.
			if from == 0 && (d.conn.Vantage.RTTServer != 10*time.Millisecond || q[1].DuplicatePackets < len(far)-4) {
				t.Errorf("%+v, %d dropped", d.conn.Vantage, q[1].DuplicatePackets)
			}
		})
	}
}

// A damaged file among others costs only its own rest.
func TestDamagedAmongOthers(t *testing.T) {
	packets := newTalk().packets(call()...)
	inputs := writeFiles(t, packets[:5], packets[5:])
	whole, err := os.ReadFile(inputs[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(inputs[0].Path, whole[:len(whole)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	r, q := read(t, Options{}, inputs...)
	if len(r.conns) != 1 || logWithoutPackets(r.conns[0]) != callLog || !q[0].TruncatedInput || q[1].TruncatedInput {
		t.Errorf("%+v: %v", q, r.conns[0].log)
	}
}
