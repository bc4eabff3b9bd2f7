package report

import (
	"os/exec"
	"strings"
	"testing"
)

// TestShellWord: a shell takes what is suggested for what was given.
func TestShellWord(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, s := range []string{"a.pcap", "dir/a b.pcap", "it's.pcap", "$HOME*?", "", "~x", "#1", "\x1b[2J\n\\'", "é.pcap", "a;b&c|d"} {
		word := shellWord(s)
		if safe(word) != word {
			t.Errorf("%q: %q is not safe to show", s, word)
		}
		out, err := exec.Command(bash, "-c", "printf %s. "+word).Output()
		if err != nil || string(out) != s+"." {
			t.Errorf("%q: the shell makes %q of %s (%v)", s, out, word, err)
		}
	}
}

func TestShowCommand(t *testing.T) {
	long := strings.Repeat("x", 70) + ".pcap"
	for want, o := range map[string]Options{
		"mcptrace show a.pcap 'b c.pcap' --exchange 7":                                {Inputs: []string{"a.pcap", "b c.pcap"}},
		"mcptrace show --keylog 'my keys' --endpoint /mcp a.pcap --exchange 7":        {Inputs: []string{"a.pcap"}, Flags: []string{"--keylog", "my keys", "--endpoint", "/mcp"}},
		"mcptrace show ./-a.pcap --exchange 7":                                        {Inputs: []string{"-a.pcap"}},
		"mcptrace show FILE --exchange 7  # save standard input to FILE first":        {Inputs: []string{"-"}},
		"mcptrace show FILES --exchange 7  # FILES: the same files in the same order": {Inputs: []string{long, long, long, long, long}},
	} {
		r := textReport{o: o}
		if got := r.showCommand(7); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
