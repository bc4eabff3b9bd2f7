package serve

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// drain waits until the client's host has acknowledged everything that was sent: a reset destroys what is still on its
// way.
func drain(c *net.TCPConn, limit time.Duration) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Millisecond) {
		left := 0
		raw.Control(func(fd uintptr) { left, err = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
		if err != nil || left == 0 {
			return
		}
	}
}
