package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcptrace/capture/capturetest"
)

// folder makes a folder with good and bad inputs and goes there.
func folder(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	good := capturetest.Pcap(broken(40001, 0))
	write := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good.pcap", good)
	write("notes.txt", []byte("some notes, no capture"))
	write("empty", nil)
	write("header.pcap", good[:24])
	write("half-header.pcap", good[:10])
	write("cut.pcap", good[:len(good)-700])
	write("absurd.pcap", append(bytes.Clone(good[:24]), words32(1, 1, 0xfffffff0, 0xfffffff0, 7, 7)...))
	write("absurd.pcapng", words32(0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff, 28, 6, 0xfffffff0, 7, 7))
	line := "CLIENT_RANDOM " + strings.Repeat("5f", 32) + " " + strings.Repeat("9b", 48) + "\n"
	write("damaged.keys", []byte("# a key log\nCLIENT_RANDOM zz\nnonsense\n"+line))
	write("stray.keys", []byte(line))
	overTLS, err := os.ReadFile(filepath.Join(pcapDir, "tls13_http1.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	write("tls.pcap", overTLS)
	write("report.json", []byte("{\"schema\": \"mcptrace.report/1\"}\n"))
	t.Chdir(dir)
	mustInvoke(t, "record", "pcap", "-o", "good.db", "good.pcap")
	db, err := os.ReadFile("good.db")
	if err != nil {
		t.Fatal(err)
	}
	patch := func(name string, at int, word uint32) {
		b := bytes.Clone(db)
		binary.BigEndian.PutUint32(b[at:], word)
		write(name, b)
	}
	patch("foreign.db", 68, 0xabad1dea) // the application id
	patch("newer.db", 60, 99)           // the user version
	write("cut.db", db[:len(db)/2])
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
}

func words32(ws ...uint32) []byte {
	var b []byte
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// TestBadInput: whatever is wrong with an input or a command line is said in one line, perhaps with a hint on a second,
// and the exit code tells whose fault it is.
func TestBadInput(t *testing.T) {
	folder(t)
	for _, c := range []struct {
		args string
		code int
		errs string // a pattern for each line on standard error, without "mcptrace: "
	}{
		{"analyze notes.txt", exitCannot, "notes.txt: not a capture file.*\nhint: want a capture.*"},
		{"analyze empty", exitCannot, "empty: empty file\nhint: want a capture.*"},
		{"analyze half-header.pcap", exitCannot, "half-header.pcap: at byte 10: cut short inside the file header\nhint: want .*"},
		{"analyze folder", exitCannot, "folder: is a directory\nhint: .*folder/.*"},
		{"analyze missing.pcap", exitCannot, "missing.pcap: no such file or directory"},
		{"analyze notes.txt/x.pcap", exitCannot, "notes.txt/x.pcap: not a directory"},
		{"analyze good.pcap missing.pcap", exitCannot, "missing.pcap: no such file or directory"},
		{"analyze -", exitCannot, "standard input: empty"},
		{"analyze cut.pcap", exitOK, "warning: cut.pcap: cut short after byte \\d+; \\d+ packets were read"},
		{"analyze absurd.pcap", exitOK, "warning: absurd.pcap: cut short after byte 24; 0 packets were read"},
		{"analyze absurd.pcapng", exitOK, "warning: absurd.pcapng: cut short after byte 28; 0 packets were read"},
		{"analyze header.pcap", exitOK, ""},
		{"record pcap -o cut.out.db cut.pcap", exitOK, "warning: cut.pcap: cut short .*\n\\d+ exchanges recorded in cut.out.db"},
		{"record pcap -o none.db header.pcap", exitOK, "0 exchanges recorded in none.db\nhint: .*"},

		{"analyze foreign.db", exitCannot, "open recording foreign.db: not a recording: .*"},
		{"analyze newer.db", exitCannot, "open recording newer.db: recording of a newer version: .*"},
		{"analyze cut.db", exitCannot, "open recording cut.db: .*damaged.*"},
		{"record pcap -o good.db good.pcap", exitCannot, "create recording good.db: the file exists already.*"},
		{"record pcap -o missing/x.db good.pcap", exitCannot, "create recording missing/x.db: no such file or directory"},
		{"record pcap -o notes.db notes.txt", exitCannot, "notes.txt: not a capture file.*\nhint: .*"},

		{"analyze --keylog damaged.keys good.pcap", exitOK, "warning: damaged.keys, line 2: .*; left out\nwarning: damaged.keys, line 3: .*; left out\nwarning: --keylog: there is no TLS in the capture"},
		{"analyze --keylog notes.txt good.pcap", exitCannot, "notes.txt: this is no key log: line 1: .*\nhint: want lines such as CLIENT_RANDOM .*"},
		{"analyze --keylog stray.keys tls.pcap", exitOK, "warning: --keylog: 4 of 4 TLS connections could not be read; of the first: no key for client random .*"},
		{"analyze report.json", exitCannot, "report.json: not a log of a stdio conversation\nhint: want a capture .*"},
		{"analyze --keylog missing good.pcap", exitCannot, "missing: no such file or directory"},
		{"analyze --keylog folder good.pcap", exitCannot, "folder: is a directory"},

		{"frobnicate", exitUsage, "unknown command .*\nhint: see: mcptrace --help"},
		{"analyse --format json good.pcap", exitUsage, "unknown command .*\nhint: did you mean analyze\\?"},
		{"record frobnicate", exitUsage, "unknown command .*\nhint: see: mcptrace record --help"},
		{"help frobnicate", exitUsage, "unknown command .*\nhint: see: mcptrace --help"},
		{"completion frobnicate", exitUsage, "unknown command .*\nhint: see: mcptrace completion --help"},
		{"analyse good.pcap", exitUsage, "unknown command .*\nhint: did you mean analyze\\?"},
		{"analyze", exitUsage, "nothing to read: name at least one input\nhint: usage: mcptrace analyze INPUT..."},
		{"record pcap", exitUsage, "nothing to read: name at least one input\nhint: usage: mcptrace record pcap CAPTURE..."},
		{"show", exitUsage, "nothing to read: .*\nhint: usage: mcptrace show INPUT... --exchange N"},
		{"record stdio", exitUsage, "nothing to run: .*\nhint: usage: mcptrace record stdio .*"},
		{"redact good.db", exitUsage, "too few arguments\nhint: usage: mcptrace redact IN.db OUT.db"},
		{"redact a b c", exitUsage, "too many arguments: \"c\"\nhint: .*"},
		{"show good.pcap", exitUsage, "--exchange is missing\nhint: say which: --exchange N .*"},
		{"report good.pcap", exitUsage, "--output is missing\nhint: .* -o incident.html.*"},
		{"export good.pcap", exitUsage, "--format is missing\nhint: .* har, jsonl, http-csv or pcapng"},
		{"record proxy", exitUsage, "--upstream is missing\nhint: .*"},
		{"show good.pcap --exchange abc", exitUsage, "--exchange \"abc\": want a number\nhint: .*"},
		{"serve --listen 9090 good.pcap", exitUsage, "--listen \"9090\": want HOST:PORT, such as .*\nhint: .*"},
		{"record proxy --upstream http://a --rotate-size huge", exitUsage, "--rotate-size \"huge\": want a number of bytes .*\nhint: .*"},
		{"serve --cut 9999 good.pcap", exitUsage, "no such place to cut at: 9999 \\(the longest body has \\d+ bytes; most events: \\d+\\)"},
		{"replay --cut 9999 good.pcap", exitUsage, "no such place to cut at: 9999 \\(the longest body has \\d+ bytes\\)"},
		{"analyze --json good.pcap", exitUsage, "unknown flag: --json\nhint: did you mean --format json\\?"},
		{"analyze -o x good.pcap", exitUsage, "unknown shorthand flag: 'o' in -o\nhint: -o is a flag of export, .*, report, serve"},
		{"report --tz Local good.pcap", exitUsage, "unknown flag: --tz\nhint: --tz is a flag of analyze, show"},
		{"analyze --bogus good.pcap", exitUsage, "unknown flag: --bogus\nhint: see: mcptrace analyze --help"},
		{"analyze --policy nobody good.pcap", exitUsage, "no policy \"nobody\"\nhint: mcptrace policies lists them"},
		{"analyze --fail-on grave good.pcap", exitUsage, "no severity \"grave\": .*"},
		{"analyze --format xml good.pcap", exitUsage, "no format \"xml\": .*"},
		{"analyze --since yesterday good.pcap", exitUsage, "--since \"yesterday\": .*"},
		{"analyze --timeout -1s good.pcap", exitUsage, "--timeout -1s: .*"},
		{"analyze --timeout soon good.pcap", exitUsage, "--timeout \"soon\": want a time such as 60s.*\nhint: .*"},
		{"report --timeout -1s -o - good.pcap", exitUsage, "--timeout -1s: .*"},
		{"analyze --fail-on error --tool nobody good.pcap", exitOK, "warning: --fail-on had nothing to judge: .* passes the filters.*"},
		{"analyze --tz Mars good.pcap", exitUsage, "unknown time zone \"Mars\""},
		{"record pcap -", exitUsage, "reading standard input: name the recording .*"},
		{"findings nothing", exitUsage, "no finding \"nothing\"\nhint: mcptrace findings lists them"},
		{"policies nobody", exitUsage, "no policy \"nobody\"\nhint: mcptrace policies lists them"},
	} {
		r := invoke(strings.Fields(c.args)...)
		want := ""
		if c.errs != "" {
			want = "mcptrace: " + strings.ReplaceAll(c.errs, "\n", "\nmcptrace: ") + "\n"
		}
		if r.code != c.code || !regexp.MustCompile("^"+want+"$").MatchString(r.err) {
			t.Errorf("mcptrace %s: exit code %d, want %d; said\n%swant\n%s", c.args, r.code, c.code, r.err, want)
		}
		if r.code != exitOK && r.out != "" {
			t.Errorf("mcptrace %s: %q on standard output", c.args, r.out)
		}
	}
	if _, err := os.Stat("notes.db"); err == nil {
		t.Error("an empty recording was left behind")
	}
}

// TestCutAnywhere: a capture cut off after any byte is read up to there, with one warning unless it ends with a packet.
func TestCutAnywhere(t *testing.T) {
	file := capturetest.Pcap(broken(40001, 0))
	whole := map[int]bool{24: true, len(file): true} // where a packet ends
	for at := 24; at < len(file); {
		at += 16 + int(binary.LittleEndian.Uint32(file[at+8:]))
		whole[at] = true
	}
	before, step := 0, 1
	if testing.Short() {
		step = 13
	}
	for n := 0; n <= len(file); n += step {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"analyze", "--format", "json", "-"}, bytes.NewReader(file[:n]), &out, &errs)
		if n < 24 {
			if code != exitCannot || out.Len() > 0 {
				t.Errorf("%d bytes: exit code %d", n, code)
			}
			continue
		}
		lines := strings.Count(errs.String(), "\n")
		if code != exitOK || lines > 1 || lines == 0 != whole[n] {
			t.Fatalf("%d bytes: exit code %d, said %q", n, code, &errs)
		}
		var r told
		decode(t, out.String(), &r)
		if len(r.Exchanges) < before {
			t.Fatalf("%d bytes: %d exchanges, a byte less gave %d", n, len(r.Exchanges), before)
		}
		before = len(r.Exchanges)
	}
}

// TestUnreadable: a file that may not be read is named.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	path := capturetest.File(t, broken(40001, 0))
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if r := invoke("analyze", path); r.code != exitCannot || r.err != "mcptrace: "+path+": permission denied\n" {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}

// TestFailOn: findings at or above the asked severity make exit code 1, and the report is still there.
func TestFailOn(t *testing.T) {
	good := capturetest.File(t, broken(40001, 0))
	for flag, want := range map[string]int{"info": exitFindings, "warn": exitFindings, "error": exitOK} {
		r := invoke("analyze", "--fail-on", flag, good)
		if r.code != want || r.out == "" || r.err != "" {
			t.Errorf("--fail-on %s: exit code %d, want %d; %s", flag, r.code, want, r.err)
		}
	}
}

// TestFailingOutput: where standard output fails, at whatever byte, that is an error and no half of a result passes for
// the whole.
func TestFailingOutput(t *testing.T) {
	good := capturetest.File(t, broken(40001, 0))
	for _, args := range [][]string{
		{"analyze", good}, {"analyze", "--format", "json", good}, {"policies"}, {"findings"}, {"findings", "tcp-gap"},
	} {
		whole := len(mustInvoke(t, args...).out)
		for n := 0; n < whole; n += max(1, whole/50) {
			var errs bytes.Buffer
			w := &failing{left: n}
			code := run(context.Background(), args, bytes.NewReader(nil), w, &errs)
			if code != exitCannot || errs.String() != "mcptrace: the disk is on fire\n" {
				t.Errorf("%v, failing at byte %d of %d: exit code %d, %q", args, n, whole, code, errs.String())
			}
		}
	}
}

// failing is a writer that fails once it has taken so many bytes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, errors.New("the disk is on fire")
	}
	f.left -= len(p)
	return len(p), nil
}

// FuzzCapture: whatever a file holds, the program looks at it or says why not, and never panics.
func FuzzCapture(f *testing.F) {
	good := capturetest.Pcap(broken(40001, 0))
	f.Add(good)
	f.Add(good[:len(good)-100])
	paths, _ := filepath.Glob(filepath.Join(pcapDir, "*.pcap*"))
	for _, p := range paths {
		if b, err := os.ReadFile(p); err == nil && len(b) < 10_000 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var out, errs bytes.Buffer
		code := run(context.Background(), []string{"analyze", "--format", "json", "-"}, bytes.NewReader(b), &out, &errs)
		if code != exitOK && code != exitCannot || code == exitOK && out.Len() == 0 || code == exitCannot && errs.Len() == 0 {
			t.Errorf("exit code %d, %d bytes of output, %q", code, out.Len(), &errs)
		}
	})
}
