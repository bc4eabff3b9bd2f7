//go:build !linux

package serve

import (
	"net"
	"time"
)

// drain gives what was sent the time to arrive: a reset destroys what is still on its way.
func drain(*net.TCPConn, time.Duration) { time.Sleep(50 * time.Millisecond) }
