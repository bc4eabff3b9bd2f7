package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
)

// The limits that hold where Options say nothing.
const (
	DefaultHeadTimeout = 30 * time.Second
	DefaultIdleTimeout = 15 * time.Minute
	DefaultMaxLinks    = 4096
)

// Options say what a Proxy does. Only Upstream is needed.
type Options struct {
	Upstream *url.URL    // http or https; nothing but scheme and host is used
	TLS      *tls.Config // towards an https upstream; nil: the system's roots
	// Host is sent as Host in place of what clients send; "": it is left alone.
	Host string
	// AllowHosts are names, beside those of this machine, that clients may call a loopback listener by; "*": all.
	AllowHosts []string
	// HeadTimeout is how long a request's head may take, IdleTimeout how long a connection without a request in flight may
	// be silent; 0: the defaults. A request or response that has begun may take any time.
	HeadTimeout, IdleTimeout time.Duration
	MaxLinks                 int // connections of clients at a time; 0: DefaultMaxLinks
	// Notice receives one line for each thing that a user may want to know at once: refusals, failures to connect. It is
	// called from any goroutine. May be nil.
	Notice func(string)
}

// Proxy forwards the connections of a listener to one upstream. Its methods may be called from any goroutine.
type Proxy struct {
	opt   Options
	addr  string // host:port of the upstream
	tls   *tls.Config
	feed  *feed.Feed
	clock func() capture.Instant
	guard *guard

	mu    sync.Mutex
	links map[*link]bool

	count atomic.Int64 // connections so far
	stats struct{ flight, refused, failed, turned atomic.Int64 }
}

// Stats counts what a Proxy is doing and has done.
type Stats struct {
	Links    int   // clients connected now
	InFlight int64 // requests without the end of their response now
	Refused  int64 // requests refused
	Failed   int64 // attempts to reach the upstream that failed
	Turned   int64 // connections turned away because there were too many
}

// New returns a Proxy that tells f what it does. The error is one of the options.
func New(o Options, f *feed.Feed) (*Proxy, error) {
	u := o.Upstream
	if u == nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the upstream must be an http or https URL with a host")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the upstream URL must have no user, query or fragment")
	}
	if o.HeadTimeout <= 0 {
		o.HeadTimeout = DefaultHeadTimeout
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	if o.MaxLinks <= 0 {
		o.MaxLinks = DefaultMaxLinks
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	p := &Proxy{opt: o, addr: net.JoinHostPort(u.Hostname(), port), feed: f, clock: newClock(), links: map[*link]bool{}}
	if u.Scheme == "https" {
		p.tls = &tls.Config{}
		if o.TLS != nil {
			p.tls = o.TLS.Clone()
		}
		p.tls.NextProtos = []string{"http/1.1"}
		if p.tls.ServerName == "" {
			p.tls.ServerName = u.Hostname()
		}
	}
	return p, nil
}

// newClock returns a clock that never goes back, as long as the program runs.
func newClock() func() capture.Instant {
	start := time.Now()
	wall := start.UnixNano()
	return func() capture.Instant { return capture.Instant(wall + int64(time.Since(start))) }
}

// Stats returns the counts as they are now.
func (p *Proxy) Stats() Stats {
	p.mu.Lock()
	n := len(p.links)
	p.mu.Unlock()
	s := &p.stats
	return Stats{n, s.flight.Load(), s.refused.Load(), s.failed.Load(), s.turned.Load()}
}

// Serve forwards what comes to l until ctx is done, and then cuts off what is in flight: with a reset, for an ending in
// order could be taken for the upstream's. It closes l and returns when all is told to the feed.
//
// The error is that of a listener that failed for good.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.guard = newGuard(l.Addr(), p.opt.AllowHosts)
	var wg sync.WaitGroup
	wg.Go(func() { p.watch(ctx) })
	stop := context.AfterFunc(ctx, func() {
		l.Close()
		p.each((*link).abort)
	})
	defer stop()
	var failure error
	for ctx.Err() == nil {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				break
			}
			var ne net.Error
			if !errors.As(err, &ne) {
				failure = err
				break
			}
			p.opt.Notice(fmt.Sprintf("cannot accept a connection: %v", err))
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if k := p.admit(ctx, c); k != nil {
			wg.Go(func() {
				defer p.leave(k)
				k.run()
			})
		}
	}
	cancel()
	wg.Wait()
	return failure
}

// admit makes a link for a client that has connected; nil: it is turned away.
func (p *Proxy) admit(ctx context.Context, c net.Conn) *link {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		c.Close()
		return nil
	}
	client, err := newLeg(tcp)
	if err != nil {
		c.Close()
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.links) >= p.opt.MaxLinks {
		if p.stats.turned.Add(1) == 1 {
			p.opt.Notice(fmt.Sprintf("more than %d connections: turning clients away", p.opt.MaxLinks))
		}
		client.reset()
		return nil
	}
	k := newLink(ctx, p, client)
	p.links[k] = true
	if ctx.Err() != nil {
		client.reset()
	}
	return k
}

func (p *Proxy) leave(k *link) {
	p.mu.Lock()
	delete(p.links, k)
	p.mu.Unlock()
}

func (p *Proxy) each(f func(*link)) {
	p.mu.Lock()
	all := make([]*link, 0, len(p.links))
	for k := range p.links {
		all = append(all, k)
	}
	p.mu.Unlock()
	for _, k := range all {
		f(k)
	}
}

// watch looks after the links once a second: what times out, and clients that went while nobody was reading from them.
func (p *Proxy) watch(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			p.each((*link).watch)
		}
	}
}
