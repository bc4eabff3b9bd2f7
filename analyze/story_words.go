package analyze

import (
	"fmt"
	"strings"
)

// String tells the story in one sentence: what was asked, what became of it, in how many exchanges, how often it ran.
func (s *Story) String() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s: %s", s.First().name(), s.outcomeWords())
	if ran := s.ranWords(); ran != "" {
		b.WriteString("; " + ran)
	}
	if legs := s.legWords(); legs != "" {
		b.WriteString(" (" + legs + ")")
	}
	return b.String()
}

func (s *Story) outcomeWords() string {
	switch s.Outcome {
	case Answered:
		what := "answered"
		if s.By.Answer().Kind == "error" {
			what = "answered with an error"
		}
		if s.By == s.First() {
			return what + " after " + dur(s.After)
		}
		return fmt.Sprintf("%s after %s by %s", what, dur(s.After), id(s.By))
	case Lost:
		switch {
		case s.RanAtLeast > 0:
			return "ran at least once and its answer is lost"
		case s.RanAtMost == 0:
			return "got no answer and did not run"
		}
		return "lost; whether it ran is not known"
	}
	switch {
	case s.First().becameTask():
		return "became a task whose result is not in the capture"
	case s.RanAtLeast > 0:
		return "ran; whether its answer arrived is not known"
	}
	return "its answer is not in the capture"
}

// ranWords says how often the call ran, "" where it ran once, or where the outcome says it.
func (s *Story) ranWords() string {
	switch {
	case s.RanAtLeast > 1 && s.RanAtMost > s.RanAtLeast:
		return fmt.Sprintf("ran %d times, perhaps %d", s.RanAtLeast, s.RanAtMost)
	case s.RanAtLeast > 1:
		return fmt.Sprintf("ran %d times", s.RanAtLeast)
	case s.RanAtMost > 1 && s.Outcome == Answered:
		return fmt.Sprintf("ran once, perhaps %d times", s.RanAtMost)
	}
	return ""
}

// legWords lists the exchanges beyond the first by their roles, in time order, equal ones in a row as one.
func (s *Story) legWords() string {
	if len(s.Legs) == 1 {
		return ""
	}
	parts := []string{fmt.Sprintf("%s %s", id(s.First()), s.First().HowLost())}
	for i := 1; i < len(s.Legs); {
		k := i
		for k < len(s.Legs) && s.Legs[k].Role == s.Legs[i].Role {
			k++
		}
		word := roleWords[s.Legs[i].Role]
		if k-i > 1 {
			word = fmt.Sprintf("%d× %s", k-i, word)
		}
		parts = append(parts, word+" "+id(s.Legs[i].Case))
		i = k
	}
	if len(parts) > 8 {
		parts = append(parts[:7], fmt.Sprintf("… %d exchanges in all", len(s.Legs)))
	}
	return strings.Join(parts, ", ")
}

var roleWords = map[Role]string{RoleReissue: "issued again as", RoleResumption: "resumed by", RoleRefusedResumption: "resumption refused", RoleCancel: "cancelled by",
	RoleInputRound: "continued with input by", RoleTaskPoll: "task asked after by", RoleCredentials: "repeated after a request for credentials by", RoleCorrected: "repeated in another form by",
	RoleRedirected: "redirected to", RoleEraFallback: "fell back to the older era by", RoleReinitialize: "new session by", RoleHop: "next hop"}
