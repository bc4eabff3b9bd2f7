package analyze

import (
	"time"
)

// So many openings by one client within this time, all for nothing, are no work, but a loop.
const (
	stormWindow   = 10 * time.Second
	stormStreams  = 5  // GET streams of one session
	stormSessions = 10 // sessions of one host
)

var reconnectStorm = Rule{
	Code: "reconnect-storm", Severity: Warn,
	Title:  "A client opens streams or sessions in a loop",
	Text:   "It comes back at once, again and again, after a stream that ended or was refused. Clients should wait longer each time, and take 405 for an answer; the server can say with retry how long.",
	Source: "HTML 9.2.3 (reconnection time); MCP 2025-11-25 transports, Sending Messages item 6",
	All: func(a *Analyzer) []Finding {
		by := map[opener][]*Case{}
		var order []opener
		for c := range a.each(a.cases) {
			k, ok := opens(c)
			if !ok {
				continue
			}
			if by[k] == nil {
				order = append(order, k)
			}
			by[k] = append(by[k], c)
		}
		var fs []Finding
		for _, k := range order {
			if f, ok := a.storm(by[k], k.session != nil); ok {
				fs = append(fs, f)
			}
		}
		return fs
	},
}

// opener is who opens: the streams of a session, or the sessions of a host.
type opener struct {
	session *Session
	host    hostKey
}

// opens returns who opened c, if it opens a stream that is over, or a session.
func opens(c *Case) (opener, bool) {
	switch {
	case c.HopOf != nil:
		return opener{}, false
	case c.HTTP.Method == "GET" && (c.Header.Session != "" || c.Header.AcceptsSSE || c.sse) && c.over() != 0:
		return opener{session: c.Group}, true
	case c.method() == "initialize":
		return opener{host: hostKey{c.Conn.Client.Addr(), c.Conn.Server}}, true
	}
	return opener{}, false
}

// storm looks for runs of openings of which each window holds too many.
func (a *Analyzer) storm(cs []*Case, streams bool) (Finding, bool) {
	from, what := stormSessions, "sessions"
	if streams {
		from, what = stormStreams, "GET streams"
	}
	first, last, most, vain := -1, -1, 0, 0
	for i, j := 0, 0; j < len(cs); j++ {
		a.LetGo()
		vain += inVain(cs, j, streams)
		for ; cs[j].Start.Sub(cs[i].Start) > stormWindow; i++ {
			vain -= inVain(cs, i, streams)
		}
		if n := j + 1 - i; n >= from && vain*5 >= n*4 {
			if first < 0 {
				first = i
			}
			last, most = j, max(most, n)
		}
	}
	if first < 0 {
		return Finding{}, false
	}
	run := cs[first : last+1]
	f := about(run[0], -1, 0, "%s opened %d %s at %s within %s, at most %d in %s.", run[0].Conn.Client.Addr(), len(run), what, run[0].Conn.Server,
		dur(run[len(run)-1].Start.Sub(run[0].Start)), most, dur(stormWindow))
	f.Cases, f.Confidence = run, "medium"
	return f, true
}

// inVain returns 1 if an opening came to nothing before the next one: a stream that was over, a session that was not
// used; else 0.
func inVain(cs []*Case, i int, streams bool) int {
	c := cs[i]
	if !streams && len(c.Group.Cases) > 2 || streams && i+1 < len(cs) && c.over() > cs[i+1].Start {
		return 0
	}
	return 1
}
