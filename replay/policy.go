package replay

import (
	"fmt"
	"time"

	"mcptrace/capture"
)

// DefaultTimeout is how long a generic policy waits for its answer.
const DefaultTimeout = 60 * time.Second

// Policy is how one client treats the response to a call.
type Policy struct {
	Name    string
	Doc     string        // what it does, in a sentence or two
	Client  string        // whose behaviour: product and version
	Source  string        // where that is stated or was read
	Checked string        // how the model was verified
	Timeout time.Duration // how long it waits for an answer, unless Options say otherwise; 0: DefaultTimeout
	Generic bool          // one of the seven that are played by default
	Signs   []Sign        // how a recorded client that it models can be told; one is enough

	// A generic policy judges what a reader by the rules could have; a product's reads the bytes itself.
	judge    func(v *View, t limit) Outcome
	open     func(a asked) client
	patience func(t time.Duration) patience
}

// NeedsBytes reports whether the policy is a product's, which is played while the bytes of the exchange are at hand.
func (p Policy) NeedsBytes() bool { return p.open != nil }

// Options change how policies are played.
type Options struct {
	Timeout time.Duration // 0: each policy's own
}

// Policies returns all policies in the order in which they are shown.
func Policies() []Policy {
	return []Policy{
		stopAtAnswer, stopFlush, readToEnd, discardReissue, salvage, earlyInitialize, resume,
		rubyMCPClient21, rubyMCPClient30, rubySDK13, rubySDKEarly, typescriptSDK, goSDKPolicy,
	}
}

// Generic returns the policies that are played unless others are asked for.
func Generic() []Policy {
	var out []Policy
	for _, p := range Policies() {
		if p.Generic {
			out = append(out, p)
		}
	}
	return out
}

// Find returns the policies with these names, in that order; "all" stands for all. The error names what is unknown.
func Find(names []string) ([]Policy, error) {
	var out []Policy
	for _, n := range names {
		if n == "all" {
			out = append(out, Policies()...)
			continue
		}
		found := false
		for _, p := range Policies() {
			if p.Name == n {
				out, found = append(out, p), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no policy %q", n)
		}
	}
	return out, nil
}

// Run plays ex through p. last is the time of the last thing the capture shows, since ex.Start.
//
// The outcome is Unknown where the policy would have gone on reading after the recorded client closed or the capture
// ended, and where bytes that matter to it were not captured.
func Run(ex *capture.Exchange, rd *capture.Reading, p Policy, last time.Duration, o Options) Outcome {
	return p.play(ex, rd, NewView(ex, rd, last), o)
}

func (p Policy) play(ex *capture.Exchange, rd *capture.Reading, v *View, o Options) Outcome {
	if !p.NeedsBytes() {
		return p.Judge(v, o)
	}
	c := p.open(askedOf(ex, rd))
	defer c.close()
	y := newPlayer(ex, c, p.patience(p.timeout(o)))
	y.feed(ex.Response.Wire.Len())
	return p.outcome(y.play(v.End), v)
}

// timeout returns how long p waits.
func (p Policy) timeout(o Options) time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return p.Timeout
}

// Judge plays a view through a generic policy. See Run.
func (p Policy) Judge(v *View, o Options) Outcome {
	t := limit{p.Timeout, o.Timeout > 0}
	if t.strict {
		t.after = o.Timeout
	}
	if t.after == 0 {
		t.after = DefaultTimeout
	}
	out := p.judge(v, t)
	out.Policy, out.Ran = p.Name, out.Verdict == Reissued && v.ran()
	return out
}

// limit is how long a policy waits for its answer. What the capture shows to have arrived later still counts, unless the
// user set the limit: a real client's may be any, and many extend theirs while events come.
type limit struct {
	after  time.Duration
	strict bool
}

// passedBy reports whether the client would have given up before the moment at.
func (l limit) passedBy(at time.Duration) bool { return l.strict && at > l.after }

// reader is what a generic policy is made of: when it stops reading, and what it makes of each way to be done.
type reader struct {
	early   func(v *View) bool // may return on the answer, without the end
	onEnd   func(v *View, t limit) Outcome
	onLimit func(v *View, t time.Duration) Outcome // its timeout passed
}

// play finds which comes first for the reader: the answer, the end or its timeout.
func (r reader) play(v *View, t limit) Outcome {
	if v.Holed {
		return unknown("Bytes of the response are missing from the capture before any answer.")
	}
	if v.Delivered() && r.early(v) && !t.passedBy(v.Answer) {
		return settledAt(v, v.Answer, "It returns as soon as the answer is dispatched and does not wait for the end.")
	}
	switch {
	case v.End.Stall:
		return r.onLimit(v, t.after)
	case v.End.By == "client" && !v.End.Clean:
		if v.End.At >= t.after-t.after/20 {
			return r.onLimit(v, min(t.after, v.End.At))
		}
		return stillReading(v, "The recorded client closed first; what would have come after that is not known.")
	case v.End.Kind == capture.EndOpen && v.End.At < t.after:
		return stillReading(v, "The capture ended while this client would still have been reading.")
	case v.End.Kind == capture.EndOpen || t.passedBy(v.End.At):
		return r.onLimit(v, t.after)
	}
	return r.onEnd(v, t)
}

func settledAt(v *View, at time.Duration, why string) Outcome {
	return Outcome{Verdict: Settled, Returned: at, Held: at - v.Answer, Next: NextNone, Why: why}
}

func unknown(why string) Outcome {
	return Outcome{Verdict: Unknown, Returned: -1, Next: NextNone, Why: why}
}

func stillReading(v *View, why string) Outcome {
	o := unknown(why)
	if v.Delivered() {
		o.Held, o.Censored = max(0, v.End.At-v.Answer), true
	}
	return o
}

// failedAt is an error to the caller: the answer is dropped if it had been delivered.
func failedAt(v *View, at time.Duration, why string) Outcome {
	o := Outcome{Verdict: Failed, Returned: at, Next: NextError, Why: why}
	if v.Delivered() {
		o.Verdict, o.Held = Dropped, at-v.Answer
	}
	return o
}

// again is a re-issue: a duplicate if the answer had been delivered.
func again(v *View, why string) Outcome {
	o := Outcome{Verdict: Reissued, Returned: -1, Next: NextReissue, Why: why}
	if v.Delivered() {
		o.Verdict = Duplicated
	}
	return o
}

// hungAt is a wait that only the client's own timeout ended.
func hungAt(v *View, t time.Duration, why string) Outcome {
	return Outcome{Verdict: Hung, Returned: t, Next: NextError, Why: why}
}

// never is for readers that do not return before the end.
func never(*View) bool { return false }

// wholeAnswer is what every reader does with a response that ended as it should: it returns the answer if there is one.
func wholeAnswer(v *View) (Outcome, bool) {
	if v.End.Clean && v.Delivered() {
		return settledAt(v, v.End.At, "The response ended as it should, with the answer in it."), true
	}
	return Outcome{}, false
}

// whyLost names in a sentence why there is no answer.
func whyLost(v *View) string {
	switch {
	case v.Status == 0:
		return "The connection ended before any response."
	case v.Status == 202:
		return "The call was answered with 202 and no body."
	case v.Status >= 400 && v.Level != capture.LevelDispatched:
		return fmt.Sprintf("The status %d came without an answer that can be read.", v.Status)
	case v.End.Clean && v.Level == capture.LevelUnframed:
		return "The stream ended cleanly, but no blank line had dispatched the answer."
	case v.End.Clean:
		return "The response ended cleanly without an answer."
	case v.Level == capture.LevelUnframed:
		return "The stream broke after the answer's JSON, before what should have ended it."
	case v.Level == capture.LevelPartial:
		return "The stream broke inside the answer."
	}
	return "The stream broke before the answer."
}
