package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// twice is one call that may have run twice, as a refund needs it.
type twice struct {
	first, second *analyze.Case
	duplicate     string
	tool          string
	arguments     string // hash
	idempotency   string // hash
	traceparent   string
	answers       string
}

var answerPairs = map[string]string{"same": "the same", "differs": "differ", "second-is-error": "the second is an error", "": "not both seen"}

// twiceOf returns what is known of the pair that c is the second of.
func twiceOf(c *analyze.Case) twice {
	l := c.Reissue
	t := twice{first: l.Of, second: c, duplicate: l.Duplicate, tool: c.HTTP.Method, answers: answerPairs[l.Same],
		arguments: c.ArgumentsHash(), idempotency: l.Of.IdempotencyHash(), traceparent: l.Of.Traceparent()}
	if len(c.R().Calls) > 0 {
		k := &c.R().Calls[0]
		if t.tool = k.Method; k.Name != "" {
			t.tool = k.Name
		}
	}
	return t
}

// ranTwiceHeader are the columns of the table that RanTwice writes.
var ranTwiceHeader = []string{"ran_twice", "confidence", "repeat_safety", "first_utc", "second_utc", "session", "tool", "arguments_sha256_64", "idempotency_key_sha256_64",
	"traceparent", "answers", "first_exchange", "second_exchange", "client", "server"}

// RanTwice writes the calls that ran twice, or may have, as CSV (RFC 4180), the surest first: one row a call, times in
// UTC. Hashes are the first 8 bytes of SHA-256, in hex: of the canonical JSON of the arguments, and of the key as it stood.
// Text that a spreadsheet would take for a formula is quoted with an apostrophe. It returns the writer's error.
func RanTwice(out io.Writer, a *analyze.Analyzer) error {
	c := csv.NewWriter(out)
	c.Write(ranTwiceHeader)
	for x := range a.Through(a.Reissues()) {
		t := twiceOf(x)
		row := []string{t.duplicate, x.Reissue.Confidence, string(x.Safety()), stamp(t.first.Start), stamp(t.second.Start), session(x), t.tool, t.arguments, t.idempotency,
			t.traceparent, t.answers, fmt.Sprint(t.first.ID), fmt.Sprint(t.second.ID), addressOr(x.Conn.Client), addressOr(x.Conn.Server)}
		for i := range row {
			row[i] = noFormula(safe(clip(row[i], 500)))
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}

// noFormula keeps a spreadsheet from computing what came off the wire.
func noFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// ranTwice is the table that refunds start from.
func (w *writer) ranTwice() part {
	p := part{ID: "ran-twice", Title: "Calls that ran twice, or may have"}
	cs := w.a.Reissues()
	if len(cs) == 0 {
		p.Blocks = []block{para("None is known.")}
		if n := len(w.callers.guessed); n > 0 {
			p.Blocks = append(p.Blocks, para("%s may have run twice %s.", upper(plural(n, "call")), w.callers.guesses()))
		}
		return p
	}
	g := &grid{Caption: "Calls that ran twice, or may have; times are UTC",
		Head: []string{"ran twice", "first", "again", "session", "tool", "arguments", "idempotency key", "traceparent", "answers", "safe to repeat", "exchanges", "confidence"}}
	for _, c := range cs[:min(len(cs), maxRanTwice)] {
		t := twiceOf(c)
		g.add(words(t.duplicate), words(w.moment(t.first.Start)), words(c.Start.Time().Format("15:04:05.000")), words(session(c)), words(t.tool), words(t.arguments), words(t.idempotency),
			words(t.traceparent), words(t.answers), words(safeWords[c.Safety()]), cell{Text: fmt.Sprintf("#%d, #%d", t.first.ID, t.second.ID), Ref: t.second.ID}, words(c.Reissue.Confidence))
	}
	p.Blocks = append(p.Blocks, block{Table: g.withoutEmpty("idempotency key", "traceparent")})
	if n := len(cs) - maxRanTwice; n > 0 {
		p.Blocks = append(p.Blocks, left(n, "calls"))
	}
	var b strings.Builder
	RanTwice(&limited{w: &b, n: 2 << 20}, w.a)
	p.Blocks = append(p.Blocks, block{Fold: "The same as CSV", Inner: []block{{Code: b.String(), File: "ran-twice.csv"}}})
	return p
}

// safeWords say in a cell whether a call is safe to repeat.
var safeWords = map[analyze.Safety]string{analyze.Safe: "yes", analyze.HintedSafe: "yes, by its hint", analyze.Unsafe: "not known"}

// limited drops what comes after n bytes.
type limited struct {
	w io.Writer
	n int
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.n {
		l.n = 0
		return len(p), nil
	}
	l.n -= len(p)
	_, err := l.w.Write(p)
	return len(p), err
}

// duplicates says what was issued again and why.
func (w *writer) duplicates() part {
	p := part{ID: "duplicates", Title: "Calls issued again"}
	type key struct{ finding, tool string }
	type tally struct {
		key
		n     map[string]int
		first *analyze.Case
		all   int
	}
	by := map[key]*tally{}
	var order []*tally
	for c := range w.a.Each() {
		l := c.Reissue
		if l == nil {
			continue
		}
		k := key{l.Finding, twiceOf(c).tool}
		t := by[k]
		if t == nil {
			t = &tally{key: k, n: map[string]int{}, first: c}
			by[k] = t
			order = append(order, t)
		}
		t.n[l.Duplicate]++
		t.all++
	}
	if len(order) == 0 {
		p.Blocks = []block{para("No call was issued again.")}
		return p
	}
	slices.SortStableFunc(order, func(x, y *tally) int { return y.n["certain"] - x.n["certain"] })
	g := &grid{Caption: "Second attempts by what is known of the first, and by tool", Head: []string{"finding", "tool", "attempts", "certain", "likely", "possible", "unlikely", "no", "for example"},
		Right: map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true}}
	for i, t := range order {
		if i == maxGridRows {
			p.Blocks = append(p.Blocks, left(len(order)-i, "rows"))
			break
		}
		g.add(words(t.finding), words(t.tool), count(t.all), count(t.n["certain"]), count(t.n["likely"]), count(t.n["possible"]), count(t.n["unlikely"]), count(t.n["no"]), ref(t.first))
	}
	p.Blocks = append(p.Blocks, block{Table: g}, para("“Ran twice” is certain where both attempts show that they ran: an answer, or a part of one. It does not say that running twice did harm: the table above says which calls are safe to repeat."))
	return p
}

// came says what the call of an attempt came to.
func came(c *analyze.Case) string {
	switch {
	case c.Story == nil || c.Story.Outcome == analyze.Lost:
		return "lost"
	case c.Story.Outcome == analyze.Answered:
		return "answered"
	}
	return "not known"
}

// lost lists the attempts that got no answer, and says what their calls came to.
func (w *writer) lost() part {
	p := part{ID: "lost", Title: "Lost calls and attempts"}
	cs := w.a.Fates("lost")
	if len(cs) == 0 {
		p.Blocks = []block{para("Every request that was over had its answer.")}
		return p
	}
	p.Blocks = []block{para("%s.", upper(w.callers.lostOnes()))}
	if s := w.callers.rescues(); s != "" {
		p.Blocks = append(p.Blocks, para("%s.", upper(s)))
	}
	g := &grid{Caption: "Attempts without an answer; times are UTC", Head: []string{"exchange", "time", "session", "call", "how far the answer came", "how it ended", "it ran", "issued again", "the call was"}}
	for _, c := range cs[:min(len(cs), maxGridRows)] {
		ran, again := "not known", cell{Text: "no"}
		if c.Answer().Level != capture.LevelNone && c.Answer().Kind == "result" {
			ran = "yes"
		}
		if c.RepeatedBy != nil {
			again = ref(c.RepeatedBy)
		}
		g.add(ref(c), words(w.moment(c.Start)), words(session(c)), words(c.Name()), words(strings.TrimSpace(string(c.Answer().Level)+" "+c.Answer().Kind)), words(lostWords(c)), words(ran), again, words(came(c)))
	}
	p.Blocks = append(p.Blocks, block{Table: g})
	if n := len(cs) - maxGridRows; n > 0 {
		p.Blocks = append(p.Blocks, left(n, "attempts"))
	}
	return p
}

// maxStoryRows is how many logical calls are told.
const maxStoryRows = 50

// stories tells what came of the calls as their callers meant them: all attempts, resumptions and polls of a call as one.
func (w *writer) stories() part {
	p := part{ID: "stories", Title: "Calls as their callers meant them"}
	l := w.a.Logical
	n := func(k int, key string) cell {
		return cell{Text: fmt.Sprint(k), Key: "logical_totals." + key, Raw: int64(k)}
	}
	p.Blocks = append(p.Blocks, block{Table: &grid{Caption: "Each wish of a caller counts once, with all that came of it", Head: []string{"calls", "answered", "lost", "not known", "ran more than once", "ran, and lost their answers"},
		Right: map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true},
		Rows:  [][]cell{{n(l.Calls, "calls"), n(l.Answered, "answered"), n(l.Lost, "lost"), n(l.Unknown, "unknown"), n(l.RanTwice, "ran_twice"), n(l.RanAndLost, "ran_and_lost")}}}})
	var worst []*analyze.Story
	for _, s := range w.a.Stories {
		if badness(s) > 0 {
			worst = append(worst, s)
		}
	}
	slices.SortStableFunc(worst, func(x, y *analyze.Story) int { return badness(y) - badness(x) })
	g := &grid{Caption: "The worst of them; times are UTC", Head: []string{"first attempt", "time", "what came of it", "confidence"}}
	for _, s := range worst[:min(len(worst), maxStoryRows)] {
		g.add(ref(s.First()), words(w.moment(s.First().Start)), words(s.String()), words(s.Confidence))
	}
	if len(worst) > 0 {
		p.Blocks = append(p.Blocks, block{Table: g})
	}
	if n := len(worst) - maxStoryRows; n > 0 {
		p.Blocks = append(p.Blocks, left(n, "calls"))
	}
	return p
}
