package tls

import (
	"bytes"
	"crypto/rsa"
	stdtls "crypto/tls"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// only returns the lines of a key log that begin with one of the labels.
func only(keys []byte, labels ...string) []byte {
	var out []byte
	for line := range bytes.Lines(keys) {
		for _, l := range labels {
			if bytes.HasPrefix(line, []byte(l+" ")) {
				out = append(out, line...)
			}
		}
	}
	return out
}

// wrong returns a key log whose secrets differ in the last digit.
func wrong(keys []byte) []byte {
	var out []byte
	for line := range strings.Lines(string(keys)) {
		line = strings.TrimSpace(line)
		digit := map[bool]string{true: "1", false: "0"}[strings.HasSuffix(line, "0")]
		out = append(out, line[:len(line)-1]+digit+"\n"...)
	}
	return out
}

func TestMissingSecrets(t *testing.T) {
	r := talks()["TLS 1.3"].run(t)
	for _, test := range []struct {
		name           string
		keys           []byte
		client, server bool // readable
		why            string
	}{
		{"none", nil, false, false, "no key for client random"},
		{"handshake only", only(r.keys, "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET"), false, false, "no key for client random"},
		{"traffic only", only(r.keys, "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"), true, true, ""},
		{"client only", only(r.keys, "CLIENT_TRAFFIC_SECRET_0"), true, false, "no key for client random"},
		{"server only", only(r.keys, "SERVER_TRAFFIC_SECRET_0", "SERVER_HANDSHAKE_TRAFFIC_SECRET"), false, true, "no key for client random"},
		{"wrong", wrong(r.keys), false, false, "key does not fit"},
		{"wrong traffic", wrong(only(r.keys, "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0")), false, false, "key does not fit"},
	} {
		for _, way := range []*recording{r, r.split(func() int { return 1 })} {
			s, c := way.read(t, keyLog(t, test.keys))
			for fromClient, want := range map[bool][]byte{true: r.client, false: r.server} {
				if readable := fromClient && test.client || !fromClient && test.server; !readable {
					want = nil
				}
				if !bytes.Equal(s.plain[fromClient], want) {
					t.Errorf("%s, client %v: %d bytes, want %d", test.name, fromClient, len(s.plain[fromClient]), len(want))
				}
			}
			if len(s.why) > 1 || !strings.HasPrefix(strings.Join(s.why, ""), test.why) || (test.why == "") != (s.why == nil) {
				t.Errorf("%s: opaque %q, want %q", test.name, s.why, test.why)
			}
			if c.Info().SNI != "mcp.example" || c.Info().Version != "TLS 1.3" {
				t.Errorf("%s: info %+v", test.name, c.Info())
			}
		}
	}
}

func TestWrongKeyTLS12(t *testing.T) {
	for name, p := range talks() {
		if name == "TLS 1.3" {
			continue
		}
		r := p.run(t)
		for why, keys := range map[string][]byte{"key does not fit": wrong(r.keys), "no key for client random": nil} {
			s, _ := r.read(t, keyLog(t, keys))
			if len(s.plain) > 0 || len(s.why) != 1 || !strings.HasPrefix(s.why[0], why) {
				t.Errorf("%s: opaque %q, want %q", name, s.why, why)
			}
		}
	}
}

// A secret that comes late costs what passed before it, and no more.
func TestLateSecret(t *testing.T) {
	for name, p := range talks() {
		r := p.run(t)
		whole, _ := r.read(t, keyLog(t, r.keys))
		for late := range r.pieces {
			keys, s := NewKeyLog(), newSeen(t)
			c := New(keys, s)
			for i, p := range r.pieces {
				if i == late {
					keys.Add(r.keys)
				}
				c.Write(p.fromClient, p.data)
			}
			c.Close()
			for _, fromClient := range []bool{true, false} {
				var passed int64
				for _, p := range r.pieces[:late] {
					if p.fromClient == fromClient {
						passed += int64(len(p.data))
					}
				}
				var want []byte
				var at int64
				for _, span := range whole.spans[fromClient] {
					if span.end > passed {
						want = append(want, whole.plain[fromClient][at:at+span.plain]...)
					}
					at += span.plain
				}
				if got := s.plain[fromClient]; !bytes.Equal(got, want) && !strings.Contains(name, "TLS 1.0") {
					t.Errorf("%s, at piece %d, client %v: %d bytes, want %d", name, late, fromClient, len(got), len(want))
				}
			}
		}
	}
}

// The server's direction may be written first, and a hello may wait for the other.
func TestDirectionsApart(t *testing.T) {
	for name, p := range talks() {
		p.messages = [][]byte{[]byte("a question"), bytes.Repeat([]byte("word "), 5000)}
		r := p.run(t)
		for _, first := range []bool{true, false} {
			s := newSeen(t)
			c := New(keyLog(t, r.keys), s)
			c.Write(first, r.wire(first))
			c.Write(!first, r.wire(!first))
			c.Close()
			r.check(t, s)
			if t.Failed() {
				t.Fatal(name, first)
			}
		}
	}
}

func TestResumption(t *testing.T) {
	for _, version := range []uint16{stdtls.VersionTLS12, stdtls.VersionTLS13} {
		p := &peers{messages: [][]byte{[]byte("first"), []byte("second")}}
		p.client.MaxVersion = version
		p.client.ClientSessionCache = stdtls.NewLRUClientSessionCache(1)
		full, again, third := p.run(t), p.run(t), p.run(t)
		keys := keyLog(t, full.keys)
		s, c := full.read(t, keys)
		full.check(t, s)
		if c.Info().Resumed {
			t.Error("the first connection is said to be resumed")
		}
		if version == stdtls.VersionTLS13 {
			keys.Add(again.keys)
			keys.Add(third.keys)
		}
		for _, r := range []*recording{again, third} {
			s, c = r.read(t, keys)
			r.check(t, s)
			if !c.Info().Resumed {
				t.Errorf("%s: not resumed", c.Info().Version)
			}
		}
	}
}

// crypto/tls knows no session ids as a server; OpenSSL does.
func TestResumptionBySessionID(t *testing.T) {
	_, relay := opensslServer(t, "-rev", "-no_ticket")
	session := t.TempDir() + "/session"
	full := converse(t, relay, []string{"first"}, "-tls1_2", "-sess_out", session)
	again := converse(t, relay, []string{"second"}, "-tls1_2", "-sess_in", session)
	keys := keyLog(t, full.keys)
	s, _ := full.read(t, keys)
	full.check(t, s)
	s, c := again.read(t, keys)
	again.check(t, s)
	if !c.Info().Resumed {
		t.Error("not resumed")
	}
}

// premasterOf decrypts the premaster secret the client sent, as a server would.
func premasterOf(t *testing.T, r *recording) (encrypted, premaster []byte) {
	wire := r.wire(true)
	at := records(wire)
	for i := range at[:len(at)-1] {
		payload := wire[at[i]+headerLen : at[i+1]]
		if wire[at[i]] != typeHandshake || payload[0] != msgClientKeyExchange {
			continue
		}
		encrypted = payload[6:]
		//lint:ignore SA1019 the key exchange under test is this old
		premaster, err := rsa.DecryptPKCS1v15(nil, certificates()[0].PrivateKey.(*rsa.PrivateKey), encrypted)
		if err != nil {
			t.Fatal(err)
		}
		return encrypted, premaster
	}
	t.Fatal("no ClientKeyExchange")
	return nil, nil
}

func TestPremaster(t *testing.T) {
	config := t.TempDir() + "/openssl.cnf"
	noEMS := "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nOptions = -ExtendedMasterSecret\n"
	for _, extended := range []bool{false, true} {
		if !extended {
			write(t, config, noEMS)
			t.Setenv("OPENSSL_CONF", config)
		} else {
			write(t, config, "")
		}
		_, relay := opensslServer(t, "-rev")
		r := converse(t, relay, []string{"what is the answer"}, "-tls1_2", "-cipher", "AES128-GCM-SHA256")
		encrypted, premaster := premasterOf(t, r)
		random := hex.EncodeToString(r.wire(true)[11:43])
		for _, line := range []string{
			fmt.Sprintf("RSA %x %x", encrypted[:8], premaster),
			fmt.Sprintf("PMS_CLIENT_RANDOM %s %x", random, premaster),
		} {
			s, _ := r.read(t, keyLog(t, []byte(line)))
			if extended {
				if want := []string{"premaster secret with the extended master secret not supported"}; len(s.plain) > 0 || !reflect.DeepEqual(s.why, want) {
					t.Errorf("opaque %q", s.why)
				}
				continue
			}
			r.check(t, s)
		}
	}
}

func TestAlerts(t *testing.T) {
	refuse := &peers{messages: conversation()}
	refuse.client.VerifyConnection = func(stdtls.ConnectionState) error { return fmt.Errorf("not you") }
	old := &peers{messages: conversation()}
	old.client.MaxVersion, old.server.MinVersion = stdtls.VersionTLS12, stdtls.VersionTLS13
	for _, test := range []struct {
		name       string
		peers      *peers
		fromClient bool
		code       uint8
	}{
		{"encrypted", refuse, true, 42},
		{"in the clear", old, false, 70},
	} {
		r := test.peers.run(t)
		s, c := r.read(t, keyLog(t, r.keys))
		if got := s.alerts[test.fromClient]; len(got) == 0 || !got[0].fatal || got[0].code != test.code {
			t.Errorf("%s: alerts %v", test.name, s.alerts)
		}
		if c.Info().SNI != "mcp.example" {
			t.Errorf("%s: info %+v", test.name, c.Info())
		}
	}
}

// A HelloRetryRequest changes nothing but the number of hellos.
func TestHelloRetryRequest(t *testing.T) {
	p := &peers{messages: conversation()}
	p.client.CurvePreferences = []stdtls.CurveID{stdtls.X25519, stdtls.CurveP256}
	p.server.CurvePreferences = []stdtls.CurveID{stdtls.CurveP256}
	r := p.run(t)
	if !bytes.Contains(r.wire(false), retryRandom[:]) {
		t.Fatal("no HelloRetryRequest")
	}
	s, _ := r.read(t, keyLog(t, r.keys))
	r.check(t, s)
}

func TestUnsupported(t *testing.T) {
	p := &peers{messages: conversation()}
	p.client.MaxVersion = stdtls.VersionTLS12
	p.client.CipherSuites = []uint16{stdtls.TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA}
	p.server.CipherSuites = p.client.CipherSuites
	r := p.run(t)
	s, c := r.read(t, keyLog(t, r.keys))
	if want := []string{"suite TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA not supported"}; len(s.plain) > 0 || !reflect.DeepEqual(s.why, want) {
		t.Errorf("opaque %q", s.why)
	}
	if info := c.Info(); info.Readable || info.Suite != "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA" {
		t.Errorf("info %+v", info)
	}
}
