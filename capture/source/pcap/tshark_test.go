package pcap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcptrace/capture"
)

// Stream bytes must agree with tshark's own reassembly, where the capture has no gaps. It takes a second for each file, so
// only some are compared unless MCPTRACE_TSHARK is "all".
func TestStreamsAgreeWithTshark(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark here")
	}
	dir := shared(t, "captures")
	names, _ := filepath.Glob(filepath.Join(dir, "19[abcdl]_*"))
	if os.Getenv("MCPTRACE_TSHARK") == "all" {
		names, _ = filepath.Glob(filepath.Join(dir, "*.pcap*"))
		foreign, _ := filepath.Glob(filepath.Join(dir, "../foreign/captures/*.pcap*"))
		names = append(names, foreign...)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".pcap") || strings.Contains(name, ".pcapng") || strings.HasSuffix(name, ".gz") {
			t.Run(filepath.Base(name), func(t *testing.T) { compareWithTshark(t, name) })
		}
	}
}

func compareWithTshark(t *testing.T, name string) {
	r := &recorder{t: t}
	q, err := Read(context.Background(), []Input{{Path: name}}, r, Options{})
	if err != nil {
		t.Skip(err)
	}
	if q[0].SnaplenCutPackets > 0 || q[0].OutsideResets > 0 {
		t.Skip("tshark shows gaps its own way")
	}
	want := tsharkStreams(t, name, len(r.conns)+len(r.failures)+8)
	for _, d := range r.conns {
		key := [2]string{d.conn.Client.String(), d.conn.Server.String()}
		w, ok := want[key]
		if !ok {
			key[0], key[1] = key[1], key[0] // tshark has no opinion on who is the client
			w, ok = want[key]
			w[0], w[1] = w[1], w[0]
		}
		if !ok {
			t.Errorf("%s: not seen by tshark", key)
			continue
		}
		for _, side := range []capture.Side{capture.Client, capture.Server} {
			if !bytes.Equal(w[side], d.dir[side].data) && d.conn.Gaps == 0 {
				t.Errorf("%s: %v sent %d bytes, tshark says %d", key, side, len(d.dir[side].data), len(w[side]))
			}
		}
		delete(want, key)
	}
	for key, w := range want {
		if len(w[0])+len(w[1]) > 0 && q[0].DuplicatePackets == 0 {
			t.Errorf("%s: %d and %d bytes seen by tshark only", key, len(w[0]), len(w[1]))
		}
	}
}

// tsharkStreams returns both directions of each stream by "client server".
func tsharkStreams(t *testing.T, name string, n int) map[[2]string][2][]byte {
	args := []string{"-r", name, "-q"}
	for i := range n {
		args = append(args, "-z", fmt.Sprintf("follow,tcp,raw,%d", i))
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil {
		t.Skip("tshark cannot read it")
	}
	streams := map[[2]string][2][]byte{}
	var node [2]string
	var data [2][]byte
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<30)
	for sc.Scan() {
		l := sc.Text()
		switch {
		case strings.HasPrefix(l, "Node 0: "):
			node[0], data = l[8:], [2][]byte{}
		case strings.HasPrefix(l, "Node 1: "):
			node[1] = l[8:]
		case strings.HasPrefix(l, "====") && node[1] != "":
			streams[node] = data
			node = [2]string{}
		case node[1] != "":
			from := 0
			if strings.HasPrefix(l, "\t") {
				from = 1
			}
			if b, err := hex.DecodeString(strings.TrimSpace(l)); err == nil {
				data[from] = append(data[from], b...)
			}
		}
	}
	return streams
}
