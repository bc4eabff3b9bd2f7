package capture

import "sync"

// spare is the memory in which a message keeps where its bytes stand and when they came.
type spare struct {
	chunks []Chunk
	acks   []Ack
	body   []Span
}

// spares holds what released messages gave back: exchanges come and go by the thousand, and most are alike.
var spares struct {
	sync.Mutex
	list []spare
}

// What is held: so many messages' memory, and no more than so many chunks of one: what a large message needed would be
// wasted on a small one.
const (
	maxSpares      = 256
	maxSpareChunks = 32
	spareChunks    = 4 // what a message has to begin with
)

// Reserve gives a message that is still empty the memory in which another has kept where its bytes stood and when they came:
// slices of no length to append to.
func (m *Message) Reserve() { m.begin() }

// begin gives a message that is still empty its memory.
func (m *Message) begin() {
	spares.Lock()
	defer spares.Unlock()
	if n := len(spares.list); n > 0 {
		s := spares.list[n-1]
		spares.list = spares.list[:n-1]
		m.Chunks, m.Acks, m.Body = s.chunks, s.acks, s.body
		return
	}
	m.Chunks, m.Acks, m.Body = make([]Chunk, 0, spareChunks), make([]Ack, 0, spareChunks), make([]Span, 0, 2)
}

// reset makes a message under way an empty one.
func (m *Message) reset() {
	m.release()
	*m = Message{Wire: m.Wire}
}

// release gives the memory of the message back.
func (m *Message) release() {
	m.Wire.Release()
	s := spare{m.Chunks[:0], m.Acks[:0], m.Body[:0]}
	m.Chunks, m.Acks, m.Body = nil, nil, nil
	if cap(s.chunks) == 0 || cap(s.chunks) > maxSpareChunks || cap(s.body) > maxSpareChunks || cap(s.acks) > maxSpareChunks {
		return
	}
	spares.Lock()
	defer spares.Unlock()
	if len(spares.list) < maxSpares {
		spares.list = append(spares.list, s)
	}
}
