package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// errRow tells that a bit of a row has changed since it was written.
var errRow = fmt.Errorf("%w: the checksum of a row does not fit", ErrDamaged)

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
		default:
			panic(fmt.Sprintf("store: no checksum of a %T", v))
		}
	}
	return int64(crc32.Checksum(b, castagnoli))
}

// withSum appends its checksum to a row.
func withSum(row []any) []any { return append(row, rowSum(row)) }

// checkSum compares the checksum that was read, nil where the row is of an older version, with that of its values.
func checkSum(sum *int64, values []any) error {
	if sum != nil && *sum != rowSum(values) {
		return errRow
	}
	return nil
}
