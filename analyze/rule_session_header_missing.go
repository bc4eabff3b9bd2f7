package analyze

import (
	"fmt"
	"net/netip"

	"mcptrace/capture"
)

var sessionHeaderMissing = Rule{
	Code: "session-header-missing", Severity: Error,
	Title:  "A client left out the session id it had been given",
	Text:   "Once initialize was answered with a session id, every later request must carry it. The server cannot tell whose request this is, and should answer 400.",
	Source: "MCP 2025-03-26 to 2025-11-25 transports, Session Management item 2",
	All: func(a *Analyzer) []Finding {
		w := sessionless{byConn: map[*capture.Conn]*Case{}, byHost: map[agentKey]*Case{}, found: map[*Case]int{}}
		for c := range a.each(a.cases) {
			w.look(c)
		}
		return w.out
	},
}

// agentKey is one program on one host that speaks to one endpoint, as far as its requests tell.
type agentKey struct {
	client netip.Addr
	agent  string
	where  capture.Endpoint
}

// sessionless looks for requests without the session id that their client had been given.
type sessionless struct {
	byConn map[*capture.Conn]*Case // the initialize answered with an id
	byHost map[agentKey]*Case
	found  map[*Case]int // index in out, by initialize
	out    []Finding
}

func (w *sessionless) look(c *Case) {
	if c.Modern || c.HopOf != nil || c.HTTP.Method != "POST" || c.Transport() != "streamable-http" {
		return
	}
	host := agentKey{c.Conn.Client.Addr(), c.Header.UserAgent, c.endpoint()}
	if c.method() == "initialize" {
		if c.Header.NewSession != "" && c.HTTP.Status == 200 {
			w.byConn[c.Conn], w.byHost[host] = c, c
		}
		return
	}
	if c.Header.Session != "" || len(c.R().Calls) == 0 || c.HTTP.Status == 401 || c.HTTP.Status == 403 {
		return
	}
	first, confidence := w.byConn[c.Conn], "high"
	if first == nil && c.Header.UserAgent != "" {
		first, confidence = w.byHost[host], "medium"
	}
	if first == nil || c.Start < first.at(max(0, first.HeadAt)) {
		return
	}
	i, ok := w.found[first]
	if !ok {
		i = len(w.out)
		w.found[first] = i
		w.out = append(w.out, about(c, -1, 0, "%s was sent without the id of session %s.", c.name(), first.Group.Label))
		w.out[i].Confidence = confidence
		return
	}
	f := &w.out[i]
	f.Cases = append(f.Cases, c)
	f.Message = fmt.Sprintf("%s were sent without the id of session %s, the first was %s.", plural(len(f.Cases), "request"), first.Group.Label, f.Cases[0].name())
}
