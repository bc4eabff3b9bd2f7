package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mcptrace/capture"
	"mcptrace/store"
)

func (r *reader) readRecording(ctx context.Context, i int) error {
	expectLess()
	db, err := store.Open(r.inputs[i].Path)
	if err != nil {
		return err
	}
	defer db.Close()
	q := &r.inputs[i].Quality
	for _, in := range db.Inputs() {
		q.Add(in.Quality)
	}
	if db.Unfinished() {
		q.Notes = append(q.Notes, "the recording was not finished: it holds what was written until then")
		fmt.Fprintf(r.s.err, "mcptrace: warning: %s: the recording was not finished; it holds what was written until then\n", r.inputs[i].Path)
	}
	if db.Truncated() {
		q.Notes = append(q.Notes, "the end of the recording's file is missing")
		fmt.Fprintf(r.s.err, "mcptrace: warning: %s: the end of the file is missing; what is left of it is read\n", r.inputs[i].Path)
	}
	conns, err := db.Conns()
	if err != nil {
		return err
	}
	for _, c := range conns {
		c.Input = i
	}
	r.conns = append(r.conns, conns...)
	failures, err := db.Failures()
	if err != nil {
		return err
	}
	for _, f := range failures {
		r.failed(f)
	}
	return r.readExchanges(ctx, db, i)
}

// readExchanges reads what can be read of the exchanges. It fails where that is none because of damage.
func (r *reader) readExchanges(ctx context.Context, db *store.Reader, i int) error {
	good, bad := 0, 0
	var first error
	for ex, err := range db.Exchanges(ctx) {
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			first = cmp.Or(first, err)
			bad++
		default:
			good++
			r.looked = true
			r.spilled(ex)
			if r.plain != nil {
				r.plain(ex)
				continue
			}
			r.out(ex, capture.Read(ex))
		}
	}
	if bad == 0 {
		return nil
	}
	if good == 0 {
		return first
	}
	in := &r.inputs[i]
	what := fmt.Sprintf("the recording is damaged: %d of its exchanges were read", good)
	if !errors.Is(first, store.ErrDamaged) {
		what = fmt.Sprintf("the recording could not be read to its end: %d of its exchanges were read", good)
	}
	in.Quality.Notes = append(in.Quality.Notes, what)
	fmt.Fprintf(r.s.err, "mcptrace: warning: %s: %s; the first that was not: %v\n", in.Path, what, first)
	return nil
}
