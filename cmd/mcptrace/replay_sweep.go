package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"mcptrace/replay"
)

// stripWidth is the number of columns of a strip.
const stripWidth = 64

// letters stand for the outcomes in a strip, the gravest first: where a column covers several, it shows that one.
var letters = []struct {
	verdict replay.Verdict
	ran     bool // see replay.Outcome
	letter  byte
}{
	{replay.Duplicated, false, 'D'}, {replay.Reissued, true, 'E'}, {replay.Dropped, false, 'X'}, {replay.Guessed, false, 'g'}, {replay.Hung, false, 'h'},
	{replay.Reissued, false, 'r'}, {replay.Failed, false, 'f'}, {replay.Resumed, false, '>'}, {replay.Unknown, false, '?'},
	{replay.Salvaged, false, '+'}, {replay.Settled, false, '='},
}

const legend = `  = settled  + salvaged  D runs twice: re-issued after the answer  E runs twice: re-issued although its result had begun
  X answer dropped  r re-issued: it may run twice  f failed  h hung  > resumed  g guessed  ? not known
  ruler: | the end of the head or of an event, A of the answer
`

// sweepText writes a sweep: the landmarks, a strip per policy and ending, and the runs of equal outcome.
func sweepText(b *bytes.Buffer, p *play) {
	if len(p.landmarks) == 0 {
		b.WriteString("\nThere is no HTTP response, so there is nothing to cut.\n")
		return
	}
	fmt.Fprintf(b, "\nBROKEN BEHIND EACH OF %d BODY BYTES\n", p.total)
	t := aligned(b)
	for _, l := range shortList(p.landmarks) {
		fmt.Fprintf(t, "%d\t%s\n", l.At, l.Name)
	}
	t.Flush()
	groups := groupEndings(p.swept)
	b.WriteByte('\n')
	t = aligned(b)
	fmt.Fprintf(t, "\t\t%s\tas recorded\n", ruler(p))
	for _, g := range groups {
		k := slices.IndexFunc(p.recorded, func(o replay.Outcome) bool { return o.Policy == g.Policy.Name })
		fmt.Fprintf(t, "%s\t%s\t%s\t%c\n", g.Policy.Name+p.model.mark(g.Policy.Name), g.ways, strip(g.Swept), letterOf(p.recorded[k]))
	}
	t.Flush()
	b.WriteString(legend)
	b.WriteByte('\n')
	t = aligned(b)
	fmt.Fprintf(t, "policy\tend\tbody bytes\tbehind\tverdict\tnext\twhy\n")
	sampled := false
	for _, g := range groups {
		sampled = sampled || g.Sampled
		for _, r := range g.merged {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", g.Policy.Name, g.ways, bounds(r), p.behind(r.From), verdict(r.Outcome), r.Outcome.Next, r.Outcome.Why)
		}
	}
	t.Flush()
	if sampled {
		b.WriteString("\nThe body is long: models of products were asked at the landmarks and one byte to either side of each, not at every byte.\n")
	}
}

// group is a sweep that several endings agree on.
type group struct {
	replay.Swept
	ways   string
	merged []replay.Range
}

// groupEndings puts the endings of one policy together that differ in times only, the policies in the order asked for.
func groupEndings(swept []replay.Swept) []group {
	var order []string
	by := map[string][]group{}
	for _, s := range swept {
		name, merged := s.Policy.Name, s.Merged()
		if by[name] == nil {
			order = append(order, name)
		}
		same := slices.IndexFunc(by[name], func(g group) bool { return slices.EqualFunc(g.merged, merged, sameRange) })
		if same >= 0 {
			by[name][same].ways += "," + string(s.How)
			continue
		}
		by[name] = append(by[name], group{s, string(s.How), merged})
	}
	var out []group
	for _, name := range order {
		if gs := by[name]; len(gs) == 1 && strings.Count(gs[0].ways, ",") == 2 {
			gs[0].ways = "any"
		}
		out = append(out, by[name]...)
	}
	return out
}

func sameRange(a, b replay.Range) bool {
	x, y := a.Outcome, b.Outcome
	return a.From == b.From && a.To == b.To && x.Verdict == y.Verdict && x.Ran == y.Ran && x.Next == y.Next && x.Why == y.Why
}

func bounds(r replay.Range) string {
	if r.From == r.To {
		return fmt.Sprint(r.From)
	}
	return fmt.Sprintf("%d..%d", r.From, r.To)
}

// shortList leaves out what stands between the first and the last of many landmarks, but for the answer.
func shortList(ls []replay.Landmark) []replay.Landmark {
	const most = 20
	if len(ls) <= most {
		return ls
	}
	var out []replay.Landmark
	for i, l := range ls {
		if i < most/2 || i >= len(ls)-most/2 || l.Answer {
			out = append(out, l)
		}
	}
	return out
}

// behind names the last landmark that n bytes hold whole.
func (p *play) behind(n int64) string {
	k := len(p.landmarks) - 1
	for k > 0 && p.landmarks[k].At > n {
		k--
	}
	return p.landmarks[k].Name
}

// column returns the column of a strip in which body offset n stands.
func column(n, total int64) int { return int(n * (stripWidth - 1) / max(1, total)) }

func ruler(p *play) string {
	row := bytes.Repeat([]byte{'-'}, stripWidth)
	for _, l := range p.landmarks {
		if i := column(l.At, p.total); row[i] != 'A' {
			row[i] = '|'
			if l.Answer {
				row[i] = 'A'
			}
		}
	}
	return string(row)
}

func strip(s replay.Swept) string {
	row := bytes.Repeat([]byte{' '}, stripWidth)
	for _, r := range s.Ranges {
		l := letterOf(r.Outcome)
		for i := column(r.From, s.Total); i <= column(r.To, s.Total); i++ {
			if rank(row[i]) > rank(l) {
				row[i] = l
			}
		}
	}
	return string(row)
}

func letterOf(o replay.Outcome) byte {
	for _, l := range letters {
		if l.verdict == o.Verdict && l.ran == o.Ran {
			return l.letter
		}
	}
	return ' '
}

func rank(letter byte) int {
	for i, l := range letters {
		if l.letter == letter {
			return i
		}
	}
	return len(letters)
}
