package coding

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

const (
	inSize  = 4 << 10  // input buffered in front of each layer
	outSize = 32 << 10 // the most that comes out at once
	slack   = 64 << 10 // how much longer than the output an inner layer's input may be
)

// Decoder undoes the codings of one stream, pushed to it piece by piece. The pull readers that do the
// work run in a coroutine, and only during Write, Finish and Close; nothing happens in between. A
// Decoder that is not closed keeps its coroutine and its memory.
type Decoder struct {
	layers []layerFunc
	limit  int64
	left   int64 // output bytes up to limit
	done   bool  // nothing more comes out
	whole  bool  // the coded stream had its end
	err    error

	in     feed
	resume func() (out []byte, running bool) // out is nil where the coroutine needs input
	stop   func()
}

// New returns a Decoder for encoding, the value of a Content-Encoding field, that puts out at most
// limit bytes. The error is ErrUnsupported.
func New(encoding string, limit int64) (*Decoder, error) {
	ls, err := layers(encoding)
	if err != nil {
		return nil, err
	}
	limit = min(max(limit, 0), math.MaxInt64-slack)
	return &Decoder{layers: ls, limit: limit, left: limit}, nil
}

// Write decodes p, which it does not keep, and calls emit with what comes out, in order; out is lent
// for the call and never empty. After an error, the end of the coded stream, Finish or Close it does
// nothing. Emit must not call the Decoder.
func (d *Decoder) Write(p []byte, emit func(out []byte)) {
	switch {
	case d.done || len(p) == 0:
	case len(d.layers) == 0:
		d.emit(p, emit)
	default:
		d.in.b = p
		d.run(emit)
		d.in.b = nil
	}
}

// Finish tells that no more input comes, so that what is held back between two flushes comes out. It
// makes no error of a stream that is not complete.
func (d *Decoder) Finish(emit func(out []byte)) {
	if !d.done && d.resume != nil {
		d.in.ended = true
		d.run(emit)
	}
	d.Close()
}

// Whole reports, after Finish, whether the coded stream had its end.
func (d *Decoder) Whole() bool { return d.whole }

// Err returns why decoding stopped: ErrLimit, or what is wrong with the input. All that came out
// before it is good; where the input is malformed, how much that is may depend on how it was split.
// Err is nil for a stream that is fine so far, complete, or cut off.
func (d *Decoder) Err() error { return d.err }

// Close frees what the Decoder holds. It never blocks and may be called more than once.
func (d *Decoder) Close() {
	d.done = true
	if d.stop != nil {
		d.stop()
		d.stop, d.resume = nil, nil
	}
}

// fail ends decoding; err is nil where that is in order.
func (d *Decoder) fail(err error) {
	if !d.done {
		d.done, d.err = true, err
	}
}

// run lets the coroutine work until it needs input or ends.
func (d *Decoder) run(emit func([]byte)) {
	if d.resume == nil {
		d.resume, d.stop = iter.Pull(d.decode)
	}
	for !d.done {
		out, running := d.resume()
		if !running || out == nil {
			break
		}
		d.emit(out, emit)
	}
	if d.done {
		d.Close()
	}
}

// emit hands out what the limit allows.
func (d *Decoder) emit(out []byte, emit func([]byte)) {
	if int64(len(out)) > d.left {
		out = out[:d.left]
		d.fail(ErrLimit)
	}
	d.left -= int64(len(out))
	if len(out) > 0 {
		emit(out)
	}
}

// decode is the body of the coroutine: it yields output, and nil where it needs input.
func (d *Decoder) decode(yield func([]byte) bool) {
	// The decoders are other people's and the input is hostile.
	defer func() {
		if r := recover(); r != nil {
			d.fail(fmt.Errorf("coding: decoder failed: %v", r))
		}
	}()
	d.in.wait = func() bool { return yield(nil) }
	r, free, err := d.open()
	defer free()
	for buf := make([]byte, outSize); err == nil; {
		var n int
		if n, err = r.Read(buf); n > 0 && !yield(buf[:n]) {
			return
		}
	}
	d.whole = errors.Is(err, io.EOF)
	if errors.Is(err, io.EOF) || d.in.ended && errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	d.fail(err)
}

// open stacks the layers upon the input.
func (d *Decoder) open() (r io.Reader, free func(), err error) {
	var frees []func()
	free = func() {
		for _, f := range frees {
			f()
		}
	}
	r = &d.in
	for i, layer := range d.layers {
		if i > 0 {
			r = &limited{r, d.limit + slack}
		}
		var f func()
		if r, f, err = layer(bufio.NewReaderSize(r, inSize)); err != nil {
			return nil, free, err
		}
		if f != nil {
			frees = append(frees, f)
		}
	}
	return r, free, nil
}

// feed is the input as the coroutine reads it.
type feed struct {
	b      []byte
	ended  bool
	closed bool
	wait   func() bool // suspends the coroutine until there is input; false: it has to end
}

func (f *feed) Read(p []byte) (int, error) {
	for len(f.b) == 0 {
		switch {
		case f.ended:
			return 0, io.EOF
		case f.closed || !f.wait():
			f.closed = true
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(p, f.b)
	f.b = f.b[n:]
	return n, nil
}

// limited bounds what one layer hands to the next, which may put out next to nothing for it.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, ErrLimit
	}
	return n, err
}
