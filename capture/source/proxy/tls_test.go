package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcptrace/capture"
)

// tlsRig is a rig whose upstream speaks TLS with a certificate that the proxy trusts, or does not.
func tlsRig(t *testing.T, trusted bool, handle func(raw *net.TCPConn, c *tls.Conn)) *rig {
	t.Helper()
	// httptest brings a certificate for 127.0.0.1 and example.com.
	s := httptest.NewTLSServer(http.NotFoundHandler())
	cert, pool := s.TLS.Certificates[0], x509.NewCertPool()
	pool.AddCert(s.Certificate())
	s.Close()
	return newRig(t, func(raw *net.TCPConn) {
		c := tls.Server(raw, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}})
		if c.Handshake() == nil {
			handle(raw, c)
		}
	}, func(o *Options) {
		o.Upstream = &url.URL{Scheme: "https", Host: o.Upstream.Host}
		o.TLS = &tls.Config{RootCAs: pool, ServerName: "example.com"}
		if !trusted {
			o.TLS = nil
		}
	})
}

func TestTLSUpstream(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(raw *net.TCPConn, c *tls.Conn)
		how  string
		kind capture.How
	}{
		{"close_notify", func(_ *net.TCPConn, c *tls.Conn) { c.Close() }, "FIN", capture.CloseNotify},
		{"FIN alone", func(raw *net.TCPConn, c *tls.Conn) { raw.Close() }, "FIN", capture.FIN},
		{"reset", func(raw *net.TCPConn, c *tls.Conn) { reset(raw) }, "RST", capture.RST},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tlsRig(t, true, func(raw *net.TCPConn, c *tls.Conn) {
				if c.ConnectionState().NegotiatedProtocol != "http/1.1" {
					t.Error("the proxy offered more than HTTP/1.1")
				}
				if readRequest(c) {
					io.WriteString(c, answer[:len(answer)-5])
					tt.end(raw, c)
				}
			})
			c := r.ask(call)
			got, end := readAll(c)
			if string(got) != answer[:len(answer)-5] || end != tt.how {
				t.Errorf("%d bytes and %s, want %d and %s", len(got), end, len(answer)-5, tt.how)
			}
			c.Close()
			r.settle()
			if len(r.conns) != 1 || r.conns[0].FirstClosing(capture.Server) == nil || r.conns[0].FirstClosing(capture.Server).How != tt.kind {
				t.Errorf("closings %v, want the server's to be %v", r.conns[0].Closings, tt.kind)
			}
			if ex := r.exchanges[0]; ex.Request.AckedAt(int64(len(call))) < 0 {
				t.Error("the request does not count as taken by the upstream")
			}
		})
	}
}

func TestTLSUpstreamIsNotTrusted(t *testing.T) {
	r := tlsRig(t, false, func(*net.TCPConn, *tls.Conn) {})
	got, _ := readAll(r.ask(call))
	if !strings.HasPrefix(string(got), "HTTP/1.1 502 ") || !strings.Contains(string(got), "certificate") {
		t.Errorf("%q, want a 502 that speaks of the certificate", got)
	}
	r.settle()
	if len(r.failures) != 1 || r.failures[0].Kind != "tls-handshake" {
		t.Errorf("failures %v", r.failures)
	}
}
