package analyze

import (
	"cmp"
	"slices"
	"time"

	"mcptrace/capture"
)

// Role is the part one exchange has in a logical call.
type Role string

// The roles. The first leg is the attempt; the others follow an earlier leg.
const (
	RoleAttempt           Role = "attempt"
	RoleReissue           Role = "re-issue"           // the call again as a new request
	RoleResumption        Role = "resumption"         // a GET with Last-Event-ID
	RoleRefusedResumption Role = "refused-resumption" // … that was refused
	RoleCancel            Role = "cancel"             // the client's note that it gave up
	RoleInputRound        Role = "input-round"        // the call again, with the input the server had asked for
	RoleTaskPoll          Role = "task-poll"          // asks after, or cancels, the task the call became
	RoleCredentials       Role = "credentials"        // the call again after 401 or 403
	RoleCorrected         Role = "corrected"          // … with another version, other headers or capabilities
	RoleRedirected        Role = "redirected"         // … at the address a redirect named
	RoleEraFallback       Role = "era-fallback"       // a handshake of the older era after a modern request had failed
	RoleReinitialize      Role = "re-initialize"      // a new session after 404 to the old one
	RoleHop               Role = "hop"                // the same request on its way through a gateway
)

// runs reports whether an exchange of that role may run the call.
func (r Role) runs() bool {
	switch r {
	case RoleAttempt, RoleReissue, RoleInputRound, RoleCredentials, RoleCorrected, RoleRedirected:
		return true
	}
	return false
}

// Leg is one exchange of a logical call.
type Leg struct {
	Case       *Case
	Role       Role
	Of         *Case  // the leg it follows, nil for the first
	Why        string // the evidence for the link
	Confidence string // high, medium, low
}

// Outcome is what a logical call came to for its caller.
type Outcome string

// The outcomes.
const (
	Answered  Outcome = "answered" // a final answer reached the client's host
	Lost      Outcome = "lost"     // none did, and none can any more
	Undecided Outcome = "unknown"  // the capture does not tell
)

// Story is one logical call: all exchanges that came of one wish of the caller's, told as one.
//
// Legs stand in time order, the first attempt first; legs and cases are shared with the Analyzer.
type Story struct {
	Legs       []Leg
	Outcome    Outcome
	After      time.Duration // from the first byte of the first leg to the final answer; -1: none
	By         *Case         // the leg whose answer was the final one, nil: none
	RanAtLeast int           // times the call surely ran
	RanAtMost  int           // … and may have run
	Confidence string        // that of the weakest link: high, medium, low
}

// First returns the first attempt.
func (s *Story) First() *Case { return s.Legs[0].Case }

// Count returns how many legs have that role.
func (s *Story) Count(r Role) int {
	n := 0
	for i := range s.Legs {
		if s.Legs[i].Role == r {
			n++
		}
	}
	return n
}

// LogicalTotals count logical calls: each wish of a caller's once; a batch is one.
type LogicalTotals struct {
	Calls      int
	Answered   int
	Lost       int
	Unknown    int
	RanTwice   int // surely ran more than once
	RanAndLost int // surely ran, and no answer reached the caller
}

// stories joins the exchanges into logical calls. Only those of more than one leg, or without a delivered answer, are
// kept: of the others the exchange says all.
func (a *Analyzer) stories() {
	legs := a.legs()
	for c := range a.each(a.cases) {
		leg, ok := legs[c]
		if !ok {
			continue
		}
		s := leg.Of.Story
		if s == nil {
			s = a.newStory(leg.Of)
		}
		s.Legs = append(s.Legs, leg)
		c.tie().Story = s
	}
	for c := range a.each(a.cases) {
		if c.Story == nil && c.isCall() && c.HopOf == nil && c.HasRequest && c.Fate() != "delivered" {
			a.newStory(c)
		}
	}
	slices.SortStableFunc(a.Stories, func(x, y *Story) int { return cmp.Compare(x.First().ID, y.First().ID) })
	for _, s := range a.Stories {
		s.settle()
		a.LetGo()
	}
	a.countLogical()
}

func (a *Analyzer) newStory(c *Case) *Story {
	s := &Story{Legs: []Leg{{Case: c, Role: RoleAttempt, Confidence: "high"}}, After: -1}
	c.tie().Story = s
	a.Stories = append(a.Stories, s)
	return s
}

// settle works out what the logical call came to.
func (s *Story) settle() {
	slices.SortStableFunc(s.Legs[1:], func(x, y Leg) int { return cmp.Compare(x.Case.ID, y.Case.ID) })
	s.Confidence = "high"
	for i := range s.Legs {
		if confidences[s.Legs[i].Confidence] < confidences[s.Confidence] {
			s.Confidence = s.Legs[i].Confidence
		}
	}
	s.finalAnswer()
	s.countRuns()
}

var confidences = map[string]int{"low": 0, "medium": 1, "high": 2}

// finalAnswer finds the answer the caller got: of several attempts that of the last, for its client had given up those
// before.
func (s *Story) finalAnswer() {
	open := false
	for i := len(s.Legs) - 1; i >= 0; i-- {
		c := s.Legs[i].Case
		if s.Legs[i].Role == RoleHop || !c.isCall() || s.Legs[i].Role == RoleReinitialize {
			continue
		}
		switch fate := c.Fate(); {
		case fate == "delivered" && s.final(&s.Legs[i]):
			s.Outcome, s.By, s.After = Answered, c, c.at(c.answerAt).Sub(s.First().Start)
			return
		case fate == "unknown", fate == "delivered" && c.interim():
			open = true
		}
	}
	s.Outcome = Lost
	if open {
		s.Outcome = Undecided
	}
}

// final reports whether the delivered answer of a leg ends the call for its caller.
func (s *Story) final(l *Leg) bool {
	c := l.Case
	if l.Role == RoleTaskPoll {
		return c.method() == "tasks/result" || c.Answer().Message != nil && terminal[c.Answer().Message.Result.TaskStatus]
	}
	return !c.interim()
}

var terminal = map[string]bool{"completed": true, "failed": true, "cancelled": true}

// interim reports whether the answer is one that another exchange must follow: a request for input or credentials, a
// task, a refusal that asks for the call in another form.
func (c *Case) interim() bool {
	m := c.Answer().Message
	if m == nil || c.Answer().Level != capture.LevelDispatched {
		return expectedRepeat(c)
	}
	return expectedRepeat(c) || c.becameTask()
}

// becameTask reports whether the answer is the handle of a task.
func (c *Case) becameTask() bool {
	m := c.Answer().Message
	k := c.call()
	return m != nil && k != nil && m.Result.TaskID != "" && !c.taskPoll()
}

// countRuns adds up how often the call ran. Rounds and repeats that a refusal asked for are one run.
func (s *Story) countRuns() {
	for i := range s.Legs {
		if !s.Legs[i].Role.runs() {
			continue
		}
		switch e, _ := s.Legs[i].Case.Execution(); {
		case e == Executed:
			s.RanAtLeast++
			s.RanAtMost++
		case executions[e] > executions[Unlikely] && !s.Legs[i].Case.interim():
			s.RanAtMost++
		}
	}
	for i := range s.Legs {
		l := &s.Legs[i]
		if l.Role == RoleTaskPoll && s.RanAtLeast == 0 && s.By == l.Case {
			s.RanAtLeast, s.RanAtMost = 1, max(1, s.RanAtMost)
		}
	}
}

func (a *Analyzer) countLogical() {
	t := &a.Logical
	for c := range a.each(a.cases) {
		if !c.isCall() || c.HopOf != nil || !c.HasRequest || c.Story != nil && c.Story.First() != c {
			continue
		}
		outcome := Outcome(c.Fate())
		if s := c.Story; s != nil {
			outcome = s.Outcome
			if s.RanAtLeast > 1 {
				t.RanTwice++
			}
			if s.Outcome == Lost && s.RanAtLeast > 0 {
				t.RanAndLost++
			}
		}
		t.Calls++
		switch outcome {
		case Answered, "delivered":
			t.Answered++
		case Lost:
			t.Lost++
		default:
			t.Unknown++
		}
	}
}
