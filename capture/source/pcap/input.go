package pcap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/gopacket"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Input is one capture file or pipe.
type Input struct {
	Path string    // also the name in errors and notes
	R    io.Reader // nil: open Path
	Size int64     // of R in bytes, for Options.Progress; 0 if not known
	// Idle, if not nil, is called each time R, or Path where it is a pipe, has brought nothing for idleAfter. It is
	// called by the goroutine that calls Read. Without a context that can end it is not.
	Idle func()
}

// zstdMemory bounds what a zstd frame may ask for as its window.
const zstdMemory = 256 << 20

var errEmpty = errors.New("empty file")

// Sniff tells whether a file that begins with prefix may be a capture: pcap or pcapng, bare or compressed with gzip or
// zstd. It looks into the compression as far as prefix goes; 512 bytes are plenty.
func Sniff(prefix []byte) bool {
	if _, _, ok := classicKind(prefix); ok || isPcapng(prefix) {
		return true
	}
	c, err := decompress(prefix, bytes.NewReader(prefix))
	if c == nil || err != nil {
		return compression(prefix) != ""
	}
	defer c.Close()
	inner := make([]byte, 12)
	n, _ := io.ReadFull(c, inner)
	if n < 4 {
		return true // too little to see
	}
	_, _, ok := classicKind(inner[:n])
	return ok || isPcapng(inner[:n])
}

// compression names the compression whose magic p begins with, or returns "".
func compression(p []byte) string {
	switch {
	case bytes.HasPrefix(p, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(p, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(p) >= 4 && p[0]&0xf0 == 0x50 && bytes.Equal(p[1:4], []byte{0x2a, 0x4d, 0x18}): // a skippable frame
		return "zstd"
	}
	return ""
}

// decompress returns a reader of what r holds compressed, or nil if prefix, the beginning of r, is not compressed.
func decompress(prefix []byte, r io.Reader) (io.ReadCloser, error) {
	switch compression(prefix) {
	case "gzip":
		return gzip.NewReader(r)
	case "zstd":
		// One thread, so that nothing is read ahead of what is asked for.
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(zstdMemory))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, nil
}

// format is what reads the packets of one file format.
type format interface {
	// next reads one packet into r, whose data is lent until the next call. It returns io.EOF at the end of a whole
	// input and *damage where it can go no further.
	next(r *record) error
}

// reader reads the packets of one input.
type reader struct {
	format
	path   string
	close  func()
	record record // for gopacket
}

var _ gopacket.ZeroCopyPacketDataSource = (*reader)(nil)

// ZeroCopyReadPacketData makes the reader one of gopacket's packet sources. data is lent until the next call.
func (r *reader) ZeroCopyReadPacketData() (data []byte, ci gopacket.CaptureInfo, err error) {
	if err := r.next(&r.record); err != nil {
		return nil, ci, err
	}
	ci.Timestamp = r.record.at.Time()
	ci.CaptureLength, ci.Length = len(r.record.data), r.record.length
	return r.record.data, ci, nil
}

// open opens an input and reads its file header. Bytes read are counted by meter, TLS keys go to secrets; both may be
// nil. Errors are *FormatError, or the context's.
func open(ctx context.Context, in Input, m *meter, secrets func([]byte)) (*reader, error) {
	r := &reader{path: in.Path, close: func() {}}
	raw := in.R
	if raw == nil {
		f, err := openFile(in.Path)
		if err != nil {
			return nil, err
		}
		r.close = func() { f.Close() }
		raw = f
	}
	raw, stop := interruptible(ctx, raw, in.Idle)
	r.closes(stop)
	if m != nil {
		raw = &metered{r: raw, meter: m}
	}
	if err := r.start(raw, secrets); err != nil {
		r.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return r, nil
}

// closes adds f to what closing the reader does.
func (r *reader) closes(f func()) {
	before := r.close
	r.close = func() { f(); before() }
}

func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, &FormatError{Path: path, Err: errors.New("is a directory")}
	}
	return f, nil
}

// start finds out what raw holds and reads its file header.
func (r *reader) start(raw io.Reader, secrets func([]byte)) error {
	w := newWindow(raw)
	prefix, err := w.peek(4)
	if len(prefix) == 0 {
		if err == io.EOF {
			err = errEmpty
		}
		return openError(r.path, err)
	}
	within := ""
	if kind := compression(prefix); kind != "" {
		c, err := decompress(prefix, rest(w))
		if err != nil {
			return &FormatError{Path: r.path, Err: fmt.Errorf("%s: %w", kind, err)}
		}
		r.closes(func() { c.Close() })
		within = kind + " of "
		w = newWindow(c)
		if prefix, err = w.peek(4); len(prefix) == 0 {
			if err == io.EOF {
				err = errEmpty
			}
			return &FormatError{Path: r.path, Err: fmt.Errorf("%s%w", within, err)}
		}
	}
	if _, _, ok := classicKind(prefix); ok {
		r.format, err = newClassic(w)
	} else if isPcapng(prefix) {
		r.format, err = newPcapng(w, secrets)
	} else {
		prefix, _ = w.peek(8)
		err = fmt.Errorf("not a capture file (%sstarts with %q)", within, prefix)
	}
	var d *damage
	if errors.As(err, &d) {
		return &FormatError{Path: r.path, Offset: d.at, Err: d.err}
	}
	if err != nil {
		return &FormatError{Path: r.path, Err: err}
	}
	return nil
}

// rest returns a reader of what w has and has not read yet.
func rest(w *window) io.Reader {
	return io.MultiReader(bytes.NewReader(w.buf[w.lo:w.hi]), &failing{w})
}

// failing goes on with the reader of a window, or with the error it ended in.
type failing struct{ w *window }

func (f *failing) Read(p []byte) (int, error) {
	if f.w.err != nil {
		return 0, f.w.err
	}
	return f.w.r.Read(p)
}
