package proxy

import (
	"errors"
	"io"
	"os"
	"time"

	"mcptrace/capture"
)

// requests forwards the client's bytes until the client ends, is refused or is cut off.
func (k *link) requests() {
	in := &inbound{link: k, window: newWindow()}
	defer in.window.release()
	for {
		k.reading.Store(true)
		n, err := in.window.read(k.client)
		k.reading.Store(false)
		if n > 0 {
			in.at = k.stamp()
			k.active.Store(int64(in.at.Seen))
			if r := in.forward(in.window.bytes()); r != nil {
				k.refuse(r, in)
				return
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded) && !in.gate.inHead(): // its end came meanwhile
			k.client.SetReadDeadline(time.Time{})
		case errors.Is(err, os.ErrDeadlineExceeded):
			k.refuse(refuse(408, "the head of the request did not come in time"), in)
			return
		default:
			k.clientEnded(k.client.ending(err))
			return
		}
	}
}

// inbound is the client's direction: what of it has been looked at, told and forwarded.
type inbound struct {
	*link
	window *window
	gate   gate
	off    int64         // offset of what was told
	at     capture.Stamp // when the last bytes were read
}

// forward sends on what may be sent of the window, whose bytes are w.
func (in *inbound) forward(w []byte) error {
	k := in.link
	if k.tunnel.Load() {
		in.send(w, w)
		in.window.drop(len(w))
		return nil
	}
	var out []byte // what is to be sent instead of w[:from]
	from := 0      // of w, not in out
	for {
		safe, headAt, head, err := in.gate.next(w)
		if head != nil {
			if err = k.p.guard.check(head); err == nil && k.up == nil {
				if err = k.connect(); err != nil {
					in.failed(w, err)
				}
			}
			if err == nil {
				err = k.begin(head.method)
			}
			if err != nil {
				safe = headAt
			}
		}
		if err != nil {
			if k.up != nil && safe > 0 {
				in.send(w[:safe], append(out, w[from:safe]...))
			}
			return err
		}
		if head != nil {
			if h := k.p.opt.Host; h != "" && h != head.host {
				out = append(out, w[from:headAt]...)
				out = append(out, head.withHost(w[headAt:safe], h)...)
				from = safe
			}
			if safe < len(w) {
				continue
			}
		}
		if from > 0 {
			in.send(w[:safe], append(out, w[from:safe]...))
		} else {
			in.send(w[:safe], w[:safe])
		}
		in.gate.shift(safe)
		in.window.drop(safe)
		in.since()
		return nil
	}
}

// since notes whether a head is coming in.
func (in *inbound) since() {
	switch {
	case !in.gate.inHead():
		in.headAt.Store(0)
	case in.headAt.Load() == 0:
		in.headAt.Store(int64(in.at.Seen))
	}
}

// send tells of p and writes out, which stands for it. Once the upstream takes nothing any more, what it does next says
// why; until then the client's bytes are read and told but go nowhere.
func (in *inbound) send(p, out []byte) {
	k := in.link
	if len(p) == 0 || k.up == nil {
		return
	}
	k.tap.Keep(capture.Client, p, in.window.large, in.at)
	in.off += int64(len(p))
	if k.deaf.Load() {
		return
	}
	if err := k.toUp.write(out, in.off); err != nil {
		k.deaf.Store(true)
		select {
		case <-k.answered: // it had closed in order, and has now reset what came after that
			k.serverEnded(capture.RST)
		default:
		}
	}
}

// failed tells of a request that could not be forwarded, because the upstream was not reached, and of the answer to it.
func (in *inbound) failed(w []byte, err error) {
	var r *refusal
	if errors.As(err, &r) {
		in.tap.Data(capture.Client, w, in.at)
		in.tap.Data(capture.Server, r.answer(), in.stamp())
	}
}

// refuse answers a request that is not forwarded, once all before it are answered, and ends the link.
func (k *link) refuse(err error, in *inbound) {
	var r *refusal
	if !errors.As(err, &r) {
		k.client.reset() // the proxy is stopping
		return
	}
	if r.status < 500 {
		k.p.stats.refused.Add(1)
		k.p.opt.Notice("refused a request of " + k.conn.Client.String() + ": " + printable(r.Error()))
	}
	if k.up == nil {
		k.say(r)
		return
	}
	if in.gate.idle() || in.gate.inHead() {
		for k.flight.Load() > 0 && k.ctx.Err() == nil && !k.serverGone.Load() {
			time.Sleep(refusalPoll)
		}
		k.up.close()
	} else {
		k.up.reset() // a part of the request is on its way already, and must not be taken for all of it
	}
	<-k.answered
	k.say(r)
}

// refusalPoll is how often a refusal looks whether its turn has come.
const refusalPoll = 5 * time.Millisecond

// How long, and for how many bytes, the proxy listens to a client that it has refused: closing at once would reset the
// connection and destroy the answer on its way.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 1 << 20
)

// say writes an answer of the proxy's own and ends the client's leg.
func (k *link) say(r *refusal) {
	k.client.SetDeadline(time.Now().Add(lingerTime))
	answer := r.answer()
	if k.up == nil && k.toClient != nil {
		k.toClient.write(answer, int64(len(answer))) // it was told as if the upstream had sent it
	} else {
		k.client.Write(answer)
	}
	k.client.finish()
	// requests is who calls: nobody else reads from the client
	io.Copy(io.Discard, io.LimitReader(k.client, lingerBytes))
}
