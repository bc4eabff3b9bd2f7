//go:build !linux

package proxy

import "time"

// canAsk: the kernel tells how far the peer has acknowledged. Here a complete write has to do.
const canAsk = false

// unacked returns how many bytes written to the connection its peer has not acknowledged; here it is never known.
func (l *leg) unacked() int64 { return -1 }

// taken returns how many bytes the peer has acknowledged; here it is never known.
func (l *leg) taken() int64 { return -1 }

// info returns the kernel's view of the connection; here there is none.
func (l *leg) info() (over bool, rtt time.Duration) { return false, 0 }
