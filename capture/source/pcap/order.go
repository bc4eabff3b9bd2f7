package pcap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"mcptrace/capture"
)

// feed is one input in the order of reading.
type feed struct {
	index   int // of its Input
	input   Input
	first   capture.Instant // time of its first packet, 0 if none
	r       *reader         // nil: not open, or done
	pending record
	quality *capture.Quality
}

// merge reads several inputs as one capture: packets come in the order of their times, an input's own in the order of
// the file. Of files that do not overlap, as a rotated set leaves them, only one is open at a time.
type merge struct {
	ctx     context.Context
	meter   *meter
	secrets func([]byte)
	waiting []*feed // by first packet
	active  []*feed // open, each with a packet pending
	current *feed   // lent its packet last
	done    []bool  // by input index: read to its end
}

// newMerge opens every input once, so that what is no capture is told before anything is read.
func newMerge(ctx context.Context, inputs []Input, m *meter, secrets func([]byte)) (*merge, []capture.Quality, error) {
	g := &merge{ctx: ctx, meter: m, secrets: secrets, done: make([]bool, len(inputs))}
	qualities := make([]capture.Quality, len(inputs))
	for i, in := range inputs {
		f := &feed{index: i, input: in, quality: &qualities[i]}
		if err := g.probe(f, len(inputs) == 1); err != nil {
			g.close()
			return nil, nil, err
		}
		g.waiting = append(g.waiting, f)
	}
	slices.SortStableFunc(g.waiting, func(a, b *feed) int {
		switch {
		case a.first < b.first:
			return -1
		case a.first > b.first:
			return 1
		}
		return 0
	})
	return g, qualities, nil
}

// probe opens f and, where order matters, learns when it begins. What can be opened again is closed until its turn.
func (g *merge) probe(f *feed, alone bool) error {
	again := !alone && f.input.R == nil && isRegular(f.input.Path)
	m, secrets := g.meter, g.secrets
	if again {
		m, secrets = nil, nil
	}
	r, err := open(g.ctx, f.input, m, secrets)
	if err != nil {
		return err
	}
	f.r = r
	if alone {
		return nil
	}
	if !again {
		g.advance(f)
		f.first = f.pending.at
		return nil
	}
	defer r.close()
	f.r = nil
	if r.next(&f.pending) == nil {
		f.first = f.pending.at
	}
	f.pending = record{}
	return nil
}

func isRegular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// next lends the next packet of all inputs and says which input it is of. It returns io.EOF after the last, or the
// context's error.
func (g *merge) next() (*feed, error) {
	if f := g.current; f != nil {
		g.current = nil
		if !g.advance(f) {
			g.active = slices.DeleteFunc(g.active, func(a *feed) bool { return a == f })
		}
	}
	if err := g.admit(); err != nil {
		return nil, err
	}
	if err := g.ctx.Err(); err != nil {
		return nil, err
	}
	if len(g.active) == 0 {
		return nil, io.EOF
	}
	g.current = g.active[0]
	for _, f := range g.active[1:] {
		if f.pending.at < g.current.pending.at {
			g.current = f
		}
	}
	return g.current, nil
}

// admit opens the inputs whose turn it is: those that begin before the earliest packet pending.
func (g *merge) admit() error {
	for len(g.waiting) > 0 && (len(g.active) == 0 || g.waiting[0].first < g.earliest()) {
		f := g.waiting[0]
		g.waiting = g.waiting[1:]
		if f.pending.number == 0 { // not read from yet
			if f.r == nil && !g.done[f.index] {
				r, err := open(g.ctx, f.input, g.meter, g.secrets)
				if g.ctx.Err() != nil {
					return g.ctx.Err()
				}
				if err != nil {
					g.vanished(f, err)
					continue
				}
				f.r = r
			}
			g.advance(f)
		}
		if f.r != nil {
			g.active = append(g.active, f)
		}
	}
	return nil
}

// vanished takes note of an input that could be read when it was looked at first, and cannot be any more.
func (g *merge) vanished(f *feed, err error) {
	var fe *FormatError
	if errors.As(err, &fe) {
		err = fe.Err
	}
	f.quality.TruncatedInput = true
	f.quality.Notes = append(f.quality.Notes, fmt.Sprintf("not read, it is gone: %v", err))
	g.done[f.index] = true
}

func (g *merge) earliest() capture.Instant {
	at := g.active[0].pending.at
	for _, f := range g.active[1:] {
		at = min(at, f.pending.at)
	}
	return at
}

// advance reads the next packet of f. It is false at the end of f, which is then closed and judged.
func (g *merge) advance(f *feed) bool {
	if f.r == nil {
		return false
	}
	err := f.r.next(&f.pending)
	if err == nil {
		return true
	}
	var d *damage
	if g.ctx.Err() == nil && errors.As(err, &d) {
		f.quality.TruncatedInput = true
		f.quality.TruncatedAt = d.at
		f.quality.Notes = append(f.quality.Notes, fmt.Sprintf("read to its byte %d only: %v", d.at, d.err))
	}
	f.finish()
	g.done[f.index] = true
	return false
}

// finish closes f and keeps what its format has to say.
func (f *feed) finish() {
	if f.r == nil {
		return
	}
	if n, ok := f.r.format.(*pcapng); ok {
		f.quality.DroppedByCapture = n.drops()
		if n.untimed > 0 {
			f.quality.Notes = append(f.quality.Notes, fmt.Sprintf("%d packets carry no time of their own", n.untimed))
		}
	}
	f.r.close()
	f.r = nil
}

// close closes whatever is open.
func (g *merge) close() {
	for _, f := range append(g.active, g.waiting...) {
		f.finish()
	}
}
