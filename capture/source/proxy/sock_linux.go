package proxy

import (
	"time"

	"golang.org/x/sys/unix"
)

// canAsk: the kernel tells how far the peer has acknowledged.
const canAsk = true

// unacked returns how many bytes written to the connection its peer has not acknowledged; -1: the connection is closed.
//
// Source: tcp(7), SIOCOUTQ.
func (l *leg) unacked() int64 {
	n := int64(-1)
	l.raw.Control(func(fd uintptr) {
		if v, err := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ); err == nil {
			n = int64(v)
		}
	})
	return n
}

// taken returns how many bytes the peer of a connection that it opened has acknowledged; -1: the connection is closed. It
// needs no knowledge of how far a write under way has come. Our FIN may count as a byte.
//
// Source: tcp(7), TCP_INFO; RFC 4898, tcpEStatsAppHCThruOctetsAcked.
func (l *leg) taken() int64 {
	n := int64(-1)
	l.raw.Control(func(fd uintptr) {
		if i, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			n = int64(i.Bytes_acked)
		}
	})
	return n
}

// tcpClosed is TCP_CLOSE, the state of a connection that was reset.
const tcpClosed = 7

// info returns the kernel's view of the connection: whether it is over, and its round trip; 0 is not known.
func (l *leg) info() (over bool, rtt time.Duration) {
	l.raw.Control(func(fd uintptr) {
		if i, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			over, rtt = i.State == tcpClosed, time.Duration(i.Rtt)*time.Microsecond
		}
	})
	return over, rtt
}
