package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a bar on standard error, shown on a terminal only and only when the work takes a while.
type progress struct {
	w     io.Writer
	start time.Time
	bar   *progressbar.ProgressBar
}

// patience is how long nothing is shown: most captures are read before anyone could look.
const patience = 500 * time.Millisecond

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &progress{w: w, start: time.Now()}
}

// update shows that read bytes of total have been read; total 0 is not known.
func (p *progress) update(read, total int64) {
	if p.w == nil || time.Since(p.start) < patience {
		return
	}
	if p.bar == nil {
		if total == 0 {
			total = -1
		}
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.w), progressbar.OptionShowBytes(true),
			progressbar.OptionSetDescription("reading"), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.bar.Set64(read)
}

// done takes the bar off the screen.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
