package main

import (
	"context"
	"fmt"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/replay/serve"
)

// recording is what is served.
type recording struct {
	*serve.Recording
	calls    []string // the first of the calls in it, each as a line
	count    int      // of all calls
	lastCall int      // its number
}

// recording reads the inputs. Of a call that was captured on several hops the first is served.
func (f *serveFlags) recording(ctx context.Context, s *streams, inputs []string) (*recording, error) {
	filter, err := f.filter()
	if err != nil {
		return nil, err
	}
	rec := &recording{Recording: &serve.Recording{}}
	a := analyze.New(analyze.Options{Filter: filter})
	defer a.Close()
	r := &reader{flags: &f.inputFlags, s: s, failed: a.ConnectFailure, out: func(ex *capture.Exchange, rd *capture.Reading) {
		rec.Add(ex, rd)
		a.Add(ex, capture.Read(ex)) // the Analyzer changes what it is given
	}}
	if err := r.read(ctx, inputs); err != nil {
		return nil, err
	}
	a.Report(r.inputs, r.conns)
	var keep []int
	found := false
	for c := range a.Each() {
		if c.HopOf == nil {
			keep, found = append(keep, c.ID), found || c.ID == f.exchange
			rec.note(c)
		}
	}
	rec.Keep(keep)
	switch {
	case len(keep) == 0:
		return nil, hinted{fmt.Errorf("%s: no MCP was found", inputs[0]), "mcptrace analyze says why"}
	case f.exchange != 0 && !found:
		return nil, fmt.Errorf("no exchange %d among the %d that are served", f.exchange, len(keep))
	}
	return rec, nil
}

// mostAnnounced bounds the calls that are listed at the start.
const mostAnnounced = 20

// note takes note of a call that can be made.
func (r *recording) note(c *analyze.Case) {
	if !c.IsCall() {
		return
	}
	if r.count++; r.count <= mostAnnounced {
		r.calls = append(r.calls, fmt.Sprintf("#%d %s", c.ID, oneLine(c.Name())))
	}
	r.lastCall = c.ID
}

// announce says which calls can be made.
func (r *recording) announce(s *streams) {
	if r.count == 0 {
		return
	}
	fmt.Fprintln(s.err, "mcptrace: these calls were recorded; another gets an error:")
	for _, line := range r.calls {
		fmt.Fprintf(s.err, "  %s\n", line)
	}
	if more := r.count - mostAnnounced; more > 0 {
		fmt.Fprintf(s.err, "  and %d more, which mcptrace analyze lists\n", more)
	}
	fmt.Fprintf(s.err, "mcptrace: hint: mcptrace show INPUT --exchange %d --payload shows the parameters of a call\n", r.lastCall)
}
