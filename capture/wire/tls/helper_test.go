package tls

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	stdtls "crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// piece is one run of ciphertext of a recorded connection.
type piece struct {
	fromClient bool
	data       []byte
}

// recording is a connection as a capture would hold it, and what was sent over it.
type recording struct {
	pieces         []piece
	keys           []byte
	client, server []byte // plaintext
}

// wire is one direction of a recording.
func (r *recording) wire(fromClient bool) []byte {
	var all []byte
	for _, p := range r.pieces {
		if p.fromClient == fromClient {
			all = append(all, p.data...)
		}
	}
	return all
}

// tap records what passes through the client's end of a connection.
type tap struct {
	net.Conn
	mu     sync.Mutex
	pieces []piece
}

func (t *tap) add(fromClient bool, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pieces = append(t.pieces, piece{fromClient, bytes.Clone(p)})
}

func (t *tap) Write(p []byte) (int, error) {
	t.add(true, p)
	return t.Conn.Write(p)
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	if n > 0 {
		t.add(false, p[:n])
	}
	return n, err
}

// seen is a handler that keeps everything and checks the order of the calls.
type seen struct {
	t      testing.TB
	plain  map[bool][]byte
	spans  map[bool][]span // of Plain: where, and how many bytes
	lost   map[bool][]span
	alerts map[bool][]alert
	hellos []Info
	why    []string
	last   map[bool]int64
}

type alert struct {
	fatal bool
	code  uint8
	end   int64
}

func newSeen(t testing.TB) *seen {
	return &seen{t: t, plain: map[bool][]byte{}, spans: map[bool][]span{}, lost: map[bool][]span{}, alerts: map[bool][]alert{}, last: map[bool]int64{}}
}

func (s *seen) advance(fromClient bool, start, end int64) {
	if start < s.last[fromClient] || end <= start {
		s.t.Errorf("client %v: range [%d,%d) after %d", fromClient, start, end, s.last[fromClient])
	}
	s.last[fromClient] = end
}

func (s *seen) Plain(fromClient bool, p []byte, start, end int64) {
	s.advance(fromClient, start, end)
	s.plain[fromClient] = append(s.plain[fromClient], p...)
	s.spans[fromClient] = append(s.spans[fromClient], span{start, end, int64(len(p))})
}

func (s *seen) Lost(fromClient bool, start, end int64, plainLen int64) {
	s.advance(fromClient, start, end)
	s.lost[fromClient] = append(s.lost[fromClient], span{start, end, plainLen})
}

func (s *seen) Alert(fromClient bool, fatal bool, code uint8, end int64) {
	s.alerts[fromClient] = append(s.alerts[fromClient], alert{fatal, code, end})
}

func (s *seen) Hello(info Info)   { s.hellos = append(s.hellos, info) }
func (s *seen) Opaque(why string) { s.why = append(s.why, why) }

// keyLog makes a KeyLog that must take every line.
func keyLog(t testing.TB, text []byte) *KeyLog {
	t.Helper()
	k := NewKeyLog()
	if bad := k.Add(text); bad != nil {
		t.Fatalf("key log: %v", bad)
	}
	return k
}

// read feeds a recording to a new Conn and returns what came of it.
func (r *recording) read(t testing.TB, keys *KeyLog) (*seen, *Conn) {
	s := newSeen(t)
	c := New(keys, s)
	for _, p := range r.pieces {
		c.Write(p.fromClient, p.data)
	}
	c.Close()
	return s, c
}

// check compares what was read with what was sent.
func (r *recording) check(t testing.TB, s *seen) {
	t.Helper()
	for _, fromClient := range []bool{true, false} {
		want := r.server
		if fromClient {
			want = r.client
		}
		if got := s.plain[fromClient]; !bytes.Equal(got, want) {
			t.Errorf("client %v: %d bytes of plaintext, want %d", fromClient, len(got), len(want))
		}
		if s.lost[fromClient] != nil {
			t.Errorf("client %v: lost %v", fromClient, s.lost[fromClient])
		}
	}
	if s.why != nil {
		t.Errorf("opaque: %q", s.why)
	}
}

var certificates = sync.OnceValue(func() []stdtls.Certificate {
	ec, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rs, err2 := rsa.GenerateKey(rand.Reader, 2048)
	if err1 != nil || err2 != nil {
		panic("no keys")
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"mcp.example"}}
	sign := func(public, private any) stdtls.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
		if err != nil {
			panic(err)
		}
		return stdtls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
	}
	return []stdtls.Certificate{sign(&rs.PublicKey, rs), sign(&ec.PublicKey, ec)}
})

// peers is what a test wants of the two ends of crypto/tls.
type peers struct {
	client, server stdtls.Config
	messages       [][]byte // the client sends them one after the other; the server sends each back twice
}

// run lets the peers talk and records it. Errors of the peers are of no concern; what is missing will show.
func (p *peers) run(t testing.TB) *recording {
	t.Helper()
	var keys bytes.Buffer
	p.client.KeyLogWriter = &keys
	p.client.InsecureSkipVerify = true
	if p.client.ServerName == "" {
		p.client.ServerName = "mcp.example"
	}
	if p.server.Certificates == nil {
		p.server.Certificates = certificates()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		raw, err := l.Accept()
		if err != nil {
			return
		}
		defer raw.Close()
		conn := stdtls.Server(raw, &p.server)
		for _, m := range p.messages {
			got := make([]byte, len(m))
			if _, err := io.ReadFull(conn, got); err != nil {
				break
			}
			conn.Write(got)
			conn.Write(got)
		}
		conn.Read(make([]byte, 1)) // the client's close_notify
		conn.Close()
	}()
	raw, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	r := &recording{}
	w := &tap{Conn: raw}
	conn := stdtls.Client(w, &p.client)
	for _, m := range p.messages {
		conn.Write(m)
		got := make([]byte, 2*len(m))
		if _, err := io.ReadFull(conn, got); err != nil {
			break
		}
		r.client = append(r.client, m...)
		r.server = append(r.server, got...)
	}
	conn.CloseWrite()
	io.Copy(io.Discard, conn)
	<-done
	r.pieces, r.keys = w.pieces, keys.Bytes()
	return r
}

// conversation is a few messages of different sizes, from 1 byte to several records.
func conversation() [][]byte {
	var all [][]byte
	for i, n := range []int{1, 100, 3000, 40000, 17, 900, 2} {
		all = append(all, bytes.Repeat([]byte{byte('a' + i)}, n))
	}
	return all
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
