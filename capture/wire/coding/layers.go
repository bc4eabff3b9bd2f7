package coding

import (
	"bufio"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the most memory a zstd stream may ask for. Source: RFC 9659.
const maxWindow = 8 << 20

func newBrotli(r *bufio.Reader) (io.Reader, func(), error) {
	return brotliReader{brotli.NewReader(r)}, nil, nil
}

// brotliReader ends where the stream does. What follows it the library takes for an error or not, depending on how the
// input was split, and says so in words only.
type brotliReader struct{ r *brotli.Reader }

func (b brotliReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && err.Error() == "brotli: excessive input" {
		err = io.EOF
	}
	return n, err
}

// newZstd returns a reader that works without goroutines. It ignores checksums, for which it would
// withhold the last block.
func newZstd(r *bufio.Reader) (io.Reader, func(), error) {
	d, err := zstd.NewReader(r,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(maxWindow),
		zstd.IgnoreChecksum(true))
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}
