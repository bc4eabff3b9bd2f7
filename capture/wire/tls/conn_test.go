package tls

import (
	stdtls "crypto/tls"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// talks are the connections crypto/tls can make, by name.
func talks() map[string]*peers {
	all := map[string]*peers{}
	add := func(name string, version uint16, suite uint16) {
		p := &peers{messages: conversation()}
		p.client.MinVersion, p.client.MaxVersion = version, version
		p.server.MinVersion, p.server.MaxVersion = stdtls.VersionTLS10, stdtls.VersionTLS13
		if suite != 0 {
			p.client.CipherSuites = []uint16{suite}
			p.server.CipherSuites = []uint16{suite}
		}
		p.client.NextProtos, p.server.NextProtos = []string{"h2", "http/1.1"}, []string{"http/1.1"}
		all[name] = p
	}
	add("TLS 1.3", stdtls.VersionTLS13, 0)
	for _, s := range append(stdtls.CipherSuites(), stdtls.InsecureCipherSuites()...) {
		for _, v := range s.SupportedVersions {
			if v != stdtls.VersionTLS13 && suites[s.ID] != nil {
				add(fmt.Sprintf("%s %s", versionName(v), s.Name), v, s.ID)
			}
		}
	}
	return all
}

func TestCryptoTLS(t *testing.T) {
	for name, p := range talks() {
		t.Run(name, func(t *testing.T) {
			r := p.run(t)
			s, c := r.read(t, keyLog(t, r.keys))
			r.check(t, s)
			if len(r.server) == 0 {
				t.Fatal("the peers did not talk")
			}
			for _, fromClient := range []bool{true, false} {
				want := []alert{{false, 0, int64(len(r.wire(fromClient)))}}
				if got := s.alerts[fromClient]; !reflect.DeepEqual(got, want) {
					t.Errorf("client %v: alerts %v, want %v", fromClient, got, want)
				}
			}
			info := c.Info()
			if info.SNI != "mcp.example" || info.ALPN != "http/1.1" || !info.Readable || info.Resumed || !strings.HasPrefix(name, info.Version) {
				t.Errorf("info %+v", info)
			}
			if !strings.HasSuffix(name, info.Suite) && info.Version != "TLS 1.3" {
				t.Errorf("suite %s", info.Suite)
			}
			if !Sniff(r.wire(true)) || !Sniff(r.wire(false)) {
				t.Error("not sniffed")
			}
		})
	}
}

// split returns the recording cut into other pieces; order across directions stays.
func (r *recording) split(size func() int) *recording {
	out := *r
	out.pieces = nil
	for _, p := range r.pieces {
		for d := p.data; len(d) > 0; {
			n := min(len(d), size())
			out.pieces = append(out.pieces, piece{p.fromClient, d[:n]})
			d = d[n:]
		}
	}
	return &out
}

func TestSplitInvariance(t *testing.T) {
	for name, p := range talks() {
		if testing.Short() && !strings.Contains(name, "GCM") {
			continue
		}
		r := p.run(t)
		whole, _ := r.read(t, keyLog(t, r.keys))
		random := rand.New(rand.NewPCG(1, 2))
		for way, size := range map[string]func() int{
			"bytes":  func() int { return 1 },
			"random": func() int { return 1 + random.IntN(300) },
			"coarse": func() int { return 1 + random.IntN(50000) },
		} {
			got, _ := r.split(size).read(t, keyLog(t, r.keys))
			if !reflect.DeepEqual(got.plain, whole.plain) || !reflect.DeepEqual(got.spans, whole.spans) || !reflect.DeepEqual(got.alerts, whole.alerts) {
				t.Errorf("%s, %s: other results", name, way)
			}
			r.check(t, got)
		}
	}
}
