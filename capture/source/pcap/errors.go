package pcap

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// FormatError says that an input could not be read at all, and where reading stopped.
type FormatError struct {
	Path   string
	Offset int64 // bytes of the (decompressed) input
	Packet int64 // packets read before, 0 if none
	Err    error
}

// Error returns one line: the path, the place where it matters, the cause.
func (e *FormatError) Error() string {
	switch {
	case e.Packet > 0:
		return fmt.Sprintf("%s: packet %d at byte %d: %v", e.Path, e.Packet, e.Offset, e.Err)
	case e.Offset > 0:
		return fmt.Sprintf("%s: at byte %d: %v", e.Path, e.Offset, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// openError makes a FormatError of what the operating system said, without its repetition of the path.
func openError(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &FormatError{Path: path, Err: err}
}

// damage is where and why an input cannot be read any further; what was read before it is good.
type damage struct {
	at  int64 // byte of the (decompressed) input
	err error
}

func (d *damage) Error() string { return fmt.Sprintf("%v at byte %d", d.err, d.at) }
func (d *damage) Unwrap() error { return d.err }

func damaged(at int64, format string, args ...any) error {
	return &damage{at: at, err: fmt.Errorf(format, args...)}
}

// cut makes damage of a read error inside what: the input ends early, or the reader below it failed.
func (w *window) cut(what string, err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(w.end(), "cut short inside %s", what)
	}
	return damaged(w.end(), "%s: %w", what, err)
}
