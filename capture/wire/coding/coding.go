package coding

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLayers bounds how far one byte of input can multiply.
const maxLayers = 4

var (
	// ErrLimit says that there is more output than the limit allows.
	ErrLimit = errors.New("coding: output limit exceeded")
	// ErrUnsupported says that an encoding is not known, or has more than four layers.
	ErrUnsupported = errors.New("coding: unsupported encoding")
)

// layerFunc makes a reader of what r holds in coded form; free, if not nil, frees it. It may read from r.
type layerFunc func(r *bufio.Reader) (decoded io.Reader, free func(), err error)

// codings lists the content codings, in lower case.
var codings = map[string]layerFunc{
	"gzip":    newGzip,
	"x-gzip":  newGzip,
	"deflate": newDeflate,
	"br":      newBrotli,
	"zstd":    newZstd,
}

// Supported reports whether New takes encoding, the value of a Content-Encoding field: a coding in
// any case, a list of them in the order applied, "identity" or "".
func Supported(encoding string) bool {
	_, err := layers(encoding)
	return err == nil
}

// layers returns the codings to undo, the first to undo in front.
func layers(encoding string) ([]layerFunc, error) {
	var fs []layerFunc
	for name := range strings.SplitSeq(strings.ToLower(encoding), ",") {
		if name = strings.TrimSpace(name); name == "" || name == "identity" {
			continue
		}
		f := codings[name]
		if f == nil || len(fs) == maxLayers {
			return nil, fmt.Errorf("%w %q", ErrUnsupported, encoding)
		}
		fs = append([]layerFunc{f}, fs...)
	}
	return fs, nil
}
