package analyze

import (
	"fmt"
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// settling is how long after a loss a client that resumes or issues the call again by itself has surely done so: those
// that are modelled wait for a second or two.
const settling = 10 * time.Second

// Contrast says in a sentence how the recorded client treated c otherwise than the policy that models it, whose outcome
// is o. It is "" where both agree, and where the capture does not show surely what the client did: bytes or packets are
// missing, or nothing it sent later tells.
//
// When a client gives up is left out: its application sets the timeout.
func (a *Analyzer) Contrast(c *Case, o replay.Outcome) string {
	if !a.shows(c) {
		return ""
	}
	did := a.otherwise(c, o)
	if did == "" {
		return ""
	}
	return o.Policy + " would have " + wouldHave(o) + "; the recorded client " + did + "."
}

// shows reports whether nothing that the client did with c can have escaped the capture.
func (a *Analyzer) shows(c *Case) bool {
	q := a.Quality
	whole := q.TCPGaps == 0 && q.DroppedByCapture == 0 && q.SnaplenCutPackets == 0
	return whole && !c.holed && !c.Conn.OneSided && c.Group != nil && c.R().Kind == capture.KindRequest && c.isCall() && !c.listens()
}

// otherwise says what the client did where the policy would not have done so.
func (a *Analyzer) otherwise(c *Case, o replay.Outcome) string {
	did := ""
	for _, f := range []func(*Case, replay.Outcome) string{a.cameBack, a.closedEarly, a.triedAgain, a.letBe} {
		if did == "" {
			did = f(c, o)
		}
	}
	return did
}

// cameBack compares when the caller had control again. Only initialize tells: an SDK sends the note that follows it by
// itself, while the time before any other message is the application's.
func (a *Analyzer) cameBack(c *Case, o replay.Outcome) string {
	if c.method() != "initialize" || !c.ownDispatched() {
		return ""
	}
	next := c.nextMessage(c.at(c.answerAt))
	if next == nil || next.method() != "notifications/initialized" {
		return ""
	}
	went := next.Start.Sub(c.Start)
	switch {
	case o.Returned > went, o.Verdict == replay.Unknown && o.Censored && c.End().Kind == capture.EndOpen:
		return "went on after " + Dur(went)
	case o.Verdict == replay.Settled && c.Hold.Blocked > a.opt.HoldFrom && !c.closedByClient() && o.Returned+a.opt.HoldFrom < went:
		return "went on only when the stream had ended, after " + Dur(went)
	}
	return ""
}

// closedEarly compares a client that closed on its answer with one that reads on.
func (a *Analyzer) closedEarly(c *Case, o replay.Outcome) string {
	wait, ok := c.closedAfterAnswer()
	if !ok || wait > early+c.rtt() || o.Verdict != replay.Unknown || !o.Censored {
		return ""
	}
	return "closed the stream " + Dur(wait) + " after the answer"
}

// triedAgain compares a client that resumed, or issued the call again, with one that does not.
func (a *Analyzer) triedAgain(c *Case, o replay.Outcome) string {
	switch r := c.RepeatedBy; {
	case c.ResumedBy != nil && gaveUp[o.Verdict]:
		return fmt.Sprintf("asked for the rest with Last-Event-ID (#%d)", c.ResumedBy.ID)
	case r == nil || r.Reissue.Confidence != "high" || baseWord[r.Reissue.Finding] == "no" || !returned[o.Verdict]:
		return ""
	case r.Reissue.Finding == "transport-duplicate" || r.Reissue.Finding == "retry-after-status":
		return "" // by the HTTP library, or for another reason than a break
	default:
		return fmt.Sprintf("issued the call again (#%d)", r.ID)
	}
}

// gaveUp are the verdicts of a client that does not ask for the rest; returned those of one that has an answer, and no
// reason to call again.
var (
	gaveUp   = map[replay.Verdict]bool{replay.Failed: true, replay.Dropped: true, replay.Hung: true, replay.Reissued: true, replay.Duplicated: true}
	returned = map[replay.Verdict]bool{replay.Settled: true, replay.Salvaged: true, replay.Guessed: true}
)

// letBe compares a client that let a loss be, and lived on, with one that resumes or issues the call again.
func (a *Analyzer) letBe(c *Case, o replay.Outcome) string {
	if o.Next != replay.NextResume && o.Next != replay.NextReissue || c.over() == 0 || c.End().By == "client" {
		return ""
	}
	alive := false
	for _, n := range c.Group.Cases {
		switch {
		case n.Start <= c.over() || !n.HasRequest || n.HopOf != nil:
		case n.Header.LastEventID != "", n.call() != nil && n.call().Fingerprint == c.call().Fingerprint:
			return ""
		case n.Start > c.over()+capture.Instant(settling):
			alive = true
		}
	}
	if !alive {
		return ""
	}
	return "did not, and went on with other calls"
}

// wouldHave says what a policy would have done.
func wouldHave(o replay.Outcome) string {
	after := ""
	if o.Returned >= 0 {
		after = " after " + Dur(o.Returned)
	}
	switch o.Verdict {
	case replay.Settled, replay.Salvaged:
		return "returned the answer" + after
	case replay.Guessed:
		return "taken what had come for the answer" + after
	case replay.Dropped, replay.Failed:
		return "reported an error" + after
	case replay.Hung:
		return "waited for its timeout"
	case replay.Resumed:
		return "asked for the rest with Last-Event-ID"
	case replay.Reissued, replay.Duplicated:
		return "issued the call again"
	}
	return "gone on reading"
}
