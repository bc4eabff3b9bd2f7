package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"mcptrace/replay/serve"
)

// runSweep runs the command once per cut.
func (f *serveFlags) runSweep(ctx context.Context, s *streams, rec *recording, o serve.Options, command []string) error {
	so := serve.SweepOptions{Exchange: f.exchange, EveryByte: f.everyByte, Jobs: f.jobs, Speed: o.Speed, Client: f.client(s, command, io.Discard)}
	if f.end != "" {
		so.End, _ = serve.ParseEnd(f.end)
	}
	if e, ok := s.err.(*os.File); ok && term.IsTerminal(int(e.Fd())) {
		var bar *progressbar.ProgressBar
		so.Progress = func(done, total int) {
			if bar == nil {
				bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(e), progressbar.OptionSetDescription("cuts"),
					progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
			}
			bar.Set(done)
		}
	}
	rows, err := serve.Sweep(ctx, rec.Recording, so)
	if n := len(rows); n > 0 {
		if len(rows[n-1].Plays) == 0 {
			hintUnreached(s, command)
		}
		if err := f.write(s, func(w *outcomes) error { return w.sweep(rows) }); err != nil {
			return err
		}
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted: the sweep is not complete")
	}
	if err != nil {
		return err
	}
	for _, r := range rows {
		if f.fails(r.Verdict) {
			return errFindings
		}
	}
	return nil
}
