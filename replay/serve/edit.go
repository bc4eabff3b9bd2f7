package serve

import "slices"

// edit puts other bytes in the place of the recorded ones [from, to).
type edit struct {
	from, to int64
	new      []byte
}

// part returns what stands for the recorded bytes [from, to) within the edit. However the bytes are split, the parts
// together are e.new: each recorded byte stands for one new byte, the last one for all that are left.
func (e *edit) part(from, to int64) []byte {
	n := int64(len(e.new))
	lo, hi := min(max(0, from-e.from), n), n
	if to < e.to {
		hi = min(to-e.from, n)
	}
	return e.new[lo:max(lo, hi)]
}

// edits are in order and do not overlap.
type edits []edit

// add puts e in its place.
func (es *edits) add(e edit) {
	i, _ := slices.BinarySearchFunc(*es, e.from, func(x edit, from int64) int { return int(x.from - from) })
	*es = slices.Insert(*es, i, e)
}

// render appends the live bytes for the recorded ones [from, to) to dst. copy appends recorded bytes. Edits that end
// before from must have been dropped.
func (es edits) render(dst []byte, from, to int64, copy func(dst []byte, from, to int64) []byte) []byte {
	for i := range es {
		e := &es[i]
		if e.to <= from {
			continue
		}
		if e.from >= to {
			break
		}
		if e.from > from {
			dst = copy(dst, from, e.from)
			from = e.from
		}
		end := min(to, e.to)
		dst = append(dst, e.part(from, end)...)
		from = end
	}
	if from < to {
		dst = copy(dst, from, to)
	}
	return dst
}

// drop forgets the edits that end at or before off.
func (es *edits) drop(off int64) {
	n := 0
	for n < len(*es) && (*es)[n].to <= off {
		n++
	}
	*es = (*es)[n:]
}
