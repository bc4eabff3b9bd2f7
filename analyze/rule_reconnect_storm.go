package analyze

import (
	"fmt"
	"time"

	"mcptrace/capture"
)

// So many openings of one kind by one client within this time are no work, but a loop.
const (
	stormWindow = 10 * time.Second
	stormFrom   = 10
)

var reconnectStorm = Rule{
	Code: "reconnect-storm", Severity: Warn,
	Title:  "A client opens streams or sessions in a loop",
	Text:   "It comes back at once, again and again, after a stream that ended or was refused. Clients should wait longer each time, and take 405 for an answer; the server can say with retry how long.",
	Source: "HTML 9.2.3 (reconnection time); MCP 2025-11-25 transports, Sending Messages item 6",
	All: func(a *Analyzer) []Finding {
		type caller struct {
			host hostKey
			what string
		}
		by := map[caller][]*Case{}
		var order []caller
		for _, c := range a.cases {
			what := opens(c)
			if what == "" || c.HopOf != nil {
				continue
			}
			k := caller{hostKey{c.Conn.Client.Addr(), c.Conn.Server}, what}
			if by[k] == nil {
				order = append(order, k)
			}
			by[k] = append(by[k], c)
		}
		var fs []Finding
		for _, k := range order {
			if f, ok := storm(by[k], k.what); ok {
				fs = append(fs, f)
			}
		}
		return fs
	},
}

// opens says what an exchange opens that came to nothing soon: a GET stream, a session; "" for others.
func opens(c *Case) string {
	switch {
	case c.HTTP.Method == "GET" && (c.Header.Session != "" || c.Header.AcceptsSSE || c.R.SSE) && c.over() != 0:
		return "GET streams"
	case c.method() == "initialize":
		return "sessions"
	}
	return ""
}

// storm looks for runs of openings of which each window holds stormFrom or more by one session or, for sessions that
// did not come to work, by one host.
func storm(cs []*Case, what string) (Finding, bool) {
	first, last, most := -1, -1, 0
	for i, j := 0, 0; j < len(cs); j++ {
		for cs[j].Start.Sub(cs[i].Start) > stormWindow {
			i++
		}
		n := j + 1 - i
		if n < stormFrom || !futile(cs[i:j+1], what) {
			continue
		}
		if first < 0 {
			first = i
		}
		last, most = j, max(most, n)
	}
	if first < 0 {
		return Finding{}, false
	}
	run := cs[first : last+1]
	lasted := run[len(run)-1].Start.Sub(run[0].Start)
	f := about(run[0], -1, 0, "%s", fmt.Sprintf("%s opened %d %s at %s within %s, at most %d in %s.", run[0].Conn.Client.Addr(), len(run), what, run[0].Conn.Server, dur(lasted), most, dur(stormWindow)))
	f.Cases, f.Confidence = run, "medium"
	return f, true
}

// futile reports whether openings followed each other because the one before came to nothing: of streams, most were
// over before the next; of sessions, most were never used.
func futile(cs []*Case, what string) bool {
	n := 0
	groups := map[*Session]bool{}
	for i, c := range cs {
		groups[c.Group] = true
		if what == "sessions" && len(c.Group.Cases) > 2 {
			continue
		}
		if i+1 == len(cs) || c.over() <= cs[i+1].Start+capture.Instant(time.Millisecond) {
			n++
		}
	}
	if what == "GET streams" && len(groups)*2 > len(cs) {
		return false // many clients behind one address, each with its own stream
	}
	return n*5 >= len(cs)*4
}
