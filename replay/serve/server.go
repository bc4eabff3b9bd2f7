package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"sync"
	"time"

	"mcptrace/capture"
)

// Options say how a recording is served.
type Options struct {
	Listen string  // address; "": a free port of 127.0.0.1
	Speed  float64 // 1: as recorded; 2: twice as fast; Max: without pauses; 0: 1
	Cuts   []Cut   // of several that apply the first counts
	TLS    *bool   // nil: where an HTTP/2 exchange was recorded over TLS
	// Done is called after each exchange, when the client or this side has ended it. It must be safe for concurrent use.
	Done func(Play)
}

// Max is the speed at which nothing waits for its recorded moment.
var Max = math.Inf(1)

// ErrNothing says that a recording holds no exchange that could be served.
var ErrNothing = errors.New("nothing to serve: no exchange with its request was recorded")

// Server plays a Recording to whoever connects.
type Server struct {
	rec      *Recording
	opt      Options
	ln       net.Listener
	tls      *tls.Config
	cert     []byte
	sessions *sessions
	log      playLog
	done     chan struct{}
	once     sync.Once
	wg       sync.WaitGroup
	mu       sync.Mutex
	conns    map[net.Conn]bool
}

// Start begins to serve rec. Close ends it. The error is ErrCut, wrapped, if one of
// the cuts applies to no exchange.
func Start(rec *Recording, o Options) (*Server, error) {
	rec.ready()
	if len(rec.entries) == 0 {
		return nil, ErrNothing
	}
	for i := range o.Cuts {
		if err := o.Cuts[i].check(rec); err != nil {
			return nil, err
		}
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Speed <= 0 {
		o.Speed = 1
	}
	s := &Server{rec: rec, opt: o, sessions: newSessions(), done: make(chan struct{}), conns: map[net.Conn]bool{}}
	s.log.done = o.Done
	if o.TLS == nil && rec.overTLS() || o.TLS != nil && *o.TLS {
		if err := s.makeCertificate(); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	s.ln = ln
	s.wg.Add(1)
	go s.accept()
	return s, nil
}

// overTLS reports whether HTTP/2 was recorded under TLS.
func (r *Recording) overTLS() bool {
	for _, e := range r.entries {
		if e.ex.Proto == "2" && e.ex.Conn.TLS != nil {
			return true
		}
	}
	return false
}

// URL is where a client finds the server: the target of the first recorded request that a client of its transport begins
// with.
func (s *Server) URL() string {
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	return scheme + "://" + s.ln.Addr().String() + s.rec.entry().path()
}

// entry returns the exchange with which a client begins.
func (r *Recording) entry() *entry {
	for _, e := range r.entries {
		if e.rd.Endpoint != "" {
			return e
		}
	}
	for _, e := range r.entries {
		if e.rd.Kind != capture.KindNone {
			return e
		}
	}
	return r.entries[0]
}

func (e *entry) path() string { return pathQuery(e.ex.Request.Head.Target) }

// Certificate returns the certificate of a server that speaks TLS, in PEM; nil for one that does not.
func (s *Server) Certificate() []byte { return s.cert }

// Plays returns what was played so far, in order of the requests, with verdicts that later requests may still change.
func (s *Server) Plays() []Play { return s.log.all(Exit{}) }

// Outcome is Plays for a client that has ended: whether it reported success tells an answer that was kept from one that
// was thrown away. It waits a moment for the client's connections to be seen to close.
func (s *Server) Outcome(ok bool) []Play {
	at := time.Now()
	for end := at.Add(settling); s.log.underWay() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return s.log.all(Exit{Known: true, OK: ok, At: at})
}

// settling is how long the close of a client that has ended may take to be seen.
const settling = 200 * time.Millisecond

// Close ends all connections and returns when nothing is played any more.
func (s *Server) Close() error {
	s.once.Do(func() {
		close(s.done)
		s.ln.Close()
		s.mu.Lock()
		for c := range s.conns {
			c.Close()
		}
		s.mu.Unlock()
	})
	s.wg.Wait()
	return nil
}

func (s *Server) accept() {
	defer s.wg.Done()
	for {
		c, err := s.ln.Accept()
		if err != nil {
			select {
			case <-s.done:
				return
			case <-time.After(10 * time.Millisecond): // out of file descriptors
				continue
			}
		}
		if !s.track(c) {
			c.Close()
			return
		}
		s.wg.Add(1)
		go func() {
			defer s.wg.Done()
			defer s.forget(c)
			s.serve(c)
		}()
	}
}

// track notes an open connection; false: the server is closing.
func (s *Server) track(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return false
	default:
	}
	s.conns[c] = true
	return true
}

func (s *Server) forget(c net.Conn) {
	c.Close()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

// serve speaks with one client, in the protocol it begins with.
func (s *Server) serve(raw net.Conn) {
	c := &conn{s: s, raw: raw, Conn: raw, gone: make(chan struct{}), more: make(chan struct{}, 1)}
	if s.tls != nil {
		t := tls.Server(raw, s.tls)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err := t.HandshakeContext(ctx)
		cancel()
		if err != nil {
			return
		}
		c.Conn = t
	}
	c.run()
}

// scaled returns how long d takes at the speed of the server.
func (s *Server) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) / s.opt.Speed)
}

func (s *Server) scheme() string {
	if s.tls != nil {
		return "https"
	}
	return "http"
}
