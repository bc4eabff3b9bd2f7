//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// passed are the signals that a server may want to know of.
var passed = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH}

// ownGroup puts the server into a process group of its own: a signal that a terminal sends to the group of the recorder
// would otherwise reach it twice.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// catch has the signals that are passed on delivered to c, but for those that are ignored already, as under nohup. A
// broken pipe becomes an error of writing.
func catch(c chan<- os.Signal) {
	for _, s := range passed {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	signal.Notify(c, syscall.SIGPIPE)
}

// relay passes signals on to the server: those of a terminal's keys to all that it has started, as a terminal does.
func relay(c <-chan os.Signal, p *os.Process, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case s := <-c:
			switch s {
			case syscall.SIGPIPE:
			case syscall.SIGINT, syscall.SIGQUIT:
				syscall.Kill(-p.Pid, s.(syscall.Signal))
			default:
				p.Signal(s)
			}
		}
	}
}

// exitCode returns the exit code of a process that has ended, as a shell tells it.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
