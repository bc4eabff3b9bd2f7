package proxy

import (
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// responses forwards the upstream's bytes until it ends or is cut off.
func (k *link) responses() {
	defer close(k.answered)
	out := &outbound{link: k, window: newWindow(), hold: -1}
	defer out.window.release()
	out.parser = http1.NewResponseParser(out, k.method)
	for {
		n, err := out.window.read(k.up)
		if n > 0 && !out.forward(n) {
			return
		}
		if err != nil {
			out.write(out.window.bytes()) // a head that broke off
			k.serverEnded(k.up.ending(err))
			return
		}
	}
}

// outbound is the upstream's direction. It holds back a head until it is whole, so that one that says its length in two
// ways does not reach the client; everything else goes on at once.
type outbound struct {
	*link
	window *window
	parser *http1.Parser
	base   int64 // offset of the window
	hold   int64 // offset at which the head that is held back begins; -1: none
	opaque bool  // not framed any more: passed on as it comes
	status int
	bad    *refusal
}

// forward passes on what may be passed of the window, whose last n bytes are new; false: the link is over.
func (o *outbound) forward(n int) bool {
	k := o.link
	s := k.stamp()
	k.active.Store(int64(s.Seen))
	w := o.window.bytes()
	fresh := w[len(w)-n:]
	k.tap.Keep(capture.Server, fresh, o.window.large, s)
	if !o.opaque {
		o.parser.Write(fresh)
	}
	if o.bad != nil {
		k.spoilt(o.bad)
		return false
	}
	safe := len(w)
	if o.hold >= 0 {
		safe = int(o.hold - o.base)
	}
	if !o.write(w[:safe]) {
		return false
	}
	o.window.drop(safe)
	return true
}

// write passes p on to the client; false: the client is gone.
func (o *outbound) write(p []byte) bool {
	if len(p) == 0 {
		return true
	}
	k := o.link
	o.base += int64(len(p))
	if err := k.toClient.write(p, o.base); err != nil {
		if how := k.client.ending(err); how != capture.NoEnd {
			k.clientEnded(capture.RST)
		}
		return false
	}
	return true
}

// spoilt answers in place of a response that must not be passed on. What the client still sends goes nowhere.
func (k *link) spoilt(r *refusal) {
	k.p.opt.Notice("an answer of the upstream was not passed on: " + r.why)
	k.deaf.Store(true)
	k.serverGone.Store(true)
	k.toClient.stop() // what the client takes from now on is not the upstream's
	k.up.reset()
	k.client.SetWriteDeadline(time.Now().Add(lingerTime))
	k.client.Write(r.answer())
	k.client.finish()
}

// Start implements http1.Handler.
func (o *outbound) Start(off int64) { o.hold = off }

// Head implements http1.Handler.
func (o *outbound) Head(h *http1.Head, _ int64) {
	if h.Conflict || h.Framing == http1.Faulty {
		o.bad = &refusal{502, "the upstream's answer says its length in two ways", true}
		return
	}
	o.hold, o.status = -1, h.Status
}

// Body implements http1.Handler.
func (o *outbound) Body(int64, int64) {}

// Lost implements http1.Handler.
func (o *outbound) Lost(int64, int64) {}

// End implements http1.Handler.
func (o *outbound) End(int64) {
	if o.status == 101 {
		o.opaque = true
		o.tunnel.Store(true)
	}
	if o.status >= 200 || o.status == 101 {
		o.ended()
	}
}

// Broken implements http1.Handler. What cannot be framed is the client's to judge.
func (o *outbound) Broken(int64, string) {
	o.opaque, o.hold = true, -1
}
