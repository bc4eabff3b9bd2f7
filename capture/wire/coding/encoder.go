package coding

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Encoder applies the codings of one stream, piece by piece: what went in with a piece can be read from what came out
// with it, without anything further.
type Encoder struct {
	layers []flusher // in the order applied
	out    bytes.Buffer
}

// flusher is the writer of one layer.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// NewEncoder returns an Encoder for encoding, the value of a Content-Encoding field. first is the first byte of a stream
// with that encoding: it tells two forms of deflate apart. The error is ErrUnsupported.
func NewEncoder(encoding string, first byte) (*Encoder, error) {
	if !Supported(encoding) {
		return nil, fmt.Errorf("%w %q", ErrUnsupported, encoding)
	}
	e := &Encoder{}
	names := strings.Split(strings.ToLower(encoding), ",")
	slices.Reverse(names)
	var w io.Writer = &e.out
	for _, name := range names {
		f, err := layerWriter(strings.TrimSpace(name), w, first)
		if err != nil {
			return nil, err
		}
		if f != nil {
			e.layers, w = append(e.layers, f), f
		}
	}
	slices.Reverse(e.layers)
	return e, nil
}

// layerWriter returns the writer of one coding; nil for identity.
func layerWriter(name string, w io.Writer, first byte) (flusher, error) {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewWriter(w), nil
	case "deflate":
		if first&0x0f == 8 {
			return zlib.NewWriter(w), nil
		}
		return flate.NewWriter(w, flate.DefaultCompression)
	case "br":
		return brotli.NewWriterLevel(w, 4), nil
	case "zstd":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(128<<10))
	}
	return nil, nil
}

// Write encodes p and returns what comes out, flushed.
func (e *Encoder) Write(p []byte) []byte { return e.put(p, flusher.Flush) }

// Close ends the stream and returns its last bytes.
func (e *Encoder) Close() []byte { return e.put(nil, flusher.Close) }

// put writes p, then has each layer pass on what it holds. Writing to a buffer does not fail.
func (e *Encoder) put(p []byte, pass func(flusher) error) []byte {
	e.out.Reset()
	if len(e.layers) == 0 {
		return bytes.Clone(p)
	}
	e.layers[0].Write(p)
	for _, l := range e.layers {
		pass(l)
	}
	return bytes.Clone(e.out.Bytes())
}
