package capture

// openBytes bounds the memory of all open messages of an Assembly together. Beyond it the bytes of those that grow go to
// temporary files: a message may be small and never end, and there may be as many as there are connections.
const openBytes = 256 << 20

// purse counts the memory of the Blobs that share it, by their buffers. A nil purse allows everything.
type purse struct {
	held int64
	most int64 // 0: openBytes
}

func (p *purse) limit() int64 {
	if p.most == 0 {
		return openBytes
	}
	return p.most
}

// allows reports whether n more bytes may be held.
func (p *purse) allows(n int) bool { return p == nil || p.held+int64(n) <= p.limit() }

// tight reports whether memory must be used sparingly.
func (p *purse) tight() bool { return p != nil && p.held > p.limit()/2 }

func (p *purse) add(n int) {
	if p != nil {
		p.held += int64(n)
	}
}
