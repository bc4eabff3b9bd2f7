package tls

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// relay passes one connection after the other on to a server and records each.
type relay struct {
	net.Listener
	target string
	mu     sync.Mutex
	all    []*recording
	done   chan struct{} // one value for each connection that ended
}

func newRelay(t *testing.T, target string) *relay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &relay{Listener: l, target: target, done: make(chan struct{}, 10)}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			r.serve(client)
			r.done <- struct{}{}
		}
	}()
	return r
}

func (r *relay) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		return
	}
	defer server.Close()
	rec := &recording{}
	r.mu.Lock()
	r.all = append(r.all, rec)
	r.mu.Unlock()
	var both sync.WaitGroup
	pass := func(fromClient bool, from, to net.Conn) {
		buf := make([]byte, 1<<16)
		for {
			n, err := from.Read(buf)
			r.mu.Lock()
			if n > 0 {
				rec.pieces = append(rec.pieces, piece{fromClient, bytes.Clone(buf[:n])})
			}
			r.mu.Unlock()
			to.Write(buf[:n])
			if err != nil {
				to.(*net.TCPConn).CloseWrite()
				return
			}
		}
	}
	both.Go(func() { pass(true, client, server) })
	both.Go(func() { pass(false, server, client) })
	both.Wait()
}

// program is an openssl command that is spoken to.
type program struct {
	t    *testing.T
	in   io.WriteCloser
	mu   sync.Mutex
	out  bytes.Buffer
	read int // how much of out was waited for
	more chan struct{}
	cmd  *exec.Cmd
}

func openssl(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command("openssl", args...), more: make(chan struct{}, 1)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	return p
}

func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Write(b)
	select {
	case p.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

// until waits for text in the output, behind what was waited for before.
func (p *program) until(text string) {
	p.t.Helper()
	late := time.After(20 * time.Second)
	for {
		p.mu.Lock()
		at := strings.Index(p.out.String()[p.read:], text)
		p.mu.Unlock()
		if at >= 0 {
			p.read += at + len(text)
			return
		}
		select {
		case <-p.more:
		case <-late:
			p.t.Fatalf("openssl never said %q:\n%s", text, p.out.String())
		}
	}
}

func (p *program) say(line string) { io.WriteString(p.in, line+"\n") }

// opensslServer starts a server with certificates of both kinds and a relay in front of it.
func opensslServer(t *testing.T, args ...string) (*program, *relay) {
	t.Helper()
	if testing.Short() {
		t.Skip("short")
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl")
	}
	dir := t.TempDir()
	command := []string{"s_server", "-accept", "127.0.0.1:0"}
	for i, option := range []string{"", "d"} {
		cert := certificates()[i]
		der, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})...)
		file := filepath.Join(dir, option+"cert.pem")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		command = append(command, "-"+option+"cert", file, "-"+option+"key", file)
	}
	server := openssl(t, append(command, args...)...)
	server.until("ACCEPT ") // and the address
	server.until("\n")
	_, address, _ := strings.Cut(server.out.String(), "ACCEPT ")
	address, _, _ = strings.Cut(address, "\n")
	return server, newRelay(t, strings.TrimSpace(address))
}

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// converse has a client say the lines to a server that reverses each, and returns the recording. Lines of one letter
// are commands to the client.
func converse(t *testing.T, r *relay, lines []string, args ...string) *recording {
	t.Helper()
	keyFile := filepath.Join(t.TempDir(), "keys")
	client := openssl(t, append([]string{"s_client", "-connect", r.Addr().String(), "-keylogfile", keyFile, "-servername", "mcp.example"}, args...)...)
	var sent, received bytes.Buffer
	for _, line := range lines {
		client.say(line)
		switch line {
		case "k", "K":
			client.until("KEYUPDATE")
		case "R":
			client.until("RENEGOTIATING")
		default:
			client.until(reverse(line))
			sent.WriteString(line + "\n")
			received.WriteString(reverse(line) + "\n")
		}
	}
	client.say("CLOSE")
	sent.WriteString("CLOSE\n")
	<-r.done
	rec := r.all[len(r.all)-1]
	rec.keys, _ = os.ReadFile(keyFile)
	rec.client, rec.server = sent.Bytes(), received.Bytes()
	return rec
}

func TestOpenSSL(t *testing.T) {
	lines := []string{"what is the answer", strings.Repeat("many words ", 300), "done here"}
	updates := []string{"a first line", "k", "a line under the second key", "K", "a line when both are new"}
	for _, test := range []struct {
		name           string
		server, client string
		lines          []string
	}{
		{"TLS_AES_128_GCM_SHA256", "", "-ciphersuites TLS_AES_128_GCM_SHA256", updates},
		{"TLS_AES_256_GCM_SHA384", "", "-ciphersuites TLS_AES_256_GCM_SHA384", updates},
		{"TLS_CHACHA20_POLY1305_SHA256", "", "-ciphersuites TLS_CHACHA20_POLY1305_SHA256", updates},
		{"TLS_AES_128_CCM_SHA256", "-ciphersuites TLS_AES_128_CCM_SHA256", "-ciphersuites TLS_AES_128_CCM_SHA256", updates},
		{"TLS_AES_128_CCM_8_SHA256", "-ciphersuites TLS_AES_128_CCM_8_SHA256", "-ciphersuites TLS_AES_128_CCM_8_SHA256", updates},
		{"TLS_AES_256_GCM_SHA384", "-groups P-384", "-ciphersuites TLS_AES_256_GCM_SHA384 -groups X25519:P-384", lines}, // HelloRetryRequest
		{"TLS_AES_256_GCM_SHA384", "-no_middlebox", "-no_middlebox -ciphersuites TLS_AES_256_GCM_SHA384", lines},
		{"TLS_AES_256_GCM_SHA384", "-record_padding 512", "-record_padding 512 -ciphersuites TLS_AES_256_GCM_SHA384", lines},
		{"TLS_RSA_WITH_AES_128_GCM_SHA256", "", "-tls1_2 -cipher AES128-GCM-SHA256", lines},
		{"TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", "", "-tls1_2 -cipher DHE-RSA-AES256-GCM-SHA384", lines},
		{"TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "", "-tls1_2 -cipher DHE-RSA-CHACHA20-POLY1305", lines},
		{"TLS_ECDHE_ECDSA_WITH_AES_128_CCM", "", "-tls1_2 -cipher ECDHE-ECDSA-AES128-CCM", lines},
		{"TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", "", "-tls1_2 -cipher ECDHE-ECDSA-AES256-CCM8", lines},
		{"TLS_RSA_WITH_AES_256_CCM", "", "-tls1_2 -cipher AES256-CCM", lines},
		{"TLS_DHE_RSA_WITH_AES_256_CBC_SHA256", "", "-tls1_2 -cipher DHE-RSA-AES256-SHA256", lines}, // encrypt-then-MAC
		{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "", "-tls1_2 -cipher ECDHE-RSA-AES256-SHA384", lines},
		{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "-no_etm", "-tls1_2 -cipher ECDHE-RSA-AES256-SHA384", lines},
		{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "-no_etm", "-tls1_2 -cipher ECDHE-RSA-AES128-SHA256", lines},
		{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "-cipher ALL:@SECLEVEL=0", "-tls1_1 -cipher ECDHE-RSA-AES128-SHA:@SECLEVEL=0", lines},
		{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "-cipher ALL:@SECLEVEL=0", "-tls1 -cipher ECDHE-RSA-AES256-SHA:@SECLEVEL=0", lines},
		{"TLS_RSA_WITH_AES_256_CBC_SHA", "-no_etm -cipher ALL:@SECLEVEL=0", "-tls1 -cipher AES256-SHA:@SECLEVEL=0", lines},
		{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "-client_renegotiation", "-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256", []string{"before", "R", "after that", "R", "the end"}},
		{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "-client_renegotiation", "-tls1_2 -cipher ECDHE-RSA-AES256-SHA384", []string{"before", "R", "after that", "R", "the end"}},
	} {
		t.Run(test.name+" "+test.client, func(t *testing.T) {
			t.Parallel() // the client waits a second after each command
			server := append([]string{"-rev", "-cipher", "ALL"}, strings.Fields(test.server)...)
			_, relay := opensslServer(t, server...)
			r := converse(t, relay, test.lines, strings.Fields(test.client)...)
			s, c := r.read(t, keyLog(t, r.keys))
			r.check(t, s)
			if c.Info().Suite != test.name {
				t.Errorf("info %+v", c.Info())
			}
			bytewise, _ := r.split(func() int { return 1 }).read(t, keyLog(t, r.keys))
			r.check(t, bytewise)
		})
	}
}

func TestEarlyData(t *testing.T) {
	dir := t.TempDir()
	session, early := filepath.Join(dir, "session"), filepath.Join(dir, "early")
	if err := os.WriteFile(early, []byte("early words"), 0o600); err != nil {
		t.Fatal(err)
	}
	// talk makes a connection in which each side says a line.
	talk := func(server *program, r *relay, args ...string) *recording {
		keyFile := filepath.Join(t.TempDir(), "keys")
		client := openssl(t, append([]string{"s_client", "-connect", r.Addr().String(), "-keylogfile", keyFile}, args...)...)
		server.say("from the server")
		client.until("from the server")
		client.say("from the client")
		server.until("from the client")
		client.say("Q")
		<-r.done
		rec := r.all[len(r.all)-1]
		rec.keys, _ = os.ReadFile(keyFile)
		rec.client, rec.server = []byte("from the client\n"), []byte("from the server\n")
		return rec
	}
	server, relay := opensslServer(t, "-early_data")
	r := talk(server, relay, "-sess_out", session)
	s, _ := r.read(t, keyLog(t, r.keys))
	r.check(t, s)

	r = talk(server, relay, "-sess_in", session, "-early_data", early)
	r.client = append([]byte("early words"), r.client...)
	s, c := r.read(t, keyLog(t, r.keys))
	r.check(t, s)
	if !c.Info().Resumed {
		t.Error("not resumed")
	}
	bytewise, _ := r.split(func() int { return 1 }).read(t, keyLog(t, r.keys))
	r.check(t, bytewise)
	var without []byte
	for line := range bytes.Lines(r.keys) {
		if !bytes.HasPrefix(line, []byte("SERVER_HANDSHAKE")) {
			without = append(without, line...)
		}
	}
	s, _ = r.read(t, keyLog(t, without)) // whether the server took it cannot be known
	if got := string(s.plain[true]); got != "from the client\n" || len(s.lost[true]) != 1 || s.lost[true][0].plain != -1 {
		t.Errorf("client %q, lost %v", got, s.lost)
	}

	for _, args := range [][]string{nil, {"-groups", "P-384"}} { // another server throws it away; or asks for another hello
		server, relay = opensslServer(t, args...)
		r = talk(server, relay, "-sess_in", session, "-early_data", early, "-groups", "X25519:P-384")
		s, _ = r.read(t, keyLog(t, r.keys))
		if got := string(s.plain[true]); got != string(r.client) || s.why != nil {
			t.Errorf("client %q, opaque %q", got, s.why)
		}
		if got := s.lost[true]; len(got) != 1 || got[0].plain != 0 {
			t.Errorf("lost %v", got)
		}
	}
}
