package report

import (
	"fmt"
	"slices"
	"strings"

	"mcptrace/analyze"
)

// findings lists what the rules say, the gravest first, each with what it rests on.
func (w *writer) findings() part {
	p := part{ID: "findings", Title: "Findings"}
	if len(w.a.Findings) == 0 {
		p.Blocks = []block{para("None.")}
		return p
	}
	counts := map[string]int{}
	sev := map[string]analyze.Severity{}
	for _, f := range w.a.Findings {
		counts[f.Code]++
		sev[f.Code] = max(sev[f.Code], f.Severity)
	}
	g := &grid{Caption: "Findings by code", Head: []string{"severity", "code", "findings", "what it means"}, Right: map[int]bool{2: true}}
	for s := analyze.Error; s >= analyze.Info; s-- {
		for _, r := range analyze.Rules() {
			if n := counts[r.Code]; n > 0 && sev[r.Code] == s {
				g.add(words(s.String()), words(r.Code), count(n), words(r.Title))
			}
		}
	}
	p.Blocks = append(p.Blocks, block{Table: g})
	n := 0
	for s := analyze.Error; s >= analyze.Info; s-- {
		for i := range w.a.Findings {
			f := &w.a.Findings[i]
			if f.Severity != s {
				continue
			}
			if n++; n <= maxDetailed {
				p.Blocks = append(p.Blocks, w.finding(f))
			}
		}
	}
	if n > maxDetailed {
		p.Blocks = append(p.Blocks, left(n-maxDetailed, "findings"))
	}
	return p
}

// finding shows one finding with its evidence.
func (w *writer) finding(f *analyze.Finding) block {
	title := fmt.Sprintf("%s: %s", f.Severity, f.Code)
	if len(f.Cases) > 0 {
		title += fmt.Sprintf(", exchange #%d", f.Cases[0].ID)
	}
	b := block{Fold: title, Inner: []block{para("%s Confidence: %s.", f.Message, f.Confidence)}}
	cs := f.Cases
	if len(cs) == 0 {
		return b
	}
	where := fmt.Sprintf("Exchange #%d", cs[0].ID)
	if f.Offset >= 0 {
		where += fmt.Sprintf(", body byte %d", f.Offset)
	}
	if f.At > 0 {
		where += fmt.Sprintf(", at %s UTC (%s after its first byte)", w.moment(cs[0].Start+capInstant(f.At)), analyze.Dur(f.At))
	} else {
		where += fmt.Sprintf(", which began at %s UTC", w.moment(cs[0].Start))
	}
	b.Inner = append(b.Inner, para("%s.", where))
	involved := involvedIn(f)
	if len(involved) > 1 {
		g := &grid{Head: []string{"exchange", "time (UTC)", "call", "how it ended"}}
		for i, c := range involved {
			if i == 10 {
				break
			}
			g.add(ref(c), words(w.moment(c.Start)), words(c.Name()), words("the response "+c.HowEnded()))
		}
		b.Inner = append(b.Inner, block{Table: g})
		if len(involved) > 10 {
			b.Inner = append(b.Inner, left(len(involved)-10, "exchanges"))
		}
	} else {
		b.Inner = append(b.Inner, block{Table: &grid{Head: []string{"exchange", "call"}, Rows: [][]cell{{ref(cs[0]), words(cs[0].Name())}}}})
	}
	return w.addEvidence(b, filterOf(w.a, involved))
}

// involvedIn returns the exchanges of a finding, with the first attempt beside a second.
func involvedIn(f *analyze.Finding) []*analyze.Case {
	out := slices.Clone(f.Cases)
	if l := out[0].Reissue; l != nil && strings.HasPrefix(f.Code, "reissue") && !slices.Contains(out, l.Of) {
		out = append(out, l.Of)
	}
	return out
}

func (w *writer) addEvidence(b block, es []evidence) block {
	for _, e := range es {
		in := w.of(e.Input)
		note := ""
		if e.Left > 0 {
			note = fmt.Sprintf(" (%d more are left out)", e.Left)
		}
		b.Inner = append(b.Inner, para("Packets %s%s%s. In Wireshark:", packetList(e.Packets), in, note), block{Code: e.filter()})
	}
	return b
}

// of names the file that packets are counted in, where there are several.
func (w *writer) of(input string) string {
	if len(w.a.Inputs) < 2 {
		return ""
	}
	return " of " + input
}

// input returns the path of the input that c stands in.
func (w *writer) input(c *analyze.Case) string {
	if i := c.Conn.Input; i < len(w.a.Inputs) {
		return w.a.Inputs[i].Path
	}
	return ""
}

func packetList(ps []int64) string {
	out := make([]string, 0, len(ps))
	for i, p := range ps {
		if i == 20 {
			out = append(out, fmt.Sprintf("and %d more", len(ps)-i))
			break
		}
		out = append(out, fmt.Sprint(p))
	}
	return strings.Join(out, ", ")
}

// exchanges describes the exchanges that findings name, one by one.
func (w *writer) exchanges() part {
	p := part{ID: "exchanges", Title: "The exchanges that findings name"}
	if len(w.shown) == 0 {
		p.Blocks = []block{para("None.")}
		return p
	}
	p.Blocks = append(p.Blocks, para("Times count from the first request byte, offsets in the response body with transfer coding taken off (events: with content coding taken off too)."))
	for _, c := range w.shown {
		p.Blocks = append(p.Blocks, w.exchange(c))
	}
	named := map[*analyze.Case]bool{}
	for _, f := range w.a.Findings {
		for _, c := range f.Cases {
			named[c] = true
		}
	}
	for _, c := range w.shown {
		delete(named, c)
	}
	if n := len(named); n > 0 {
		p.Blocks = append(p.Blocks, para("%d more exchanges that findings name are not drawn; mcptrace show INPUT --exchange N shows any.", n))
	}
	return p
}

// exchange describes one exchange: what it was, its waterfall, and what clients make of it.
func (w *writer) exchange(c *analyze.Case) block {
	b := block{ID: fmt.Sprintf("x%d", c.ID), Fold: fmt.Sprintf("#%d %s", c.ID, c.Name())}
	head := fmt.Sprintf("%s → %s, HTTP/%s %s %s, session %s, began %s UTC", addressOr(c.Conn.Client), addressOr(c.Conn.Server), c.HTTP.Version, c.HTTP.Method, analyze.MaskTarget(c.HTTP.Target), session(c), w.moment(c.Start))
	if c.First > 0 {
		head += fmt.Sprintf(", packets %d to %d", c.First, c.LastPacket())
	}
	b.Inner = append(b.Inner, para("%s.", head))
	for _, l := range relations(c) {
		b.Inner = append(b.Inner, para("It %s.", l))
	}
	t := w.tracks.Of(c)
	steps := stepsOf(c, t, w.a.Last.Sub(c.Start))
	b.Inner = append(b.Inner, block{Picture: waterfall(c, t, steps)})
	b.Inner = append(b.Inner, payloads(t)...)
	if outs := w.replay[c]; len(outs) > 0 {
		g := &grid{Caption: "What clients would have made of it", Head: []string{"policy", "verdict", "held", "why"}, Right: map[int]bool{2: true}}
		for _, o := range outs {
			g.add(words(o.Policy), words(string(o.Verdict)), span3(o.Held), words(o.Why))
		}
		b.Inner = append(b.Inner, block{Table: g})
	}
	if f := connFilter(c); f != "" && c.First > 0 {
		b.Inner = append(b.Inner, para("Everything of its connection in that time, in Wireshark%s:", w.of(w.input(c))), block{Code: f})
	}
	return b
}

// payloads shows what was carried, where that was asked for.
func payloads(t *Track) []block {
	if t == nil {
		return nil
	}
	var out []block
	add := func(what string, p []byte) {
		if len(p) > 0 {
			out = append(out, block{Fold: what, Inner: []block{{Code: string(p)}}})
		}
	}
	add("Payload of the request", t.Request)
	add("Payload of the response", t.Body)
	for i := range t.Events {
		add(fmt.Sprintf("Payload of the event at bytes %d to %d", t.Events[i].Start, t.Events[i].End), t.Events[i].Data)
	}
	return out
}
