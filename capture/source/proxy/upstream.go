package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"mcptrace/capture"
)

// How long connecting may take.
const (
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
)

// dial connects to the upstream. The error is a *refusal for the client; the failure is told to the feed.
func (k *link) dial() (*leg, error) {
	p := k.p
	start := p.clock()
	ctx, cancel := context.WithTimeout(k.ctx, dialTimeout)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, k.unreached(start, addrOf(err), failureKind(err), err)
	}
	tcp := c.(*net.TCPConn)
	up, err := newLeg(tcp)
	if err != nil {
		tcp.Close()
		return nil, refuse(502, err.Error())
	}
	k.conn.Server = addrPort(tcp.RemoteAddr())
	k.conn.Vantage.RTTServer = p.clock().Sub(start)
	if p.tls != nil {
		up.secure = &noted{TCPConn: tcp}
		t := tls.Client(up.secure, p.tls)
		ctx, cancel := context.WithTimeout(k.ctx, handshakeTimeout)
		defer cancel()
		if err := t.HandshakeContext(ctx); err != nil {
			tcp.Close()
			return nil, k.unreached(start, k.conn.Server, "tls-handshake", err)
		}
		up.Conn = t
	}
	return up, nil
}

// unreached tells of an attempt to connect that failed, and returns what the client is told.
func (k *link) unreached(start capture.Instant, server netip.AddrPort, kind string, err error) error {
	p := k.p
	p.stats.failed.Add(1)
	k.conn.Server = server
	if k.ctx.Err() != nil {
		return k.ctx.Err()
	}
	by := "server"
	if kind == "timeout" {
		by = ""
	}
	p.feed.ConnectFailure(capture.ConnectFailure{Client: k.conn.Client, Server: server, Start: start, Kind: kind, By: by})
	why := fmt.Sprintf("cannot reach the upstream %s: %s", p.addr, plain(err))
	p.opt.Notice(why)
	if kind == "timeout" {
		return refuse(504, why)
	}
	return refuse(502, why)
}

// failureKind returns the recording's word for why a connection could not be made.
func failureKind(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "timeout"
	}
	return "refused"
}

// plain takes the operation and the addresses off an error: the caller names them.
func plain(err error) string {
	var oe *net.OpError
	if errors.As(err, &oe) && oe.Err != nil {
		err = oe.Err
	}
	return strings.TrimPrefix(err.Error(), "connect: ")
}

// addrOf returns the address that could not be reached, if the error names it.
func addrOf(err error) netip.AddrPort {
	var oe *net.OpError
	if errors.As(err, &oe) && oe.Addr != nil {
		return addrPort(oe.Addr)
	}
	return netip.AddrPort{}
}

func addrPort(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := t.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}
