package analyze

import (
	"encoding/binary"
	"io"
	"os"
)

// spool is a temporary file of records that only this process can read: it has no name. Records are added at the end
// and read at any place; reading those that stand beside each other costs one access to the file.
type spool struct {
	file  readerWriterAt // nil: none was needed
	wait  int            // how much may wait to be written, in bytes
	span  int64          // how much is read at once
	size  int64          // of what is written
	tail  []byte         // what is not written yet; it stands at size
	block []byte         // a part of what is written
	start int64          // where block stands
}

// readerWriterAt is a file.
type readerWriterAt interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// recordHead is the size of what stands before each record: its length.
const recordHead = 4

// add appends a record and returns its place.
func (s *spool) add(record []byte) (int64, error) {
	if len(s.tail) >= s.wait {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	at := s.size + int64(len(s.tail))
	s.tail = binary.LittleEndian.AppendUint32(s.tail, uint32(len(record)))
	s.tail = append(s.tail, record...)
	return at, nil
}

// flush writes what waits.
func (s *spool) flush() error {
	if s.file == nil {
		f, err := unnamed()
		if err != nil {
			return err
		}
		s.file = f
	}
	n, err := s.file.WriteAt(s.tail, s.size)
	if err != nil {
		return err
	}
	s.size += int64(n)
	s.tail = s.tail[:0]
	return nil
}

// unnamed returns a temporary file that is gone once it is closed.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "mcptrace-*")
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// close gives the file up.
func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// at returns the record at a place that add returned. It is good until the next call.
func (s *spool) at(place int64) ([]byte, error) {
	if place >= s.size {
		b := s.tail[place-s.size:]
		return b[recordHead : recordHead+binary.LittleEndian.Uint32(b)], nil
	}
	head, err := s.read(place, recordHead)
	if err != nil {
		return nil, err
	}
	return s.read(place+recordHead, int64(binary.LittleEndian.Uint32(head)))
}

// read returns n bytes from a place on, all of which are written.
func (s *spool) read(place, n int64) ([]byte, error) {
	if place < s.start || place+n > s.start+int64(len(s.block)) {
		s.start, s.block = place, s.block[:0]
		want := max(0, min(max(n, s.span), s.size-place))
		if int64(cap(s.block)) < want {
			s.block = make([]byte, 0, want)
		}
		got, err := s.file.ReadAt(s.block[:want], place)
		if err != nil {
			return nil, err
		}
		s.block = s.block[:got]
	}
	from := place - s.start
	if n < 0 || from+n > int64(len(s.block)) {
		return nil, errRecord
	}
	return s.block[from : from+n], nil
}
