package analyze

import (
	"cmp"
	"slices"
	"time"

	"mcptrace/capture"
)

// ClientSummary is what one kind of client did, over all its sessions.
type ClientSummary struct {
	Name, Version, UserAgent string
	Sessions, Calls          int
	Reissued                 int // calls it issued again
	Waited                   int // held-open streams whose end it waited for
	Early                    int // streams it closed once it had the answer
	GaveUp                   int // streams it closed before the answer
	Resumed                  int // GETs with Last-Event-ID
}

// Clients sums up what each kind of client did, the busiest first.
func (a *Analyzer) Clients() []ClientSummary {
	type key struct{ name, version, agent string }
	by := map[key]*ClientSummary{}
	var order []*ClientSummary
	for s := range a.eachSession() {
		k := key{s.ClientName, s.ClientVersion, s.UserAgent}
		if k.name != "" {
			k.agent = ""
		}
		x := by[k]
		if x == nil {
			x = &ClientSummary{Name: k.name, Version: k.version, UserAgent: s.UserAgent}
			by[k] = x
			order = append(order, x)
		}
		x.Sessions++
		for c := range a.each(s.Cases) {
			x.add(c)
		}
	}
	slices.SortStableFunc(order, func(p, q *ClientSummary) int { return cmp.Compare(q.Calls, p.Calls) })
	out := make([]ClientSummary, 0, len(order))
	for _, x := range order {
		if x.Calls > 0 {
			out = append(out, *x)
		}
	}
	return out
}

func (x *ClientSummary) add(c *Case) {
	if c.HopOf != nil || !c.HasRequest {
		return
	}
	x.Calls += c.callCount()
	if c.Reissue != nil && c.Reissue.Confidence != "low" {
		x.Reissued++
	}
	if c.Hold.Blocked > 0 {
		x.Waited++
	}
	if c.ClosedAfterAnswer() {
		x.Early++
	} else if c.isCall() && c.closedBeforeAnswer() {
		x.GaveUp++
	}
	if c.HTTP.Method == "GET" && c.Header.LastEventID != "" {
		x.Resumed++
	}
}

// Reissues returns the second attempts whose first may have run too: the surest first, of these what must not run twice
// first, then in order of time. Those that may not be attempts at all (confidence low) are left out, as in Totals.
func (a *Analyzer) Reissues() []*Case {
	var out []ranked
	for c := range a.each(a.cases) {
		if l := c.Reissue; l != nil && l.Confidence != "low" && l.Duplicate != "no" && l.Duplicate != "unlikely" {
			out = append(out, ranked{c, int64(slices.Index(words, l.Duplicate)*len(safeties)) + int64(grave(c.Safety()))})
		}
	}
	return highest(out)
}

// ranked is an exchange with what it is sorted by: so its facts are looked at once.
type ranked struct {
	c    *Case
	rank int64
}

// highest returns the exchanges of the highest rank first, those of one rank as they came.
func highest(rs []ranked) []*Case {
	slices.SortStableFunc(rs, func(x, y ranked) int { return cmp.Compare(y.rank, x.rank) })
	var out []*Case
	for _, r := range rs {
		out = append(out, r.c)
	}
	return out
}

// Fates returns the exchanges with a call of that fate (delivered, lost, unknown), first hops only.
func (a *Analyzer) Fates(fate string) []*Case {
	var out []*Case
	for c := range a.each(a.cases) {
		if c.HopOf != nil || !c.HasRequest || c.delivered && c.alone() && fate != "delivered" {
			continue
		}
		for i := range c.Answers() {
			if c.fate(&c.Answers()[i]) == fate {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// HeldOpen returns the exchanges whose streams were held open for longer than the limit, the longest first.
func (a *Analyzer) HeldOpen() []*Case {
	var out []ranked
	for c := range a.each(a.cases) {
		if c.Hold.Known && c.Hold.Held > a.opt.HoldFrom && !c.listens() && c.HopOf == nil {
			out = append(out, ranked{c, int64(c.Hold.Held)})
		}
	}
	return highest(out)
}

// FirstUseful returns the times to the first useful answer of all sessions that had one, ascending.
func (a *Analyzer) FirstUseful() []time.Duration {
	var out []time.Duration
	for s := range a.eachSession() {
		if s.FirstUseful >= 0 {
			out = append(out, s.FirstUseful)
		}
	}
	slices.Sort(out)
	return out
}

// Percentile returns the p-th percentile (0 to 100) of ascending values by the nearest-rank method; 0 of none.
func Percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (p*len(sorted) + 99) / 100
	return sorted[max(0, min(len(sorted), rank)-1)]
}

// NotProblems counts what looks like trouble and is none: closes for the client to poll, requests for credentials, GET
// streams refused with 405.
type NotProblems struct{ Polls, AuthLegs, RefusedGETs int }

// NotProblems counts what looks like trouble and is none.
func (a *Analyzer) NotProblems() NotProblems {
	var n NotProblems
	for c := range a.each(a.cases) {
		switch {
		case c.isCall() && c.pollClose():
			n.Polls++
		case c.HTTP.Status == 401 || c.HTTP.Status == 403:
			n.AuthLegs++
		case c.HTTP.Method == "GET" && c.HTTP.Status == 405:
			n.RefusedGETs++
		}
	}
	return n
}

// Grave returns the most severe finding of each exchange, by its id.
func (a *Analyzer) Grave() map[int]Severity {
	out := map[int]Severity{}
	for _, f := range a.Findings {
		for _, c := range f.Cases[:min(1, len(f.Cases))] {
			out[c.ID] = max(out[c.ID], f.Severity)
		}
	}
	return out
}

// Diagnosis says why nothing was found, in sentences; empty where something was.
func (a *Analyzer) Diagnosis() []string {
	if len(a.cases) > 0 {
		return nil
	}
	q := a.Quality
	var out []string
	add := func(s string) { out = append(out, s) }
	recording := false
	for _, in := range a.Inputs {
		recording = recording || in.Kind == "recording"
	}
	switch {
	case a.hidden > 0:
		return []string{"None of " + plural(a.hidden, "MCP exchange") + " passes the filters; try without them."}
	case q.Packets == 0 && !recording:
		add("The capture holds no packets.")
	}
	if q.TLSOpaqueConnections > 0 {
		add(plural(q.TLSOpaqueConnections, "TLS connection") + " could not be read: give their keys with --keylog (docs/capturing.md says how to get them).")
	}
	if q.HTTP3Packets > 0 {
		add("HTTP/3 was seen; it is not decoded. Make the client use HTTP/2 or HTTP/1.1.")
	}
	if q.SnaplenCutPackets > 0 {
		add(plural(q.SnaplenCutPackets, "packet") + " were cut by the snap length: record with tcpdump -s 0.")
	}
	if q.OneSidedConnections > 0 && q.OneSidedConnections == len(a.Conns) {
		add("Only one direction of each connection was captured.")
	}
	if q.NonMCPExchanges > 0 {
		add(plural(q.NonMCPExchanges, "HTTP exchange") + " were seen, but none was recognised as MCP; name the endpoint with --endpoint URL if you know it is.")
	} else if q.Packets > 0 && len(a.Conns) == 0 {
		add("No TCP connection with data was seen.")
	} else if len(out) == 0 && !recording {
		add("No HTTP was seen in " + plural(len(a.Conns), "TCP connection") + ".")
	}
	if q.UndecodablePackets > 0 && int64(q.UndecodablePackets) > q.Packets/2 {
		add(plural(q.UndecodablePackets, "packet") + " could not be decoded.")
	}
	if len(out) == 0 {
		add("The recording holds no exchanges.")
	}
	return out
}

// Blind returns until when first attempts cannot be seen: calls of before the capture may be repeated in it. 0: never.
func (a *Analyzer) Blind() capture.Instant {
	for c := range a.each(a.cases) {
		if c.Conn.MidStart {
			return a.First + capture.Instant(a.opt.Window)
		}
	}
	return 0
}
