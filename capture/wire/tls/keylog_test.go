package tls

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
)

var (
	someRandom = strings.Repeat("0123456789abcdef", 4)
	someMaster = strings.Repeat("Fe", 48)
)

func TestKeyLogAdd(t *testing.T) {
	good := "CLIENT_RANDOM " + someRandom + " " + someMaster
	for _, test := range []struct {
		name, text string
		n          int
		bad        []LineError
	}{
		{"empty", "", 0, nil},
		{"one line", good, 1, nil},
		{"line ends", good + "\r\n", 1, nil},
		{"byte order mark", "\xef\xbb\xbf" + good + "\n", 1, nil},
		{"comments and blanks", "# made by\n\n  \r\n" + good + "\n#\n", 1, nil},
		{"spaces", "  " + strings.ReplaceAll(good, " ", "\t ") + "  \n", 1, nil},
		{"twice", good + "\n" + good + "\n", 1, nil},
		{"TLS 1.3", "CLIENT_TRAFFIC_SECRET_0 " + someRandom + " " + someRandom + "\n" +
			"SERVER_TRAFFIC_SECRET_0 " + someRandom + " " + someMaster + "\n", 2, nil},
		{"no use here", "EXPORTER_SECRET " + someRandom + " " + someRandom + "\nNEW_LABEL_7 00 11\n", 0, nil},
		{"RSA", "RSA 0011223344556677 " + someMaster, 1, nil},
		{"cut short", good + "\n" + good[:len(good)-1], 1, []LineError{{2, "CLIENT_RANDOM: secret of 95 hex digits"}}},
		{"cut in the random", good[:40] + "\n" + good, 1, []LineError{{1, "2 fields where 3 are due"}}},
		{"short random", "\n\nCLIENT_RANDOM 00 " + someMaster, 0, []LineError{{3, "CLIENT_RANDOM: identifier of 2 hex digits where 64 are due"}}},
		{"not hex", strings.Replace(good, "Fe", "xx", 1), 0, []LineError{{1, "CLIENT_RANDOM: secret is not hexadecimal"}}},
		{"random not hex", strings.Replace(good, "01", "!!", 1), 0, []LineError{{1, "CLIENT_RANDOM: identifier is not hexadecimal"}}},
		{"four fields", good + " 00", 0, []LineError{{1, "4 fields where 3 are due"}}},
		{"not a label", "client_random " + someRandom + " " + someMaster, 0, []LineError{{1, "not a key log label"}}},
		{"binary", "\x00\x01\x02\xff\n" + good, 1, []LineError{{1, "1 fields where 3 are due"}}},
	} {
		k := NewKeyLog()
		if bad := k.Add([]byte(test.text)); k.Len() != test.n || !reflect.DeepEqual(bad, test.bad) {
			t.Errorf("%s: %d secrets, %v; want %d, %v", test.name, k.Len(), bad, test.n, test.bad)
		}
	}
}

func TestKeyLogManyErrors(t *testing.T) {
	bad := NewKeyLog().Add(bytes.Repeat([]byte("x\n"), 5000))
	if len(bad) != maxLineErrors || bad[999].Line != 1000 {
		t.Errorf("%d errors", len(bad))
	}
}

func TestKeyLogConcurrent(t *testing.T) {
	k := NewKeyLog()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				random := [32]byte{byte(i), byte(j)}
				k.Add(fmt.Appendf(nil, "CLIENT_RANDOM %x %s\n", random, someMaster))
				k.remember(sessionByID(random[:]), random)
				if k.secret(labelMaster, random[:]) == nil {
					t.Error("secret not kept")
				}
				if got, ok := k.origin(sessionByID(random[:])); !ok || got != random {
					t.Error("session not kept")
				}
			}
		})
	}
	all.Wait()
	if k.Len() != 1600 {
		t.Errorf("%d secrets", k.Len())
	}
}

func TestSessionMemoryIsBounded(t *testing.T) {
	var m sessionMemory
	for i := range 3 * maxSessions {
		m.set(sessionName{byte(i), byte(i >> 8), byte(i >> 16)}, [32]byte{1})
	}
	if n := len(m.recent) + len(m.older); n > 2*maxSessions {
		t.Errorf("%d sessions", n)
	}
	last := 3*maxSessions - 1
	if _, ok := m.get(sessionName{byte(last), byte(last >> 8), byte(last >> 16)}); !ok {
		t.Error("the last session is forgotten")
	}
}

func FuzzKeyLog(f *testing.F) {
	f.Add([]byte("CLIENT_RANDOM " + someRandom + " " + someMaster + "\n# comment\r\n\nRSA 0011223344556677 " + someMaster))
	f.Add([]byte("SERVER_TRAFFIC_SECRET_0 " + someRandom + " " + someRandom + "\nPMS_CLIENT_RANDOM " + someRandom + " 00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k := NewKeyLog()
		bad := k.Add(text)
		lines := bytes.Count(text, []byte("\n")) + 1
		if k.Len()+len(bad) > lines {
			t.Errorf("%d secrets and %d errors from %d lines", k.Len(), len(bad), lines)
		}
		for i, e := range bad {
			if e.Line < 1 || e.Line > lines || i > 0 && e.Line <= bad[i-1].Line {
				t.Errorf("errors %v", bad)
			}
			if len(e.Why) > 2*100 {
				t.Errorf("why: %d bytes", len(e.Why))
			}
		}
	})
}
