package replay

import "time"

// outcome turns what a product did into the words for it, which depend on whether the answer had been delivered by then.
func (p Policy) outcome(mv move, v *View) Outcome {
	delivered := v.Delivered() && v.Answer <= mv.at
	o := Outcome{Policy: p.Name, Returned: mv.at, Next: mv.next, Why: mv.why}
	switch mv.kind {
	case returns:
		o.Verdict = Guessed
		if delivered {
			o.Verdict = Settled
			if mv.late {
				o.Verdict = Salvaged
			}
		}
	case fails, gives:
		o.Verdict = Failed
		if mv.kind == gives {
			o.Verdict = Hung
		}
		if delivered {
			o.Verdict = Dropped
		}
	case reissues:
		o.Verdict, o.Returned, o.Ran = Reissued, -1, v.ran()
		if delivered {
			o.Verdict, o.Ran = Duplicated, false
		}
	case resumes:
		o.Verdict, o.Returned = Resumed, -1
	case unclear:
		o.Verdict, o.Returned = Unknown, -1
		if v.Delivered() {
			o.Held, o.Censored = max(0, v.End.At-v.Answer), true
		}
	}
	if o.Next == "" {
		o.Next = nextOf[mv.kind]
	}
	if delivered && o.Returned >= 0 {
		o.Held = o.Returned - v.Answer
	}
	return o
}

var nextOf = map[act]Next{returns: NextNone, fails: NextError, gives: NextError, reissues: NextReissue, resumes: NextResume, unclear: NextNone}

// AsOf returns the outcome of an exchange that was still open when the capture ended, at last: of what a client would have
// done later nothing is known. v is the exchange's view as of that moment.
func (o Outcome) AsOf(last time.Duration, v *View) Outcome {
	if o.Verdict != Unknown && o.Returned <= last {
		return o
	}
	u := stillReading(v, "The capture ended while this client would still have been reading.")
	u.Policy = o.Policy
	return u
}

// NotModelled returns the outcome of a policy that does not know the exchange's transport.
func (p Policy) NotModelled() Outcome {
	o := unknown("The model of this product knows its Streamable HTTP transport only.")
	o.Policy = p.Name
	return o
}
