package serve

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"mcptrace/capture/wire/coding"
)

// maxRecoded bounds what a compressed body may unpack to while its ids are replaced.
const maxRecoded = 1 << 30

// recoder unpacks a coded body piece by piece, lets ids be replaced, and packs it again with a flush after each piece:
// what could be read after a recorded piece can be read after its new one.
type recoder struct {
	dec *coding.Decoder
	enc []flusher // the outermost first
	out bytes.Buffer
	off int64 // in the decoded body
	es  edits // of the decoded body
}

type flusher interface {
	io.WriteCloser
	Flush() error
}

// newRecoder returns a recoder for a Content-Encoding; first is the body's first byte, which tells two forms of deflate
// apart. Nil where the coding cannot be written.
func newRecoder(encoding string, first byte) *recoder {
	dec, err := coding.New(encoding, maxRecoded)
	if err != nil {
		return nil
	}
	r := &recoder{dec: dec}
	var w io.Writer = &r.out
	layers := strings.Split(strings.ToLower(encoding), ",")
	slices.Reverse(layers)
	for _, l := range layers {
		f := encoder(strings.TrimSpace(l), w, first)
		if f == nil {
			dec.Close()
			return nil
		}
		r.enc = append(r.enc, f)
		w = f
	}
	return r
}

func encoder(name string, w io.Writer, first byte) flusher {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewWriter(w)
	case "deflate":
		if first&0x0f == 8 {
			return zlib.NewWriter(w)
		}
		f, _ := flate.NewWriter(w, flate.DefaultCompression)
		return f
	case "br":
		return brotli.NewWriterLevel(w, 4)
	case "zstd":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(128<<10))
		if err != nil {
			return nil
		}
		return z
	}
	return nil
}

// piece returns what stands for the next piece of the body; last: nothing follows it, and the recorded body was whole.
// resolve is called with the offset up to which the decoded body is about to be used.
func (r *recoder) piece(p []byte, last bool, resolve func(to int64)) []byte {
	var plain []byte
	take := func(b []byte) { plain = append(plain, b...) }
	r.dec.Write(p, take)
	if last {
		r.dec.Finish(take)
	}
	from, to := r.off, r.off+int64(len(plain))
	resolve(to)
	live := r.es.render(nil, from, to, func(dst []byte, a, b int64) []byte { return append(dst, plain[a-from:b-from]...) })
	r.es.drop(to)
	r.off = to
	r.out.Reset()
	inner := r.enc[len(r.enc)-1]
	inner.Write(live)
	for i := len(r.enc) - 1; i >= 0; i-- {
		if last {
			r.enc[i].Close()
		} else {
			r.enc[i].Flush()
		}
	}
	return bytes.Clone(r.out.Bytes())
}

func (r *recoder) close() { r.dec.Close() }
