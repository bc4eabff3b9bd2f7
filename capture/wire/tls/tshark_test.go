package tls

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// shared returns files of the captures beside the repository and skips the test if there are none.
func shared(t *testing.T, pattern string) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("short")
	}
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark")
	}
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", pattern))
	if len(files) == 0 {
		t.Skip("no captures")
	}
	return files
}

// follow returns streams as tshark puts them together.
func follow(t *testing.T, protocol, file, keys string, streams []int) [][]piece {
	t.Helper()
	args := []string{"-r", file, "-q"}
	for _, n := range streams {
		args = append(args, "-z", "follow,"+protocol+",raw,"+strconv.Itoa(n))
	}
	if keys != "" {
		args = append(args, "-o", "tls.keylog_file:"+keys)
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	found := map[int][]piece{}
	current := -1
	for line := range strings.Lines(string(out)) {
		if n, ok := strings.CutPrefix(line, "Filter: tcp.stream eq "); ok {
			current, _ = strconv.Atoi(strings.TrimSpace(n))
		}
		if data, err := hex.DecodeString(strings.TrimSpace(line)); err == nil && len(data) > 0 {
			found[current] = append(found[current], piece{!strings.HasPrefix(line, "\t"), data})
		}
	}
	all := make([][]piece, len(streams))
	for i, n := range streams {
		all[i] = found[n]
	}
	return all
}

// injected returns the secrets a pcapng file carries in its own blocks.
func injected(t *testing.T, file string) []byte {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var keys []byte
	for len(b) >= 12 { // little-endian files only
		kind := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		size := int(b[4]) | int(b[5])<<8 | int(b[6])<<16 | int(b[7])<<24
		if size < 12 || size > len(b) {
			break
		}
		if kind == 10 && size >= 20 {
			n := int(b[12]) | int(b[13])<<8 | int(b[14])<<16
			keys = append(keys, b[16:min(16+n, size)]...)
			keys = append(keys, '\n')
		}
		b = b[size:]
	}
	return keys
}

// streams returns the numbers of the TCP streams that carry TLS.
func streams(t *testing.T, file string) []int {
	out, err := exec.Command("tshark", "-r", file, "-Y", "tls && tcp", "-T", "fields", "-e", "tcp.stream").Output()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	var all []int
	have := map[int]bool{}
	for f := range strings.FieldsSeq(string(out)) {
		if n, err := strconv.Atoi(f); err == nil && !have[n] {
			have[n] = true
			all = append(all, n)
		}
	}
	return all
}

// compare reads every stream of a capture and compares the plaintext with tshark's. Less is right only where Opaque
// says why.
func compare(t *testing.T, file string) {
	keys, keyFile := injected(t, file), ""
	for _, name := range []string{file + ".keys", strings.TrimSuffix(file, filepath.Ext(file)) + ".keys"} {
		if text, err := os.ReadFile(name); err == nil {
			keys, keyFile = text, name
		}
	}
	k := NewKeyLog()
	k.Add(keys)
	numbers := streams(t, file)
	ciphertext, plaintext := follow(t, "tcp", file, "", numbers), follow(t, "tls", file, keyFile, numbers)
	total := 0
	for i, n := range numbers {
		r := &recording{pieces: ciphertext[i]}
		s, c := r.read(t, k)
		got := [2][]byte{s.plain[true], s.plain[false]}
		want := &recording{pieces: plaintext[i]}
		// tshark calls the side a client that spoke first in the decrypted stream, either one, and stops decrypting
		// where segments are out of order.
		same := func(a, b bool) bool {
			return bytes.HasPrefix(got[0], want.wire(a)) && bytes.HasPrefix(got[1], want.wire(b))
		}
		total += len(want.wire(true)) + len(want.wire(false))
		switch {
		case same(true, false) || same(false, true):
		case len(got[0])+len(got[1]) == 0 && s.why != nil:
			t.Logf("stream %d: not read: %s (%+v)", n, s.why, c.Info())
		default:
			t.Errorf("stream %d: %d and %d bytes, tshark has %d and %d; opaque %q, lost %v, %+v",
				n, len(got[0]), len(got[1]), len(want.wire(true)), len(want.wire(false)), s.why, s.lost, c.Info())
		}
	}
	t.Logf("%d bytes compared", total)
}

func TestTshark(t *testing.T) {
	for _, file := range shared(t, "captures/17*.pcap*") {
		t.Run(filepath.Base(file), func(t *testing.T) { compare(t, file) })
	}
}

func TestTsharkForeign(t *testing.T) {
	index := shared(t, "foreign/INDEX.tsv")[0]
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(line, "\t")
		if len(fields) < 8 || fields[6] != "embedded" && fields[6] != "external" {
			continue
		}
		file := filepath.Join(filepath.Dir(index), "captures", fields[0])
		t.Run(fields[0], func(t *testing.T) { compare(t, file) })
	}
}
