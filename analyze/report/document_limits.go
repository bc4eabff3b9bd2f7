package report

import (
	"strings"

	"mcptrace/capture"
)

// cannotShow says what no reader of this capture can know.
func (w *writer) cannotShow() part {
	p := part{ID: "cannot-show", Title: "What this capture cannot show"}
	say := func(format string, args ...any) { p.Blocks = append(p.Blocks, para(format, args...)) }
	say("Whether the client's program read an answer. “Delivered” means that the bytes reached the client's host (or a proxy that spoke for it), by its own acknowledgement or by what it sent later.")
	say("What servers did without sending anything: a call without a single response byte may or may not have run; such a call counts as “possible” when it is issued again.")
	if b := w.a.Blind(); b != 0 {
		say("Connections were open when the capture began: until %s UTC a call may repeat one from before, which nothing here can tell.", w.moment(b))
	}
	if m := missing(w.a); len(m) > 0 {
		say("Not read: %s.", strings.Join(m, ", "))
	}
	near := map[string]bool{}
	for c := range w.a.Each() {
		near[c.Near()] = true
	}
	if near["server"] || near["middle"] {
		say("Times are those of the recorder, which did not stand at the client: what passed it may have reached the client later, or not at all where a reset crossed it.")
	}
	if n := w.open(); n > 0 {
		say("How %s went on that %s still open when the capture ended.", plural(n, "exchange"), map[bool]string{true: "was", false: "were"}[n == 1])
	}
	return p
}

func (w *writer) open() int {
	n := 0
	for c := range w.a.Each() {
		if c.End().Kind == capture.EndOpen {
			n++
		}
	}
	return n
}
