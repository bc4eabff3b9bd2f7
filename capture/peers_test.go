package capture

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	wiretls "mcptrace/capture/wire/tls"
)

// Real servers over TLS: Node and nginx. A relay tells an Assembly what passes; the key log is the client's. Each test
// skips where its server is not installed.

// piece is what one side sent at once.
type piece struct {
	from Side
	b    []byte
}

// relay passes connections on to an address and keeps what passes, in the order in which it passed.
type relay struct {
	mu     sync.Mutex
	pieces [][]piece
	wait   sync.WaitGroup
}

func startRelay(t testing.TB, to string) (*relay, string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &relay{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", to)
			if err != nil {
				c.Close()
				continue
			}
			r.mu.Lock()
			n := len(r.pieces)
			r.pieces = append(r.pieces, nil)
			r.wait.Add(2)
			r.mu.Unlock()
			go r.copy(n, Client, c, s)
			go r.copy(n, Server, s, c)
		}
	}()
	return r, l.Addr().String()
}

func (r *relay) copy(n int, from Side, src, dst net.Conn) {
	defer r.wait.Done()
	buf := make([]byte, 32<<10)
	for {
		k, err := src.Read(buf)
		if k > 0 {
			r.mu.Lock()
			r.pieces[n] = append(r.pieces[n], piece{from, bytes.Clone(buf[:k])})
			r.mu.Unlock()
			dst.Write(buf[:k])
		}
		if err != nil {
			dst.(*net.TCPConn).CloseWrite()
			return
		}
	}
}

// tell plays what passed to an Assembly and returns its exchanges.
func (r *relay) tell(keys []byte) []*Exchange {
	r.wait.Wait()
	var out []*Exchange
	a := &Assembly{Keys: wiretls.NewKeyLog(), Sink: func(ex *Exchange) { out = append(out, ex) }}
	a.Keys.Add(keys)
	for i, ps := range r.pieces {
		playPieces(a, i, ps)
	}
	return out
}

func playPieces(a *Assembly, i int, ps []piece) {
	c := &Conn{ID: int64(i), Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:443")}
	d := a.Connection(c)
	var off [2]int64
	at := Instant(1e9)
	for k, p := range ps {
		at += 1e6
		s := Stamp{at, at, int64(k)}
		d.Data(p.from, p.b, s)
		off[p.from] += int64(len(p.b))
		d.Ack(p.from, off[p.from], false, s)
	}
	d.Close(Stamp{at, at, 0})
}

// selfSigned writes a certificate and its key and returns their paths.
func selfSigned(t testing.TB) (cert, key string) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	kder, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: kder}), 0o600)
	return cert, key
}

// fetch asks through a relay and returns what the Assembly makes of it.
func fetch(t testing.TB, to string, h2 bool, version uint16) ([]*Exchange, string) {
	r, addr := startRelay(t, to)
	var keys bytes.Buffer
	tr := &http.Transport{ForceAttemptHTTP2: h2, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, KeyLogWriter: &keys, MinVersion: version, MaxVersion: version}}
	c := &http.Client{Transport: tr, Timeout: 10 * time.Second}
	resp, err := c.Post("https://"+addr+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	tr.CloseIdleConnections()
	return r.tell(keys.Bytes()), string(body)
}

// await waits until a server listens.
func await(t testing.TB, addr string) {
	for range 100 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Skip(addr, "does not listen")
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func checkFetched(t *testing.T, exs []*Exchange, body, proto string) {
	t.Helper()
	if len(exs) != 1 {
		t.Fatalf("%d exchanges, want 1", len(exs))
	}
	ex := exs[0]
	got, _, _ := ex.Response.body(1<<20, func(*Piece) {})
	if ex.Proto != proto || ex.Response.Head == nil || ex.Response.Head.Status != 200 || string(got) != body || ex.Ending.Kind != EndClean {
		t.Errorf("HTTP/%s %+v, body %q, %s; want HTTP/%s with %q", ex.Proto, ex.Response.Head, got, ex.Ending.Kind, proto, body)
	}
}

// readAll starts a server and reads what it says in both versions of TLS and of HTTP.
func readAll(t *testing.T, server *exec.Cmd, addr string) {
	if err := server.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	await(t, addr)
	for _, v := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, h2 := range []bool{false, true} {
			exs, body := fetch(t, addr, h2, v)
			checkFetched(t, exs, body, map[bool]string{false: "1.1", true: "2"}[h2])
		}
	}
}

const nodeServer = `
const h2 = require('http2'), fs = require('fs'), [cert, key, port] = process.argv.slice(1);
h2.createSecureServer({cert: fs.readFileSync(cert), key: fs.readFileSync(key), allowHTTP1: true}, (q, s) => {
  s.writeHead(200, {'content-type': 'text/event-stream'});
  s.write('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  setTimeout(() => s.end(': bye\n\n'), 20);
}).listen(+port, '127.0.0.1');`

func TestNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no Node")
	}
	cert, key := selfSigned(t)
	port := freePort(t)
	cmd := exec.Command(node, "-e", nodeServer, cert, key, port)
	readAll(t, cmd, "127.0.0.1:"+port)
}

func TestNginx(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("no nginx")
	}
	cert, key := selfSigned(t)
	port, dir := freePort(t), t.TempDir()
	conf := filepath.Join(dir, "nginx.conf")
	os.WriteFile(conf, fmt.Appendf(nil, `daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/err;
events {}
http { access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
 server { listen 127.0.0.1:%[2]s ssl http2; ssl_certificate %[3]s; ssl_certificate_key %[4]s; ssl_protocols TLSv1.2 TLSv1.3;
 location / { default_type application/json; return 200 '{"jsonrpc":"2.0","id":1,"result":{}}'; } } }
`, dir, port, cert, key), 0o600)
	cmd := exec.Command(nginx, "-c", conf)
	readAll(t, cmd, "127.0.0.1:"+port)
}

// BenchmarkDecryption compares the path of the same exchanges through TLS and without it.
func BenchmarkDecryption(b *testing.B) {
	const n = 200
	body := "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"" + strings.Repeat("x", 4000) + "\"}}\n\n"
	run := func(encrypted bool) ([]piece, []byte) {
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, body)
		})}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		defer srv.Close()
		scheme := "http"
		if cert, key := selfSigned(b); encrypted {
			scheme = "https"
			go srv.ServeTLS(l, cert, key)
		} else {
			go srv.Serve(l)
		}
		r, addr := startRelay(b, l.Addr().String())
		var keys bytes.Buffer
		tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, KeyLogWriter: &keys}}
		c := &http.Client{Transport: tr}
		for range n {
			resp, err := c.Post(scheme+"://"+addr+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`))
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		tr.CloseIdleConnections()
		r.wait.Wait()
		return r.pieces[0], keys.Bytes()
	}
	plain, _ := run(false)
	secret, keys := run(true)
	play := func(ps []piece) time.Duration {
		start := time.Now()
		a := &Assembly{Keys: wiretls.NewKeyLog(), Sink: func(ex *Exchange) { Read(ex); ex.Release() }}
		a.Keys.Add(keys)
		playPieces(a, 0, ps)
		return time.Since(start)
	}
	var p, s time.Duration
	for b.Loop() {
		p += play(plain)
		s += play(secret)
	}
	b.ReportMetric(float64(s)/float64(p), "tls/plain")
}
