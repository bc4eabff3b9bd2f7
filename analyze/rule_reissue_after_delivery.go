package analyze

var reissueAfterDelivery = reissueRule("reissue-after-delivery", Error,
	"A call was issued again although its answer had been delivered",
	"The first attempt was answered, then its stream broke or was closed late, and the client sent the call again: it ran twice. Keep an answer that was dispatched, whatever happens to the stream afterwards.")

// reissueRule is the rule for one kind of second attempt; what kind it is was worked out by findReissues.
func reissueRule(code string, sev Severity, title, text string) Rule {
	return Rule{Code: code, Severity: sev, Title: title, Text: text,
		Source: "MCP 2026-07-28 changelog, major change 9: a broken stream loses the call, a delivered answer settles it",
		Each: func(c *Case, a *Analyzer) []Finding {
			l := c.Reissue
			if l == nil || l.Finding != code {
				return nil
			}
			f := about(c, -1, 0, "%s was issued again %s after exchange %s %s: %s. Did it run twice: %s.",
				c.name(), dur(l.Gap), id(l.Of), l.Before(c), l.Executed, l.Duplicate)
			f.Cases = append(f.Cases, l.Of)
			f.Confidence = l.Confidence
			f.Severity = l.severity(sev, c.Safety())
			if l.Same != "" {
				f.Message += map[string]string{"same": " Both answers are equal.", "differs": " The two answers differ.", "second-is-error": " The second answer is an error."}[l.Same]
			}
			f.Message += c.claims(l.Of)
			return one(f)
		}}
}

// Before says what had become of the first attempt when the second, c, was sent: the moment its gap counts from.
func (l *Link) Before(c *Case) string {
	first := l.Of
	if o := first.over(); o != 0 && o <= c.Start {
		return first.HowLost()
	}
	if first.Cancelled != 0 && first.Cancelled <= c.Start {
		return "was sent; the client had cancelled it, its stream was still open"
	}
	return "was sent, which was still in flight"
}

// claims says what the two attempts tell of the harm that a second run does: the tool's own hint, idempotency keys.
func (c *Case) claims(first *Case) string {
	s := ""
	switch c.Hint() {
	case "read-only", "idempotent", "destructive":
		s = " The tool calls itself " + c.Hint() + "."
	}
	switch k1, k2 := first.IdempotencyHash(), c.IdempotencyHash(); {
	case k1 == "" && k2 == "":
	case k1 == k2:
		s += " Both carry one idempotency key (hash " + k1 + "): a server that knows keys ran it once."
	default:
		s += " Their idempotency keys differ: no server can tell that they are one."
	}
	return s
}

// severity grades a second attempt by what a second run does: nothing if the method is safe or it surely did not run.
func (l *Link) severity(usual Severity, s Safety) Severity {
	sev := usual
	if usual >= Warn {
		if g := grave(s); g == info {
			return info
		} else if usual == Error {
			sev = g
		}
	}
	if l.Duplicate == "no" || l.Duplicate == "unlikely" {
		return info
	}
	if l.Confidence == "low" && sev == Error {
		return Warn
	}
	if sev == Info {
		return info
	}
	return sev
}
