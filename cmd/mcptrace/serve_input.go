package main

import (
	"context"
	"fmt"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/replay/serve"
)

// recording reads the inputs. Of a call that was captured on several hops the first is served.
func (f *serveFlags) recording(ctx context.Context, s *streams, inputs []string) (*serve.Recording, error) {
	filter, err := f.filter()
	if err != nil {
		return nil, err
	}
	rec := &serve.Recording{}
	a := analyze.New(analyze.Options{Filter: filter})
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
	for _, c := range a.Cases() {
		if c.HopOf == nil {
			keep = append(keep, c.ID)
			found = found || c.ID == f.exchange
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
