package http2

import "golang.org/x/net/http2/hpack"

const (
	// maxList is how large a decoded header list may be, counted as RFC 7541 section 4.1 does. Further fields are
	// left out; without the bound a block of maxBlock bytes could repeat a large field a million times.
	maxList = 1 << 20
	// maxTable is how much of the dynamic table is kept, in bytes, whatever the encoder asks for.
	maxTable = 1 << 20
	// defaultTable is the size of the dynamic table until the encoder changes it (RFC 9113 section 6.5.2).
	defaultTable = 4096
	// entryOverhead is what an entry counts beside its name and value (RFC 7541 section 4.1).
	entryOverhead = 32
)

// staticTable holds the entries of RFC 7541 appendix A, the first at index 1.
var staticTable = func() (table [62]entry) {
	d := hpack.NewDecoder(0, nil)
	for i := 1; i < len(table); i++ {
		fields, err := d.DecodeFull([]byte{0x80 | byte(i)})
		if err != nil || len(fields) != 1 {
			panic("http2: internal error: static table")
		}
		table[i] = entry{Field{fields[0].Name, fields[0].Value}, true, true}
	}
	return table
}()

// entry is an entry of a table, or a field of a block, as far as it is known.
type entry struct {
	Field
	name, value bool // known
}

func (e entry) size() int { return len(e.Name) + len(e.Value) + entryOverhead }

// decoder is an HPACK decoder (RFC 7541) that bears not knowing. hpack.Decoder ends at the first reference to an entry
// it has not seen and cannot take up a connection in the middle; since indices count from the newest entry, the newest
// entries are all one needs to go on.
//
// The encoder says in the blocks how large the dynamic table is (RFC 7541 section 4.2), within what its peer's
// SETTINGS_HEADER_TABLE_SIZE allows. A third party has no part in that limit, so it is not asked for.
type decoder struct {
	table    []entry // the newest entries of the dynamic table without a break, newest last
	size     int     // of table, in bytes; a lower bound where parts are unknown
	max      uint64  // size that the encoder keeps the table to
	maxKnown bool

	// Of the block being decoded.
	fields   []Field
	list     int
	complete bool
}

func newDecoder() decoder {
	return decoder{max: defaultTable, maxKnown: true}
}

// forget makes all that blocks before have said unknown.
func (d *decoder) forget() {
	d.table, d.size = nil, 0
	d.max, d.maxKnown = defaultTable, false
}

// decode returns the fields of a header block, and whether they are all there.
func (d *decoder) decode(p []byte) (fields []Field, complete bool) {
	d.fields, d.list, d.complete = nil, 0, true
	for len(p) > 0 {
		var ok bool
		if p, ok = d.representation(p); !ok {
			// Where the next field begins is unknown, and so is what it would add to the table.
			d.forget()
			d.complete = false
			break
		}
	}
	fields, complete = d.fields, d.complete
	d.fields = nil
	return fields, complete
}

// representation decodes one field representation or size update (RFC 7541 section 6) and returns what follows it.
func (d *decoder) representation(p []byte) (rest []byte, ok bool) {
	switch b := p[0]; {
	case b&0x80 != 0:
		index, rest, ok := readInt(p, 7)
		if ok {
			d.emit(d.at(index))
		}
		return rest, ok
	case b&0xc0 == 0x40:
		return d.literal(p, 6, true)
	case b&0xe0 == 0x20:
		size, rest, ok := readInt(p, 5)
		if ok {
			d.max, d.maxKnown = size, true
			d.evict()
		}
		return rest, ok
	default: // without indexing, never indexed
		return d.literal(p, 4, false)
	}
}

// literal decodes a field whose value, and with index 0 whose name, stands in the block (RFC 7541 section 6.2).
func (d *decoder) literal(p []byte, prefix int, indexed bool) (rest []byte, ok bool) {
	index, p, ok := readInt(p, prefix)
	if !ok {
		return nil, false
	}
	var e entry
	if index > 0 {
		known := d.at(index)
		e.Name, e.name = known.Name, known.name
	} else if e.Name, e.name, p, ok = readString(p); !ok {
		return nil, false
	}
	if e.Value, e.value, p, ok = readString(p); !ok {
		return nil, false
	}
	if indexed {
		d.add(e)
	}
	d.emit(e)
	return p, true
}

// emit adds e to the block's fields.
func (d *decoder) emit(e entry) {
	d.list += e.size()
	if !e.name || !e.value || d.list > maxList {
		d.complete = false
		return
	}
	d.fields = append(d.fields, e.Field)
}

// at returns the entry at index (RFC 7541 section 2.3.3), all unknown where it is not known.
func (d *decoder) at(index uint64) entry {
	if index < uint64(len(staticTable)) {
		return staticTable[index]
	}
	if i := index - uint64(len(staticTable)); i < uint64(len(d.table)) {
		return d.table[len(d.table)-1-int(i)]
	}
	return entry{}
}

// add makes e the newest entry of the dynamic table (RFC 7541 section 4.4). An entry larger than the table empties it
// and is not added; where the table's size is unknown, one that might be too large leaves nothing known.
func (d *decoder) add(e entry) {
	if uint64(e.size()) > d.max {
		d.table, d.size = nil, 0
		return
	}
	d.table = append(d.table, e)
	d.size += e.size()
	d.evict()
}

// evict drops the oldest entries until the table has its size. Without knowing the size only maxTable bounds it: the
// encoder does not refer to what it has evicted.
func (d *decoder) evict() {
	most := uint64(maxTable)
	if d.maxKnown {
		most = min(most, d.max)
	}
	n := 0
	for ; uint64(d.size) > most; n++ {
		d.size -= d.table[n].size()
	}
	clear(d.table[:n]) // the array lives on until append moves the rest
	d.table = d.table[n:]
}

// readInt reads an integer with a prefix of that many bits (RFC 7541 section 5.1). It fails where p ends first or the
// integer does not fit.
func readInt(p []byte, prefix int) (n uint64, rest []byte, ok bool) {
	if len(p) == 0 {
		return 0, nil, false
	}
	mask := uint64(1)<<prefix - 1
	n = uint64(p[0]) & mask
	p = p[1:]
	if n < mask {
		return n, p, true
	}
	for i, b := range p {
		if i == 9 {
			break
		}
		n += uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return n, p[i+1:], true
		}
	}
	return 0, nil, false
}

// readString reads a string (RFC 7541 section 5.2). It fails where p ends first; a string that is there but whose
// Huffman code is wrong is unknown.
func readString(p []byte) (s string, known bool, rest []byte, ok bool) {
	if len(p) == 0 {
		return "", false, nil, false
	}
	huffman := p[0]&0x80 != 0
	n, p, ok := readInt(p, 7)
	if !ok || n > uint64(len(p)) {
		return "", false, nil, false
	}
	raw, rest := p[:n], p[n:]
	if !huffman {
		return string(raw), true, rest, true
	}
	s, err := hpack.HuffmanDecodeToString(raw)
	return s, err == nil, rest, true
}
