package analyze

import (
	"mcptrace/capture"
)

// Execution says how sure it is that a server ran a call, from the wire alone.
type Execution string

// The scale, from surely not to surely.
const (
	NotExecuted Execution = "not-executed" // refused, or never there whole
	Unlikely    Execution = "unlikely"     // its request was never acknowledged
	Unknowable  Execution = "unknown"      // nothing tells
	Accepted    Execution = "accepted"     // the server took it on: a stream was opened, or a task
	Running     Execution = "started"      // it reported progress
	Likely      Execution = "likely"       // it ended in an error of its own
	Executed    Execution = "executed"     // its result, or the beginning of it, was seen
)

var executions = map[Execution]int{NotExecuted: 0, Unlikely: 1, Unknowable: 2, Accepted: 3, Running: 4, Likely: 5, Executed: 6}

// Execution says how sure it is that the call of c ran, and the evidence in words. Hops count: what the server behind a
// gateway did is what happened.
func (c *Case) Execution() (Execution, string) {
	e, why := c.ownExecution()
	for _, h := range c.Hops {
		if x, w := h.Execution(); executions[x] > executions[e] {
			e, why = x, "on its next hop "+w
		}
	}
	return e, why
}

func (c *Case) ownExecution() (Execution, string) {
	an := c.Answer()
	switch {
	case c.unsent():
		return NotExecuted, "the proxy did not reach the server"
	case an.Level == capture.LevelDispatched && an.Kind == "result":
		return c.resultExecution()
	case an.Level == capture.LevelDispatched && refused(c):
		return NotExecuted, "the server refused it"
	case c.HTTP.Status >= 300 && c.HTTP.Status < 500:
		return NotExecuted, "it was answered with a status that refuses it"
	case an.Level == capture.LevelDispatched:
		return Likely, "it was answered with an error"
	case an.Level == capture.LevelUnframed && an.Kind == "result":
		return Executed, "its result was complete but for what should have ended it"
	case an.Level == capture.LevelPartial && an.Kind == "result":
		return Executed, "its result had begun to arrive"
	}
	return c.unansweredExecution()
}

// resultExecution grades a call with a whole result.
func (c *Case) resultExecution() (Execution, string) {
	m := c.Answer().Message
	switch {
	case m == nil:
		return Executed, "its result was seen"
	case m.Result.ResultType == "input_required":
		return Accepted, "the server asked for input before it goes on"
	case m.Result.TaskID != "" && c.method() != "tasks/get" && c.method() != "tasks/result":
		return Accepted, "the server took it on as a task"
	case m.Result.IsError:
		return Likely, "the tool answered that it failed"
	case c.Answer().Stream != nil:
		return Executed, "its result came on the stream of exchange " + id(c.Answer().Stream)
	case c.Answer().Delivered < 0:
		return Executed, "its result passed, but the client had gone"
	}
	return Executed, "its result was seen"
}

// unansweredExecution grades a call of whose answer nothing was seen.
func (c *Case) unansweredExecution() (Execution, string) {
	switch {
	case c.End().Unprocessed:
		return NotExecuted, "HTTP/2 says that it was not processed"
	case !c.R().RequestWhole && c.HeadAt < 0 && !c.holed:
		return NotExecuted, "its request was not complete"
	case c.HeadAt < 0 && !c.RequestAcked && !c.Conn.OneSided:
		return Unlikely, "its request was never acknowledged"
	case c.Started:
		return Running, "the server had reported progress"
	case c.R().JSON && c.R().Decoded > 0 && c.HTTP.Status == 200:
		return Executed, "the body of its answer had begun"
	case c.HTTP.Status >= 500:
		return Unknowable, "a gateway's error says nothing about the server behind it"
	case c.HTTP.Status != 0 && c.sse:
		return Accepted, "the server had opened a stream for it"
	case c.HTTP.Status != 0:
		return Accepted, "the server had begun to respond"
	}
	return Unknowable, "nothing of a response was seen"
}
