package store

import (
	"encoding/binary"
	"hash/crc32"
)

// rowSum returns a CRC-32C of the values of a row: before each a byte that tells its kind, before a text its length too.
func rowSum(values []any) int64 {
	b := make([]byte, 0, 256)
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case int:
			b = binary.LittleEndian.AppendUint64(append(b, 'i'), uint64(v))
		case int64:
			b = binary.LittleEndian.AppendUint64(append(b, 'i'), uint64(v))
		case string:
			b = binary.LittleEndian.AppendUint32(append(b, 't'), uint32(len(v)))
			b = append(b, v...)
		default: // read from a damaged row: none is written
			b = append(b, '?')
		}
	}
	return int64(crc32.Checksum(b, castagnoli))
}

// withSum appends its checksum to a row.
func withSum(row []any) []any { return append(row, rowSum(row)) }
