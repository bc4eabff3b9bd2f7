package replay_test

import (
	"net"

	"golang.org/x/sys/unix"
)

// unsent returns how many bytes the peer has not acknowledged yet.
func unsent(c *net.TCPConn) int {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCOUTQ) })
	return n
}
