package analyze

import (
	"time"

	"mcptrace/capture"
)

// findBreak says where the response broke; nil where it did not: a clean end, an end that is the body's, a capture that
// ended first, and a client that closed once it had its answer.
func (c *Case) findBreak() *Break {
	if c.unseen() {
		return nil
	}
	switch c.End().Kind {
	case capture.EndClean, capture.EndOpen, "":
		return nil
	case capture.EndCloseDelimited:
		if c.End().How != capture.RST && c.End().How != capture.FatalAlert {
			return nil
		}
	}
	if _, after := c.closedAfterAnswer(); after {
		return nil
	}
	return &Break{Where: c.where(), Offset: c.R().Decoded, At: c.End().At}
}

func (c *Case) where() Where {
	own := c.Answer().Stream == nil
	switch {
	case c.HeadAt < 0:
		return BeforeHead
	case own && c.dispatched() && c.answerAt <= c.End().At:
		return AfterAnswer
	case own && (c.Answer().Level == capture.LevelPartial || c.Answer().Level == capture.LevelUnframed):
		return InAnswer
	case c.R().Odd&capture.OddTail != 0:
		return InEvent
	case c.R().Events > 0:
		return BetweenEvents
	}
	return BeforeEvents
}

// billedFrom is the hold from which on a client's wait is billed.
const billedFrom = 100 * time.Millisecond

// after is how soon after the end the client's next step must come to show that it had waited for the end.
const after = 250 * time.Millisecond

// hold works out how long the stream stayed open after the answer, and how long the client waited for it.
func (a *Analyzer) hold(c *Case) {
	if !c.ownDispatched() || c.closedBeforeAnswer() {
		return
	}
	end := c.End().At
	if c.End().Kind == capture.EndOpen {
		end = a.Last.Sub(c.Start)
		c.Hold.Censored = true
	}
	c.Hold.Known = true
	c.Hold.Held = max(0, end-c.answerAt)
	if c.Hold.Held >= billedFrom && !c.Hold.Censored {
		c.Hold.Blocked = c.blocked()
	}
}

// blocked returns how long the client really waited after the answer: until its next message of that session or its
// closing the stream, if one of these came within 250 ms after the end or was itself the end, and no message before.
func (c *Case) blocked() time.Duration {
	answered, over := c.at(c.answerAt), c.over()
	next := c.nextMessage(answered)
	if next != nil && next.Start < over {
		return 0
	}
	limit := over + capture.Instant(after)
	if next != nil && next.Start <= limit {
		return next.Start.Sub(answered)
	}
	if c.closedByClient() {
		return over.Sub(answered)
	}
	if f := c.Conn.FirstClosing(capture.Client); f != nil && f.At >= over && f.At <= limit && !c.answersClosing(f) {
		return f.At.Sub(answered)
	}
	return 0
}

// wentOn reports whether the client was seen to go on while the stream was still open. Without a session id another
// client of its host may be what is seen, unless it is on the same connection.
func (c *Case) wentOn() bool {
	next := c.nextMessage(c.at(c.answerAt))
	return next != nil && (c.over() == 0 || next.Start < c.over()) && (c.Session() != nil || next.Conn == c.Conn)
}

// answersClosing reports whether the client's closing only answers one of the server's.
func (c *Case) answersClosing(f *capture.Closing) bool {
	s := c.Conn.FirstClosing(capture.Server)
	return s != nil && s.At <= f.At
}
