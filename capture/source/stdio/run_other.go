//go:build !unix

package stdio

import (
	"os"
	"os/exec"
	"os/signal"
)

func ownGroup(*exec.Cmd) {}

// catch has the interrupt delivered to c.
func catch(c chan<- os.Signal) { signal.Notify(c, os.Interrupt) }

// relay waits: the console has told the server as well.
func relay(c <-chan os.Signal, _ *os.Process, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-c:
		}
	}
}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
