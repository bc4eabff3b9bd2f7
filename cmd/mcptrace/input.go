package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/capture/source/stdio"
	"mcptrace/store"
)

// reader reads all inputs of a command.
type reader struct {
	flags *inputFlags
	s     *streams
	// out receives the exchanges of MCP endpoints and owns them.
	out      func(*capture.Exchange, *capture.Reading)
	requests bool // out asks for no more than what requests say
	failed   func(capture.ConnectFailure)
	// plain receives every HTTP exchange instead, MCP or not. May be nil.
	plain func(*capture.Exchange)
	// idle is called when a pipe has brought nothing for a while. May be nil.
	idle func()

	inputs  []analyze.Input
	conns   []*capture.Conn
	looked  bool  // something could be read
	unmoved error // why large bodies stay in memory; nil: they do not
}

// source is one input with what it was found to be.
type source struct {
	path string
	kind string
	r    io.Reader // standard input, already looked into
}

// read reads the inputs: the captures among them as one capture, then each recording and each log.
func (r *reader) read(ctx context.Context, paths []string) error {
	if err := r.flags.limits.check(); err != nil {
		return err
	}
	var captures, recordings, logs []int
	var sources []source
	for i, p := range paths {
		src, err := r.sniff(ctx, p)
		if err != nil {
			return err
		}
		sources = append(sources, src)
		r.inputs = append(r.inputs, analyze.Input{Path: p, Kind: src.kind})
		switch src.kind {
		case "recording":
			recordings = append(recordings, i)
		case "stdio":
			logs = append(logs, i)
		default:
			captures = append(captures, i)
		}
	}
	if len(captures) > 0 {
		if err := r.readCaptures(ctx, sources, captures); err != nil {
			return err
		}
	}
	for _, i := range recordings {
		if err := r.readRecording(ctx, i); err != nil {
			return err
		}
	}
	for _, i := range logs {
		if ctx.Err() != nil {
			break
		}
		if err := r.readLog(i, sources[i]); err != nil {
			return err
		}
	}
	if r.unmoved != nil {
		r.remark(fmt.Sprintf("large bodies stayed in memory, temporary files cannot be written: %v", r.unmoved))
	}
	return r.interrupted(ctx)
}

var errNothingRead = errors.New("interrupted before anything was read")

// stopped is why a command does not want to read on: the cause with which it cancels the reading.
type stopped struct{ error }

// interrupted says so where the user did not let it read to the end. What was read until then is good.
func (r *reader) interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	var own stopped
	if errors.As(context.Cause(ctx), &own) {
		return own.error
	}
	if !r.looked {
		return errNothingRead
	}
	r.remark("interrupted: what follows was not read")
	return nil
}

// spilled takes note of a message whose bytes could not be moved to a temporary file.
func (r *reader) spilled(ex *capture.Exchange) {
	if r.unmoved == nil {
		r.unmoved = cmp.Or(ex.Request.Wire.Err(), ex.Response.Wire.Err())
	}
}

// remark puts what concerns all inputs into the notes of the first, and on standard error.
func (r *reader) remark(what string) {
	q := &r.inputs[0].Quality
	q.Notes = append(q.Notes, what)
	fmt.Fprintf(r.s.err, "mcptrace: warning: %s\n", what)
}

// sniff tells captures and recordings apart by what stands in them.
func (r *reader) sniff(ctx context.Context, path string) (source, error) {
	if path == "-" {
		return r.sniffStandardInput(ctx)
	}
	st, err := os.Stat(path)
	if err != nil {
		return source{}, pathError(path, err)
	}
	if st.IsDir() {
		return source{}, hinted{fmt.Errorf("%s: is a directory", path), "name the capture files in it: mcptrace analyze " + path + "/*.pcap"}
	}
	f, err := os.Open(path)
	if err != nil {
		return source{}, pathError(path, err)
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	head = head[:n]
	if n == 0 && err != io.EOF {
		return source{}, pathError(path, err)
	}
	if store.IsRecording(head) || bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return source{path: path, kind: "recording"}, nil
	}
	return source{path: path, kind: captureKind(head)}, nil
}

// sniffStandardInput waits for the first bytes, but no longer than ctx lasts.
func (r *reader) sniffStandardInput(ctx context.Context) (source, error) {
	b := bufio.NewReaderSize(r.s.in, 4096)
	var head []byte
	came := make(chan struct{})
	go func() {
		head, _ = b.Peek(4)
		close(came)
	}()
	select {
	case <-came:
	case <-ctx.Done():
		return source{}, errNothingRead
	}
	if len(head) == 0 {
		return source{}, errors.New("standard input: empty")
	}
	return source{path: "standard input", kind: captureKind(head), r: b}, nil
}

func captureKind(head []byte) string {
	if bytes.HasPrefix(head, []byte{0x0a, 0x0d, 0x0d, 0x0a}) {
		return "pcapng"
	}
	if stdio.IsLog(head) {
		return "stdio"
	}
	return "pcap"
}

// pathError says in one line what is wrong with a path.
func pathError(path string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
