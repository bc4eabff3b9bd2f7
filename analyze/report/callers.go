package report

import (
	"fmt"
	"strings"

	"mcptrace/analyze"
)

// callers is what became of the calls as their callers meant them: a call with its repeats, polls and resumptions counts
// once, and a batch is one call.
type callers struct {
	analyze.LogicalTotals
	requests int             // exchanges that carried the calls, first hops only
	errors   int             // answered calls whose final answer is an error
	ran      map[string]int  // calls that ran twice, by how sure that is: certain, likely, possible
	harmful  int             // of these, not known to be safe to repeat
	rescued  int             // attempts that were lost, of calls that another request got answered
	refused  int             // attempts that were refused with a status, of such calls
	doubtful int             // attempts of which that is not known, of such calls
	guessed  []*analyze.Case // requests that perhaps repeat another, and if so ran twice or may have
	lost     []*analyze.Story
	unknown  []*analyze.Story
}

func callersOf(a *analyze.Analyzer) callers {
	k := callers{LogicalTotals: a.Logical, ran: map[string]int{}}
	for c := range a.Each() {
		if !c.IsCall() || c.HopOf != nil || !c.HasRequest {
			continue
		}
		k.requests++
		s := c.Story
		switch {
		case s == nil:
			k.answer(c)
		case s.Outcome == analyze.Answered && c == s.By:
			k.answer(c)
		case s.Outcome == analyze.Answered && c.Fate() == "lost" && lossOf(c) == refused:
			k.refused++
		case s.Outcome == analyze.Answered && c.Fate() == "lost":
			k.rescued++
		case s.Outcome == analyze.Answered && c.Fate() == "unknown":
			k.doubtful++
		}
	}
	for _, s := range a.Stories {
		switch s.Outcome {
		case analyze.Lost:
			k.lost = append(k.lost, s)
		case analyze.Undecided:
			k.unknown = append(k.unknown, s)
		}
	}
	k.repeats(a)
	k.guessed = guessedRepeats(a)
	return k
}

// answer counts the final answer of a call.
func (k *callers) answer(c *analyze.Case) {
	if c.Failed() {
		k.errors++
	}
}

// repeats counts the calls that ran twice, each once, by the surest of its second attempts: these come first.
func (k *callers) repeats(a *analyze.Analyzer) {
	seen := map[*analyze.Story]bool{}
	for c := range a.Through(a.Reissues()) {
		if c.Story != nil && seen[c.Story] {
			continue
		}
		seen[c.Story] = true
		k.ran[c.Reissue.Duplicate]++
		if c.Safety() != analyze.Safe && c.Safety() != analyze.HintedSafe {
			k.harmful++
		}
	}
}

// outcomes says what became of the calls: "2 answered, 1 lost, 0 not known".
func (k *callers) outcomes() string {
	s := fmt.Sprintf("%d answered", k.Answered)
	if k.errors > 0 {
		s += fmt.Sprintf(" (%d with an error)", k.errors)
	}
	return s + fmt.Sprintf(", %d lost, %d not known", k.Lost, k.Unknown)
}

// rescues says what became of attempts that got no answer, though their calls did; "" where there are none.
func (k *callers) rescues() string {
	var parts []string
	switch k.rescued {
	case 0:
	case 1:
		parts = append(parts, "1 attempt was lost, but its call was answered by another")
	default:
		parts = append(parts, fmt.Sprintf("%d attempts were lost, but all their calls were answered by others", k.rescued))
	}
	switch k.refused {
	case 0:
	case 1:
		parts = append(parts, "1 attempt was refused by its status, but its call has an answer")
	default:
		parts = append(parts, fmt.Sprintf("%d attempts were refused by their status, but all their calls have answers", k.refused))
	}
	if k.doubtful > 0 {
		parts = append(parts, fmt.Sprintf("what became of %s before the answered one is not known", analyze.Count(k.doubtful, "attempt")))
	}
	return strings.Join(parts, "; ")
}

// ranTwice says how many calls ran twice, or may have, and how many of these are not known to be safe to repeat.
func (k *callers) ranTwice() string {
	certain, likely, possible := k.ran["certain"], k.ran["likely"], k.ran["possible"]
	n := certain + likely + possible
	if n == 0 {
		return "no call is known to have run twice"
	}
	var s string
	switch {
	case certain > 0:
		s = plural(certain, "call") + " ran twice for certain"
		if likely > 0 {
			s += fmt.Sprintf(", %d more likely did", likely)
		}
	case likely > 0:
		s = plural(likely, "call") + " likely ran twice, none for certain"
	}
	switch {
	case possible > 0 && s != "":
		s += fmt.Sprintf(", %d more may have", possible)
	case possible > 0:
		s = plural(possible, "call") + " may have run twice, none for certain"
	}
	switch {
	case k.harmful == 0:
		return s + " (safe to repeat)"
	case k.harmful == n:
		return s + " (not known to be safe to repeat)"
	}
	return s + fmt.Sprintf(" (%d of these %d not known to be safe to repeat)", k.harmful, n)
}

// lostOnes says how many calls got no answer.
func (k *callers) lostOnes() string {
	switch {
	case k.Lost == 0 && k.Unknown == 0 && k.Calls > 0:
		return "no call was lost"
	case k.Lost == 0:
		return "no call is known to be lost"
	case k.Lost == 1 && k.RanAndLost == 1:
		return "1 call got no answer although it ran"
	case k.RanAndLost == 0:
		return plural(k.Lost, "call") + " got no answer"
	}
	return fmt.Sprintf("%s got no answer, %d of them although they ran", plural(k.Lost, "call"), k.RanAndLost)
}

// guessedRepeats returns the requests of which it is a guess that they repeat an earlier one, where both may have run.
func guessedRepeats(a *analyze.Analyzer) []*analyze.Case {
	var out []*analyze.Case
	for c := range a.Each() {
		if l := c.Reissue; l != nil && c.HopOf == nil && l.Confidence == "low" && l.Duplicate != "no" && l.Duplicate != "unlikely" {
			out = append(out, c)
		}
	}
	return out
}

// guesses names the requests of which it is a guess that they repeat others: "if #4 repeats #3, which is a guess".
func (k *callers) guesses() string {
	c := k.guessed[0]
	s := fmt.Sprintf("if #%d repeats #%d", c.ID, c.Reissue.Of.ID)
	if len(k.guessed) > 1 {
		s += " and so on"
	}
	return s + ", which is a guess"
}

// ranAndLost says how many of the lost calls ran.
func (k *callers) ranAndLost() string {
	idle := 0
	for _, s := range k.lost {
		if s.RanAtMost == 0 {
			idle++
		}
	}
	switch {
	case idle == len(k.lost) && idle == 1:
		return "it did not run"
	case idle == len(k.lost):
		return "none of them ran"
	case idle > 0:
		return fmt.Sprintf("%d known to have run, %d known not to", k.RanAndLost, idle)
	}
	return fmt.Sprintf("%d known to have run", k.RanAndLost)
}
