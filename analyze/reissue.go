package analyze

import (
	"fmt"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// DefaultWindow is the longest gap between the end of a first attempt and a second that is called its re-issue.
const DefaultWindow = 120 * time.Second

const (
	soon          = 10 * time.Second // a gap that speaks for a re-issue
	parallel      = 3                // calls in flight beside one that show a client which works in parallel
	transportSoon = 5 * time.Second  // a repeat by an HTTP library comes at once
)

// link says in what way second repeats first; nil: not at all. many: three or more equal calls were in flight with it.
func (a *Analyzer) link(first, second *Case, many bool) *Link {
	same, sure := samePrincipal(first, second)
	if !same || expectedRepeat(first) || first.unseen() {
		return nil
	}
	l := &Link{Of: first, SameID: first.id == second.id || sameID(first.call().ID, second.call().ID)}
	if !a.classify(l, first, second) || l.Finding == "reissue-while-in-flight" && first.Group != second.Group {
		return nil // another session beside one in use is another client's
	}
	last := first.endOrLast(a)
	if first.answered && first.at(first.answerAt) <= second.Start {
		last = max(min(last, second.Start), first.at(first.answerAt))
	}
	if last > second.Start {
		last = first.Start
	}
	l.Gap = second.Start.Sub(last)
	if l.Gap > a.opt.Window {
		return nil
	}
	a.confidence(l, first, second, sure && !many)
	l.duplicateWord(first, second)
	return l
}

// samePrincipal reports whether both were sent by one client: one session, or one client across a restart of its
// session. sure is false where only an address and a name say so.
func samePrincipal(p, q *Case) (same, sure bool) {
	if p.Group == q.Group {
		return p.Session() != nil || p.Header.Principal == q.Header.Principal, p.Session() != nil || p.Group.ClientName != "" || p.Header.HasAuth
	}
	if p.Conn.Client.Addr() != q.Conn.Client.Addr() || p.Group.ClientName != "" && p.Group.ClientName != q.Group.ClientName {
		return false, false
	}
	if p.method() == "initialize" {
		return p.Header.Principal == q.Header.Principal, true // each attempt may be given a session of its own
	}
	if p.Session() == nil || q.Session() == nil || p.Session().lastUse > q.Session().Start {
		return false, false
	}
	return q.Session().Start > p.Start, p.Session().ClientName != "" || p.HTTP.Status == 404
}

// expectedRepeat reports whether the protocol asks for a repeat after such an answer: credentials, another version,
// other headers or capabilities, another address.
func expectedRepeat(c *Case) bool {
	switch {
	case c.HTTP.Status == 401 || c.HTTP.Status == 403 || c.HTTP.Status == 407:
		return true
	case c.HTTP.Status >= 300 && c.HTTP.Status < 400:
		return true
	}
	return c.again
}

// asksAgain reports whether the answers of an exchange ask for its call in another form.
func (d *detail) asksAgain() bool {
	for i := range d.answers {
		if m := d.answers[i].Message; m != nil && m.Kind == jsonrpc.Error && versionErrors[m.Result.Code] {
			return true
		}
	}
	return d.answer.Message != nil && d.answer.Message.Result.ResultType == "input_required"
}

// versionErrors are the codes that ask for the same call with other metadata; the last three are those of drafts.
var versionErrors = map[int64]bool{-32020: true, -32021: true, -32022: true, -32003: true, -32004: true}

// classify fills in the finding; false: the second call is an honest repeat.
func (a *Analyzer) classify(l *Link, first, second *Case) bool {
	ended := first.over() != 0 && first.over() <= second.Start
	answered := first.answered && first.at(first.answerAt) <= second.Start
	switch {
	case first.HTTP.Status == 404 && first.Header.Session != "":
		l.Finding, l.Executed = "reissue-after-session-404", "refused: the session was unknown"
	case first.HTTP.Status == 429 || first.HTTP.Status >= 500:
		if !ended && !answered {
			return false
		}
		l.Finding, l.Executed = "retry-after-status", fmt.Sprintf("the first attempt was answered with status %d", first.HTTP.Status)
	case first.HTTP.Status >= 400:
		return false // refused: an honest second try
	case answered:
		return a.classifyAnswered(l, first, ended)
	case ended, first.Cancelled != 0 && first.Cancelled <= second.Start && !first.answered:
		first.classifyLost(l, &first.Answers()[0])
	default:
		if !l.SameID && first.Cancelled == 0 && (second.beside >= parallel || first.Safety() == Safe) {
			return false // a client that works in parallel means its equal calls, and lists may be asked for twice at once
		}
		l.Finding, l.Executed = "reissue-while-in-flight", "the first attempt was still in flight"
	}
	if l.SameID && l.Finding != "retry-after-status" && !answered && second.Start.Sub(first.endBy(second.Start)) <= transportSoon &&
		first.detail().identical == second.detail().identical && first.detail().identical != [8]byte{} {
		l.Finding = "transport-duplicate"
	}
	return true
}

// endBy returns when c was over, or its start where that came after t.
func (c *Case) endBy(t capture.Instant) capture.Instant {
	if o := c.over(); o != 0 && o <= t {
		return o
	}
	return c.Start
}

// classifyAnswered judges a repeat of a call whose answer was there.
func (a *Analyzer) classifyAnswered(l *Link, first *Case, ended bool) bool {
	l.Executed = "its answer had been dispatched"
	late := first.closedByClient() && ended && !a.consumed(first)
	switch {
	case !first.onOwn:
		return false
	case first.closedBeforeAnswer():
		l.Finding = "reissue-of-executed"
	case !ended:
		return false
	case first.Break != nil, late, first.sse && first.Answers()[0].Message.CROnly:
		l.Finding = "reissue-after-delivery"
	default:
		return false
	}
	return true
}

// classifyLost judges a repeat of a call whose answer had not been dispatched when it was given up.
func (c *Case) classifyLost(l *Link, an *Answer) {
	switch {
	case an.Level == capture.LevelDispatched:
		l.Finding, l.Executed = "reissue-of-executed", "its answer came after it had been given up"
	case an.Level == capture.LevelUnframed && an.Kind == "result":
		l.Finding, l.Executed = "reissue-after-unframed-answer", "its result was complete but for what should have ended it"
	case an.Level == capture.LevelPartial && an.Kind == "result":
		l.Finding, l.Executed = "reissue-of-executed", "its result had begun to arrive"
	case c.End().Unprocessed:
		l.Finding, l.Executed = "reissue-clean", "HTTP/2 says that it was not processed"
	case !c.R().RequestWhole && c.HeadAt < 0:
		l.Finding, l.Executed = "reissue-clean", "its request was not complete"
	case !c.RequestAcked && c.HeadAt < 0 && !c.Conn.OneSided:
		l.Finding, l.Executed = "reissue-clean", "its request was never acknowledged"
	case c.Started:
		l.Finding, l.Executed = "reissue-of-started", "the server had reported progress"
	default:
		l.Finding, l.Executed = "reissue-after-loss", "nothing tells whether it ran"
	}
}

// confidence says how sure it is that the second call repeats the first on purpose.
func (a *Analyzer) confidence(l *Link, first, second *Case, sure bool) {
	switch {
	case !sure || first.holed || second.holed:
		l.Confidence = "low"
	case l.Finding == "reissue-while-in-flight" && !l.SameID && first.Cancelled == 0:
		l.Confidence = "low"
	case l.Gap <= soon && (!l.SameID || l.Finding == "transport-duplicate") && first.Break != nil:
		l.Confidence = "high"
	default:
		l.Confidence = "medium"
	}
}

var baseWord = map[string]string{
	"reissue-after-delivery": "certain", "reissue-after-unframed-answer": "certain", "reissue-of-executed": "certain",
	"reissue-of-started": "likely", "reissue-after-loss": "possible", "reissue-clean": "no", "reissue-after-session-404": "no",
	"reissue-while-in-flight": "possible", "transport-duplicate": "possible", "retry-after-status": "possible",
}

var words = []string{"no", "unlikely", "possible", "likely", "certain"}

func weaker(a, b string) string {
	for _, w := range words {
		if w == a || w == b {
			return w
		}
	}
	return a
}

// duplicateWord says whether the call ran twice.
func (l *Link) duplicateWord(first, second *Case) {
	w := baseWord[l.Finding]
	p, q := &first.Answers()[0], &second.Answers()[0]
	switch {
	case l.Finding == "reissue-while-in-flight" || l.Finding == "transport-duplicate":
		if p.result() && q.result() {
			w = "certain"
		}
		if first.End().Unprocessed || !first.R().RequestWhole && first.HeadAt < 0 {
			w = "no"
		} else if !first.RequestAcked && first.HeadAt < 0 && !first.Conn.OneSided {
			w = "unlikely"
		}
	case l.Finding == "reissue-clean" && l.Executed == "its request was never acknowledged":
		w = "unlikely"
	case l.Finding == "retry-after-status" && first.HTTP.Status == 429:
		w = "no"
	}
	if p.Kind == "error" || p.Message != nil && p.Message.Result.IsError {
		w = weaker(w, "likely")
	}
	switch {
	case refused(second):
		w = "no"
	case second.HTTP.Status >= 500, q.Level == capture.LevelNone, q.Kind == "error" && q.Level == capture.LevelPartial:
		w = weaker(w, "possible")
	case q.Kind == "error":
		w = weaker(w, "likely")
	}
	l.Duplicate = w
	l.Same = compare(p, q)
}

func (an *Answer) result() bool { return an.Level == capture.LevelDispatched && an.Kind == "result" }

// refused reports whether a server turned a call away before it ran: a status of 400 to 499, or an error that says
// that the request was not valid.
func refused(c *Case) bool {
	if c.HTTP.Status >= 400 && c.HTTP.Status < 500 {
		return true
	}
	m := c.Answers()[0].Message
	return m != nil && c.Answers()[0].Kind == "error" && c.Answers()[0].Level == capture.LevelDispatched && m.Result.Code >= -32602 && m.Result.Code <= -32600
}

func compare(p, q *Answer) string {
	switch {
	case p.Level != capture.LevelDispatched || q.Level != capture.LevelDispatched:
		return ""
	case p.Kind == "result" && (q.Kind == "error" || q.Message.Result.IsError && !p.Message.Result.IsError):
		return "second-is-error"
	}
	return map[int]string{+1: "same", -1: "differs"}[p.Message.Sum.Same(q.Message.Sum)]
}
