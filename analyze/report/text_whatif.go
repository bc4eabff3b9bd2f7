package report

import (
	"slices"

	"mcptrace/replay"
)

// whatIf writes what other clients would have made of the same bytes, where the user chose the policies.
func (t *textReport) whatIf() {
	if slices.EqualFunc(t.a.Policies(), replay.Generic(), func(p, q replay.Policy) bool { return p.Name == q.Name }) {
		return
	}
	w := &writer{a: t.a}
	w.play()
	t.printf("\nWHAT IF  the same bytes at the same times, under each client policy; %s\n", w.playedWords())
	g := w.whatIfTable()
	rows := make([][]string, len(g.Rows))
	for i, row := range g.Rows {
		for _, c := range row {
			rows[i] = append(rows[i], c.Text)
		}
	}
	if err := table(t.out, g.Head, g.Right, rows); err != nil && t.out.err == nil {
		t.out.err = err
	}
	for _, b := range w.recordedClients() {
		if b.Table == nil {
			t.printf("%s\n", safe(b.Text))
			continue
		}
		for _, row := range b.Table.Rows {
			t.printf("    %s %s: %s\n", row[0].Text, safe(clip(row[1].Text, 48)), safe(row[2].Text))
		}
	}
}
