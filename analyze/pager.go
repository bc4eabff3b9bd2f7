package analyze

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
)

// pager keeps the details of so many cases at hand as memory should be spent on, and the others in a spool.
//
// While a capture is read, only the newest few details stay as they are, for reading takes memory too. Of few enough
// cases all details then stay once they were asked for; of more, they are let go again between one case and the next of
// a walk (see Analyzer.each): a pointer into a detail is good until then.
type pager struct {
	keep   int     // so many cases may have their details at hand
	few    int     // … once there are more: the newest that were asked for
	here   []*Case // those who have, in the order in which they came
	from   int     // … from this one on
	stay   bool    // details are not let go
	file   spool
	codec  codec
	absent detail // stands in for every detail that is not here
	full   error  // why details cannot be written any more
}

// The default of keep is about 10 MB; few suffices for what a walk looks at around a case. Details of less than waiting
// bytes need no file.
const (
	keepDetails = 8 << 10
	fewDetails  = 1 << 10
	waiting     = 256 << 10
	atOnce      = 64 << 10 // bytes read at a time
)

// newPager returns a pager that keeps so many details, 0: the default.
func newPager(keep int) *pager {
	if keep == 0 {
		keep = keepDetails
	}
	p := &pager{keep: keep, few: min(keep/2, fewDetails), file: spool{wait: waiting, span: atOnce}}
	p.absent.away = p
	return p
}

// add takes the detail of a new case into care.
func (p *pager) add(c *Case) {
	p.here = append(p.here, c)
	p.trim()
}

// settle tells that all cases have come: so many.
func (p *pager) settle(cases []*Case) {
	p.codec.cases = cases
	p.stay = len(cases) <= p.keep
}

// trim lets go of details until there are few. No pointer into a detail may be in use.
func (p *pager) trim() {
	if p.stay {
		return
	}
	for len(p.here)-p.from > p.few {
		c := p.here[p.from]
		p.here[p.from] = nil
		p.from++
		p.letGo(c)
	}
	if p.from > len(p.here)/2 {
		n := copy(p.here, p.here[p.from:])
		clear(p.here[n:])
		p.here, p.from = p.here[:n], 0
	}
}

// letGo writes the detail of c, unless it stands in the file as it is. Where it cannot be written, it stays.
func (p *pager) letGo(c *Case) {
	if c.d.dirty {
		at, err := p.file.add(p.codec.pack(c.d))
		if err != nil {
			p.full = err
			return
		}
		c.slot = at
	}
	c.d = &p.absent
}

// load brings the detail of c back. Where it cannot be read, it panics with a lost, see Recover.
func (p *pager) load(c *Case) {
	b, err := p.file.at(c.slot)
	if err != nil {
		panic(lost{err})
	}
	d, err := p.codec.unpack(b)
	if err != nil {
		panic(lost{err})
	}
	if c.judged != 0 {
		verdicts[c.judged-1].put(d)
	}
	c.d = d
	p.here = append(p.here, c)
}

// lost is what load panics with: nearly every method of a Case may find that its detail is gone.
type lost struct{ err error }

// Recover sets err where details of exchanges could not be read back from their temporary file: there is nothing to
// report then. It is to be deferred by who asks an Analyzer for its conclusions.
func Recover(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if l, ok := p.(lost); ok {
		*err = fmt.Errorf("reading back what stood in a temporary file: %w", l.err)
	} else if fault, ok := p.(interface{ Addr() uintptr }); ok && mapped.has(fault.Addr()) { // see debug.SetPanicOnFault
		*err = errors.New("reading back what stood in a temporary file: it is damaged, or its disk is full or damaged")
	} else {
		panic(p)
	}
}

// each walks through cases and lets their details go behind it: no pointer into a detail may be held from one to the
// next, nor across a walk within it.
func (a *Analyzer) each(cases []*Case) iter.Seq[*Case] {
	return func(yield func(*Case) bool) {
		for _, c := range cases {
			a.arena.pass(c.facts)
			if !yield(c) {
				return
			}
			a.pager.trim()
		}
	}
}

// eachSession walks through the sessions and lets the details of one go before the next.
func (a *Analyzer) eachSession() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for _, s := range a.Sessions {
			a.arena.pass(s.Cases[0].facts)
			if !yield(s) {
				return
			}
			a.pager.trim()
		}
	}
}

// Each walks through the exchanges in order of their first request byte, once Report has run. Of a large capture it
// needs less memory than a walk through Cases.
func (a *Analyzer) Each() iter.Seq[*Case] { return a.each(a.cases) }

// Through walks through some of the exchanges, with as little memory as Each.
func (a *Analyzer) Through(cases []*Case) iter.Seq[*Case] { return a.each(cases) }

// LetGo lets go of what stands in temporary files, as Each does between two exchanges.
func (a *Analyzer) LetGo() {
	a.pager.trim()
	a.arena.pass(nil)
}

// Unwritten says why what is known of exchanges stayed in memory although they are many; nil: it did not.
func (a *Analyzer) Unwritten() error { return cmp.Or(a.pager.full, a.arena.err) }
