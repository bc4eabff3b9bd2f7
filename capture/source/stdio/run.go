package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
)

// Options say what Run runs and between whom.
type Options struct {
	Command []string // the program and its arguments
	In, Out *os.File // the client's: closed when the server closes its ends
	Err     *os.File // given to the server as it is
}

// grace is how long output is waited for after the server has exited: what it started may hold its output open for ever.
const grace = 2 * time.Second

// Run runs a server between a client and itself, passes its streams, the signals it gets and their ends on unchanged, and
// tells f what passes. It returns when the server has exited, with its exit code: 128 and the signal's number where a
// signal ended it.
//
// The error is one of starting the server.
func Run(o Options, f *feed.Feed) (code int, err error) {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stderr = o.Err
	ownGroup(cmd)
	in, inW, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	outR, out, err := os.Pipe()
	if err != nil {
		in.Close()
		inW.Close()
		return 0, err
	}
	cmd.Stdin, cmd.Stdout = in, out
	signals := make(chan os.Signal, 16)
	catch(signals)
	defer signal.Stop(signals)
	err = cmd.Start()
	in.Close()
	out.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		return 0, fmt.Errorf("start %s: %w", o.Command[0], reason(err))
	}
	stop := make(chan struct{})
	defer close(stop)
	go relay(signals, cmd.Process, stop)

	w := newWrapper(f)
	go w.input(o.In, inW)
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		w.output(outR, o.Out)
	}()
	cmd.Wait() // what it returns stands in ProcessState
	select {
	case <-printed:
	case <-time.After(grace):
	}
	w.end(capture.Server, capture.FIN)
	w.tap.Close(w.stamp())
	return exitCode(cmd.ProcessState), nil
}

// reason takes the name of the program off an error of starting it.
func reason(err error) error {
	var ee *exec.Error
	var pe *os.PathError
	switch {
	case errors.As(err, &ee):
		return ee.Err
	case errors.As(err, &pe):
		return pe.Err
	}
	return err
}

// wrapper passes the two directions on.
type wrapper struct {
	tap   *feed.Tap
	clock func() capture.Instant

	mu    sync.Mutex
	ended [2]bool
}

func newWrapper(f *feed.Feed) *wrapper {
	start := time.Now()
	w := &wrapper{clock: func() capture.Instant { return capture.Instant(start.UnixNano() + int64(time.Since(start))) }}
	now := w.clock()
	w.tap = f.Connect(&capture.Conn{ID: 1, Open: now, Last: now, Vantage: capture.Vantage{Kind: "stdio"}})
	return w
}

func (w *wrapper) stamp() capture.Stamp {
	now := w.clock()
	return capture.Stamp{Seen: now, At: now}
}

// end tells that a side has ended, the first time.
func (w *wrapper) end(by capture.Side, how capture.How) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended[by] {
		w.ended[by] = true
		w.tap.End(by, how, w.stamp())
	}
}

// input passes the client's bytes on. Where the server reads no more, the client is to learn it as it would have from
// the server: by the end of the pipe it writes to.
func (w *wrapper) input(from, to *os.File) {
	if err := w.pass(capture.Client, from, to); err == nil {
		w.end(capture.Client, capture.FIN)
	}
	from.Close()
	to.Close()
}

// output passes the server's bytes on, and the end of either side to the other.
func (w *wrapper) output(from, to *os.File) {
	if err := w.pass(capture.Server, from, to); err == nil {
		w.end(capture.Server, capture.FIN)
	} else {
		w.end(capture.Client, capture.FIN)
	}
	from.Close()
	to.Close()
}

// bufferSize is that of a pipe.
const bufferSize = 64 << 10

// pass copies until the source ends; an error is one of writing.
func (w *wrapper) pass(side capture.Side, from io.Reader, to io.Writer) error {
	buf := make([]byte, bufferSize)
	var off int64
	for {
		n, err := from.Read(buf)
		if n > 0 {
			w.tap.Data(side, buf[:n], w.stamp())
			off += int64(n)
			if _, err := to.Write(buf[:n]); err != nil {
				return err
			}
			w.tap.Ack(side, off, false, w.stamp())
		}
		if err != nil {
			return nil
		}
	}
}
