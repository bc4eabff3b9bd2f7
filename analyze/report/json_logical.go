package report

import (
	"mcptrace/analyze"
)

type jsonLogical struct {
	First      int       `json:"first"`
	Method     *string   `json:"method"`
	Name       *string   `json:"name"`
	Session    *string   `json:"session"`
	Start      string    `json:"start"`
	Outcome    string    `json:"outcome"`
	After      *int64    `json:"answered_after_ns"`
	By         *int      `json:"answered_by"`
	RanAtLeast int       `json:"ran_at_least"`
	RanAtMost  int       `json:"ran_at_most"`
	Confidence string    `json:"confidence"`
	Summary    string    `json:"summary"`
	Legs       []jsonLeg `json:"legs"`
}

type jsonLeg struct {
	Exchange   int            `json:"exchange"`
	Role       string         `json:"role"`
	Of         *int           `json:"of"`
	Why        *string        `json:"why"`
	Confidence string         `json:"confidence"`
	Execution  *jsonExecution `json:"execution"`
}

type jsonExecution struct {
	Grade string `json:"grade"`
	Why   string `json:"why"`
}

type jsonLogicalTotals struct {
	Calls      int `json:"calls"`
	Answered   int `json:"answered"`
	Lost       int `json:"lost"`
	Unknown    int `json:"unknown"`
	RanTwice   int `json:"ran_twice"`
	RanAndLost int `json:"ran_and_lost"`
}

func logicalOf(s *analyze.Story) jsonLogical {
	c := s.First()
	j := jsonLogical{First: c.ID, Start: stamp(c.Start), Outcome: string(s.Outcome), After: since(s.After), RanAtLeast: s.RanAtLeast, RanAtMost: s.RanAtMost,
		Confidence: s.Confidence, Summary: s.String()}
	if len(c.R().Calls) == 1 {
		j.Method, j.Name = text(c.R().Calls[0].Method), text(c.R().Calls[0].Name)
	}
	if c.Group != nil {
		j.Session = &c.Group.Label
	}
	if s.By != nil {
		j.By = &s.By.ID
	}
	for i := range s.Legs {
		j.Legs = append(j.Legs, legOf(&s.Legs[i]))
	}
	return j
}

func legOf(l *analyze.Leg) jsonLeg {
	j := jsonLeg{Exchange: l.Case.ID, Role: string(l.Role), Why: text(l.Why), Confidence: l.Confidence}
	if l.Of != nil {
		j.Of = &l.Of.ID
	}
	if l.Case.IsCall() {
		j.Execution = executionOf(l.Case)
	}
	return j
}

func executionOf(c *analyze.Case) *jsonExecution {
	grade, why := c.Execution()
	return &jsonExecution{string(grade), why}
}

func logicalTotalsOf(t analyze.LogicalTotals) jsonLogicalTotals {
	return jsonLogicalTotals{t.Calls, t.Answered, t.Lost, t.Unknown, t.RanTwice, t.RanAndLost}
}
