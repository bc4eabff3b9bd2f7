package proxy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
)

// link is one client's connection and the upstream's that serves it.
//
// Two goroutines run a link: requests reads from the client, responses from the upstream. Each tells the tap what it read
// before it writes it, so that nothing is told before what caused it.
type link struct {
	p    *Proxy
	ctx  context.Context
	stop context.CancelFunc
	conn *capture.Conn

	client   *leg
	up       *leg      // nil until the first request; then never changed
	tap      *feed.Tap // nil until then
	toClient *acker
	toUp     *acker
	answered chan struct{} // closed when responses has returned

	flight  atomic.Int32 // requests without the end of their response
	tunnel  atomic.Bool  // after an upgrade: bytes are no longer framed
	reading atomic.Bool  // requests is reading from the client
	active  atomic.Int64 // Instant of the last byte read
	headAt  atomic.Int64 // Instant since which a head is coming in; 0: none is
	deaf    atomic.Bool  // the upstream takes nothing any more
	joined  atomic.Bool  // up, tap and the ackers are set

	clientGone, serverGone atomic.Bool // that peer has closed or reset

	mu      sync.Mutex
	methods []string // of the requests in flight
	how     [2]capture.How
	aborted bool
}

func newLink(ctx context.Context, p *Proxy, client *leg) *link {
	k := &link{p: p, client: client, answered: make(chan struct{})}
	k.ctx, k.stop = context.WithCancel(ctx)
	now := p.clock()
	_, rtt := client.info()
	k.conn = &capture.Conn{ID: p.count.Add(1), Client: addrPort(client.RemoteAddr()), Open: now, Last: now,
		Vantage: capture.Vantage{Kind: "proxy", RTTClient: rtt}}
	k.active.Store(int64(now))
	return k
}

// run forwards until both directions are over.
func (k *link) run() {
	defer k.stop()
	k.requests()
	if k.up != nil {
		<-k.answered
		k.up.close()
		k.toUp.stop()
	}
	if k.toClient != nil {
		k.toClient.last()
		k.toClient.stop()
	}
	k.client.close()
	if k.tap != nil {
		k.tap.Close(k.stamp())
	}
	k.p.stats.flight.Add(-int64(k.flight.Swap(0)))
}

// stamp returns the moment that it is.
func (k *link) stamp() capture.Stamp {
	now := k.p.clock()
	return capture.Stamp{Seen: now, At: now}
}

// connect reaches the upstream for the first request, and starts what passes its responses on.
func (k *link) connect() error {
	up, err := k.dial()
	k.tap = k.p.feed.Connect(k.conn)
	k.toClient = &acker{leg: k.client, tap: k.tap, of: capture.Server, clock: k.p.clock, gone: &k.clientGone, exact: true}
	if err != nil {
		return err
	}
	k.toUp = &acker{leg: up, tap: k.tap, of: capture.Client, clock: k.p.clock, gone: &k.serverGone}
	k.mu.Lock()
	k.up = up
	if k.aborted {
		up.reset()
	}
	k.mu.Unlock()
	k.joined.Store(true)
	go k.responses()
	return nil
}

// maxFlight bounds the requests that one client has in flight, which are remembered until they are answered.
const maxFlight = 1000

// begin notes that a request is about to be forwarded, unless there are too many.
func (k *link) begin(method string) error {
	if k.flight.Load() >= maxFlight {
		return refuse(503, "too many requests in flight on one connection")
	}
	k.mu.Lock()
	k.methods = append(k.methods, method)
	k.mu.Unlock()
	k.flight.Add(1)
	k.p.stats.flight.Add(1)
	return nil
}

// ended tells that the response to the oldest request is complete.
func (k *link) ended() {
	k.mu.Lock()
	known := len(k.methods) > 0
	if known {
		k.methods = k.methods[1:]
	}
	k.mu.Unlock()
	if known {
		k.flight.Add(-1)
		k.p.stats.flight.Add(-1)
	}
}

// method returns the method of the request whose response comes next.
func (k *link) method() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.methods) == 0 {
		return ""
	}
	return k.methods[0]
}

// told notes how a peer ended; false: that was known. A reset may follow a FIN.
func (k *link) told(by capture.Side, how capture.How) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if how == capture.NoEnd || k.how[by] == how || k.how[by] == capture.RST || k.aborted {
		return false
	}
	k.how[by] = how
	if k.tap != nil {
		k.tap.End(by, how, k.stamp())
	}
	return true
}

// endPatience is how long the upstream may take nothing before a client's reset overtakes the client's bytes.
const endPatience = 2 * time.Second

// clientEnded passes on how the client ended.
func (k *link) clientEnded(how capture.How) {
	if k.toClient != nil {
		k.toClient.last()
	}
	k.clientGone.Store(true)
	if !k.told(capture.Client, how) || k.up == nil {
		return
	}
	if how == capture.FIN {
		k.up.finish()
		return
	}
	k.up.drain(k.ctx, endPatience)
	k.up.reset()
	k.client.reset()
}

// serverEnded passes on how the upstream ended.
func (k *link) serverEnded(how capture.How) {
	k.toUp.last()
	k.serverGone.Store(true)
	if !k.told(capture.Server, how) {
		return
	}
	if how == capture.FIN || how == capture.CloseNotify {
		k.client.finish()
		return
	}
	k.client.drain(k.ctx, drainPatience)
	k.toClient.last()
	k.client.reset()
	k.up.reset()
}

// abort ends the link because the proxy stops. It is no ending of either peer's.
func (k *link) abort() {
	k.mu.Lock()
	k.aborted = true
	up := k.up
	k.mu.Unlock()
	if k.flight.Load() == 0 {
		k.client.close()
		if up != nil {
			up.close()
		}
		return
	}
	k.client.reset()
	if up != nil {
		up.reset()
	}
}

// watch is called once a second.
func (k *link) watch() {
	now := k.p.clock()
	silent := now.Sub(capture.Instant(k.active.Load()))
	if k.joined.Load() && !k.reading.Load() && silent > time.Second {
		// requests is blocked on the upstream, or over: nobody would notice that the client is gone
		if over, _ := k.client.info(); over {
			go k.clientEnded(capture.RST)
			return
		}
	}
	if at := capture.Instant(k.headAt.Load()); at != 0 && now.Sub(at) > k.p.opt.HeadTimeout {
		k.client.SetReadDeadline(time.Now())
		return
	}
	if silent > k.p.opt.IdleTimeout && (k.flight.Load() == 0 || k.serverGone.Load()) {
		k.abort()
	}
}
