package store

import (
	"encoding/binary"
	"hash/crc32"

	"mcptrace/store/lite"
)

// summer works out the checksums of rows; its buffer is used again.
type summer struct{ b []byte }

// add appends to a row the checksum of what stands in it.
func (s *summer) add(row []lite.Value) []lite.Value { return append(row, lite.Int(s.sum(row))) }

// sum returns a CRC-32C of the values of a row.
func (s *summer) sum(row []lite.Value) int64 {
	return int64(crc32.Checksum(s.bytes(row), castagnoli))
}

// bytes returns the values of a row as bytes: before each one that tells its kind, before a text its length too. They are lent.
func (s *summer) bytes(row []lite.Value) []byte {
	b := s.b[:0]
	for i := range row {
		switch v := &row[i]; v.Kind {
		case lite.KindNull:
			b = append(b, 'n')
		case lite.KindInt:
			b = binary.LittleEndian.AppendUint64(append(b, 'i'), uint64(v.Int))
		case lite.KindText:
			b = binary.LittleEndian.AppendUint32(append(b, 't'), uint32(len(v.Bytes)))
			b = append(b, v.Bytes...)
		default: // read from a damaged row: none is written
			b = append(b, '?')
		}
	}
	s.b = b
	return b
}
