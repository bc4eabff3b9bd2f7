package pcap

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcptrace/capture"
)

const (
	linger   = 60 * time.Second  // without a packet before a closed connection is forgotten
	halfOpen = 180 * time.Second // the same for one that never answered or carried a byte
)

// listed is a connection whose time may run out, and since when it has been waiting.
type listed struct {
	c     *conn
	since capture.Instant
}

// table holds the connections of one Read.
type table struct {
	rec     capture.Recorder
	limits  Limits
	inputs  []Input
	quality []capture.Quality
	done    []bool // by input: read to its end
	strays  []int  // by input: segments far outside their stream

	conns   map[flow]*conn
	newest  *conn // by last packet; linked through older
	oldest  *conn
	closing []listed // closed, by time of closing
	young   []listed // by first packet, until it is clear that they live
	lastID  int64
	queued  int64 // cost of all queues

	copies  copies
	twins   twins
	servers servers
	now     capture.Stamp // of the last segment
}

func newTable(rec capture.Recorder, limits Limits, inputs []Input, quality []capture.Quality, done []bool) *table {
	return &table{
		rec: rec, limits: limits, inputs: inputs, quality: quality, done: done, strays: make([]int, len(inputs)),
		conns: map[flow]*conn{}, twins: newTwins(), servers: servers{},
	}
}

// segment takes the next segment of the capture.
func (t *table) segment(s *segment) {
	t.now = s.stamp()
	if len(t.closing) > 0 || len(t.young) > 0 {
		t.expire()
	}
	c := t.conns[s.flow]
	if t.isDuplicate(c, s) {
		t.quality[s.input].DuplicatePackets++
		if c != nil {
			c.original().info.CopiesDropped++
		}
		return
	}
	if c != nil && c.isRenewedBy(s) {
		t.remove(c)
		c = nil
	}
	if c == nil {
		if s.has(flagRST) && !s.has(flagSYN) {
			return // of a connection that never was
		}
		c = t.add(s)
	}
	t.touch(c)
	c.packets++
	c.info.Last = max(c.info.Last, s.at)
	if c.copyOf != nil {
		c.copyOf.info.CopiesDropped++
		t.quality[s.input].DuplicatePackets++
	}
	if !c.hand.done {
		c.finishHandshake(s)
	}
	c.packet(s)
}

// original returns the connection that c is a copy of, or c.
func (c *conn) original() *conn {
	if c.copyOf != nil {
		return c.copyOf
	}
	return c
}

// isDuplicate tells whether s is a packet that was seen before: just now, or in another input that holds c too.
func (t *table) isDuplicate(c *conn, s *segment) bool {
	if c != nil && s.input != c.input && c.isElsewhere(s) {
		return true
	}
	return t.copies.isCopy(s)
}

// isElsewhere tells whether s, of another input than c, belongs to a second recording of c. Once the input of c is read
// to its end, c goes on in the other.
func (c *conn) isElsewhere(s *segment) bool {
	d := &c.dir[s.from]
	old := s.length > 0 && d.started && d.offset(s.seq)+int64(s.length) <= d.max
	known := slices.Contains(c.others, s.input)
	switch {
	case known && (old || !c.t.done[c.input]):
		return true
	case c.t.done[c.input]:
		c.input = s.input
		return false
	}
	if old || s.has(flagSYN) && d.synced && d.base == s.seq+1 {
		c.others = append(c.others, s.input)
		c.original().seenAs("in " + c.t.inputs[s.input].Path)
		return true
	}
	return false
}

// isRenewedBy tells whether s opens another connection between the same ends.
func (c *conn) isRenewedBy(s *segment) bool {
	d := &c.dir[s.from]
	switch {
	case s.has(flagRST) || !d.started:
		return s.has(flagSYN) && !s.has(flagACK|flagRST) && c.sink != nil
	case s.has(flagSYN) && d.base == s.seq+1:
		return false // again, or late
	case s.has(flagSYN) && s.has(flagACK):
		return c.closing
	case s.has(flagSYN):
		return true
	}
	off := d.offset(s.seq)
	return c.closing && s.length > 0 && (off > d.max+jump || off < d.next-behind)
}

// add opens a connection with its first segment.
func (t *table) add(s *segment) *conn {
	if len(t.conns) >= t.limits.Connections {
		t.makeRoom(s.input)
	}
	t.lastID++
	c := &conn{t: t, flow: s.flow, input: s.input, dir: [2]direction{newDirection(), newDirection()}}
	c.info = &capture.Conn{ID: t.lastID, Input: s.input, Open: s.at, Last: s.at, Vantage: capture.Vantage{Kind: "network"}}
	t.conns[c.flow] = c
	t.young = append(t.young, listed{c, s.at})
	return c
}

// makeRoom forgets the connection that will be missed least: one that never answered or carried a byte, of which a flood
// makes many; else one that is over; else the one idle for longest.
func (t *table) makeRoom(input int) {
	t.quality[input].LimitCuts++
	for len(t.young) > 0 {
		c := t.young[0].c
		t.young[0].c = nil
		if t.young = t.young[1:]; !c.gone && c.unborn() {
			t.remove(c)
			return
		}
	}
	for len(t.closing) > 0 {
		c := t.closing[0].c
		t.closing[0].c = nil
		if t.closing = t.closing[1:]; !c.gone {
			t.remove(c)
			return
		}
	}
	t.remove(t.oldest)
}

// unborn tells whether c is not known to have been answered, and has carried nothing.
func (c *conn) unborn() bool { return c.sink == nil && c.copyOf == nil && !c.hand.done }

// close puts c among the connections that are over. They are kept for a while: late packets belong to them.
func (t *table) close(c *conn) {
	if !c.closing {
		c.closing = true
		t.closing = append(t.closing, listed{c, t.now.Seen})
	}
}

// expire forgets connections that are over or never lived, once their time has passed.
func (t *table) expire() {
	t.closing = t.sweep(t.closing, linger, func(c *conn) bool { return true })
	t.young = t.sweep(t.young, halfOpen, (*conn).unborn)
}

// sweep looks at the connections that have been in list for age: those without a packet for age are removed, the others
// wait again. Those that f does not pick leave the list.
func (t *table) sweep(list []listed, age time.Duration, f func(*conn) bool) []listed {
	now := t.now.Seen
	for n := len(list); n > 0 && now.Sub(list[0].since) >= age; n-- {
		c := list[0].c
		list[0].c = nil
		list = list[1:]
		switch {
		case c.gone || !f(c):
		case now.Sub(c.info.Last) < age:
			list = append(list, listed{c, c.info.Last})
		default:
			t.remove(c)
		}
	}
	return list
}

// touch makes c the connection seen last.
func (t *table) touch(c *conn) {
	if t.newest == c {
		return
	}
	t.unlink(c)
	c.older = t.newest
	if t.newest != nil {
		t.newest.newer = c
	}
	t.newest = c
	if t.oldest == nil {
		t.oldest = c
	}
}

func (t *table) unlink(c *conn) {
	if c.newer != nil {
		c.newer.older = c.older
	} else if t.newest == c {
		t.newest = c.older
	}
	if c.older != nil {
		c.older.newer = c.newer
	} else if t.oldest == c {
		t.oldest = c.newer
	}
	c.newer, c.older = nil, nil
}

// remove closes c for good.
func (t *table) remove(c *conn) {
	c.gone = true
	t.unlink(c)
	delete(t.conns, c.flow)
	t.twins.forget(c)
	if c.copyOf == nil && c.sink != nil {
		c.flush(0, t.now)
		c.flush(1, t.now)
		if c.info.OneSided = !c.dir[0].seen || !c.dir[1].seen; c.info.OneSided {
			t.quality[c.info.Input].OneSidedConnections++
		}
		c.sink.Close(t.now)
	}
	c.failTimeout(t.now.Seen)
}

// finish closes every connection, in the order of their ids, at the time of the last packet of any kind.
func (t *table) finish() {
	for i := range t.quality {
		t.now.Seen = max(t.now.Seen, t.quality[i].Last)
	}
	t.now.At = t.now.Seen
	open := make([]*conn, 0, len(t.conns))
	for _, c := range t.conns {
		open = append(open, c)
	}
	slices.SortFunc(open, func(a, b *conn) int { return cmp.Compare(a.info.ID, b.info.ID) })
	for _, c := range open {
		t.remove(c)
	}
	for i, n := range t.strays {
		if n > 0 {
			q := &t.quality[i]
			q.Notes = append(q.Notes, fmt.Sprintf("%d TCP segments lie far outside their connection and were left out", n))
		}
	}
}
