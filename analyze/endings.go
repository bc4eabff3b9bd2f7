package analyze

import (
	"container/heap"

	"mcptrace/capture"
)

// endings are the moments at which things end, so that those still going on can be counted: a heap, the next to end
// first.
type endings []capture.Instant

// Len implements heap.Interface.
func (e endings) Len() int { return len(e) }

// Less implements heap.Interface.
func (e endings) Less(i, j int) bool { return e[i] < e[j] }

// Swap implements heap.Interface.
func (e endings) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

// Push implements heap.Interface.
func (e *endings) Push(x any) { *e = append(*e, x.(capture.Instant)) }

// Pop implements heap.Interface.
func (e *endings) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// begin drops what had ended before at, adds a thing that goes on until end, and returns how many others go on.
// Calls come in order of at.
func (e *endings) begin(at, end capture.Instant) int {
	for len(*e) > 0 && (*e)[0] < at {
		heap.Pop(e)
	}
	n := len(*e)
	heap.Push(e, end)
	return n
}

// never is later than every ending that was seen.
const never = capture.Instant(1<<63 - 1)

// countBeside counts for each call the others of its session that were in flight when it was sent, and notes when each
// session was last of use.
func (a *Analyzer) countBeside() {
	open := map[*Session]*endings{}
	for c := range a.each(a.cases) {
		if !c.isCall() || c.HopOf != nil {
			continue
		}
		if c.ownDispatched() && c.HTTP.Status < 300 {
			c.Group.lastUse = c.Start
		}
		e := open[c.Group]
		if e == nil {
			e = &endings{}
			open[c.Group] = e
		}
		end := c.over()
		if end == 0 {
			end = never
		}
		// In flight is what ends later than at: what ends just then is over.
		c.beside = int32(e.begin(c.Start+1, end))
	}
}
