package analyze

import (
	"fmt"

	"mcptrace/capture"
	"mcptrace/capture/wire/http2"
)

// ProtocolVersion returns the version the request claims, else its session's; "" where neither is known.
func (c *Case) ProtocolVersion() string { return c.protocolVersion() }

// Near says where the recorder stood: client, server, middle, same-host or unknown.
func (c *Case) Near() string { return near(c.Conn) }

// EndCode names the HTTP/2 error code of a stream that was reset or refused, "" elsewhere.
func (c *Case) EndCode() string {
	if c.End().Kind == capture.EndH2RST || c.End().Kind == capture.EndGoAway || c.Stream != 0 && c.End().Kind == capture.EndNone {
		return http2.CodeName(c.End().Code)
	}
	return ""
}

// Name says which call or request it is, for a sentence. Text from the wire in it is quoted and cut.
func (c *Case) Name() string { return c.name() }

// HowLost says in words what became of a call that got no answer, for a sentence: "was answered with status 504".
func (c *Case) HowLost() string {
	if c.HTTP.Status >= 400 && !c.dispatched() && c.End().Kind == capture.EndClean {
		return fmt.Sprintf("was answered with status %d", c.HTTP.Status)
	}
	return c.howEnded()
}

// HowEnded says in words how the response ended.
func (c *Case) HowEnded() string { return c.howEnded() }

// IsCall reports whether the exchange carries a call that is owed an answer.
func (c *Case) IsCall() bool { return c.isCall() }

// Fate says what became of the exchange's call: delivered, lost or unknown.
func (c *Case) Fate() string {
	if c.delivered {
		return "delivered"
	}
	return c.fate(c.Answer())
}

// Dispatched reports whether the answer was complete on the wire.
func (c *Case) Dispatched() bool { return c.dispatched() }

// Listens reports whether the exchange is a stream that is meant to stay open: a GET, or subscriptions/listen.
func (c *Case) Listens() bool { return c.listens() }

// Failed reports whether its answer is an error.
func (c *Case) Failed() bool { return c.failed }

// PollClose reports whether the server closed on purpose, for the client to poll.
func (c *Case) PollClose() bool { return c.pollClose() }

// Consumed reports whether a client that closed after its answer had taken it: at once, or after it acted on it.
func (a *Analyzer) Consumed(c *Case) bool { return a.consumed(c) }

// ClosedAfterAnswer reports whether the client closed once it had its answer.
func (c *Case) ClosedAfterAnswer() bool { _, ok := c.closedAfterAnswer(); return ok }
