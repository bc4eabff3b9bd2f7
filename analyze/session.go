package analyze

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// sessionKey tells sessions apart. With an id it is the id at its server; without one it is one client address,
// endpoint and client name.
type sessionKey struct {
	id    string
	where clientAt
	name  string
}

// clientAt is one client's host at an endpoint.
type clientAt struct {
	client netip.Addr
	where  capture.Endpoint
}

// sessions sorts the cases into sessions and gives these their labels, in order of first appearance.
func (a *Analyzer) sessions() {
	byKey := map[sessionKey]*Session{}
	names := map[clientAt]string{} // client address and endpoint → the client name last heard
	for c := range a.each(a.cases) {
		k := a.keyOf(c, names)
		s := byKey[k]
		if s == nil {
			s = &Session{HasID: k.id != "", Client: c.Conn.Client.String(), Start: c.Start, FirstUseful: -1}
			s.become(Nature{Server: c.Conn.Server.String(), Transport: c.Transport()}, a)
			byKey[k] = s
			a.Sessions = append(a.Sessions, s)
			s.Label = fmt.Sprintf("s%d", len(a.Sessions))
		}
		s.Cases = append(s.Cases, c)
		c.Group = s
		s.become(s.learn(c), a)
	}
}

func (a *Analyzer) keyOf(c *Case, names map[clientAt]string) sessionKey {
	if id := c.sessionID(); id != "" {
		return sessionKey{id: id}
	}
	where := clientAt{c.Conn.Client.Addr(), c.endpoint()}
	if c.client != nil {
		names[where] = c.client.name + " " + c.client.version
	}
	return sessionKey{where: where, name: names[where]}
}

// sessionID returns what names the session on the wire: the header, or over HTTP+SSE the whole address of the endpoint
// event (the name of its query parameter is free).
func (c *Case) sessionID() string {
	switch {
	case c.Header.Session != "":
		return c.Header.Session
	case c.Header.NewSession != "":
		return c.Header.NewSession
	case c.Transport() == "http+sse" && c.HTTP.Method == "GET":
		return c.Conn.Server.String() + endpointTarget(c.R().Endpoint)
	case c.Transport() == "http+sse":
		return c.Conn.Server.String() + c.HTTP.Target
	}
	return ""
}

// withID returns the exchanges of the session with a call of that id, in time order.
func (s *Session) withID(id jsonrpc.ID) (found []*Case) {
	if s.byID == nil {
		s.indexIDs()
	}
	key := idKey(id)
	for _, c := range s.byID[hashOf(jsonrpc.ID(key))] {
		if c.hasCall(key) && (len(found) == 0 || found[len(found)-1] != c) {
			found = append(found, c)
		}
	}
	return found
}

// indexIDs files the exchanges under the hashes of the keys of their ids.
func (s *Session) indexIDs() {
	s.byID = map[uint64][]*Case{}
	for _, c := range s.Cases {
		switch {
		case !c.calls:
		case c.alone() && !c.oddID:
			s.byID[c.id] = append(s.byID[c.id], c)
		default:
			for i := range c.R().Calls {
				if k := &c.R().Calls[i]; k.IsCall() {
					h := hashOf(jsonrpc.ID(idKey(k.ID)))
					s.byID[h] = append(s.byID[h], c)
				}
			}
		}
	}
}

// hasCall reports whether the exchange carries a call of which the id has that key.
func (c *Case) hasCall(key string) bool {
	for i := range c.R().Calls {
		if k := &c.R().Calls[i]; k.IsCall() && idKey(k.ID) == key {
			return true
		}
	}
	return false
}

// endpointTarget returns path and query of an endpoint event's address, which may be relative or absolute.
func endpointTarget(data string) string {
	data = strings.TrimSpace(data)
	if u, err := url.Parse(data); err == nil {
		return u.RequestURI()
	}
	return data
}

// become notes what is known of the session.
func (s *Session) become(n Nature, a *Analyzer) {
	if s.Nature == nil || n != *s.Nature {
		s.Nature = a.natures.share(n, func(*Nature) {})
	}
}

// learn returns what is known of the session with what c tells of it.
func (s *Session) learn(c *Case) Nature {
	n := *s.Nature
	if n.UserAgent == "" {
		n.UserAgent = c.Header.UserAgent
	}
	if c.Transport() == "http+sse" {
		n.Transport = "http+sse"
	}
	if c.client != nil {
		n.ClientName, n.ClientVersion = c.client.name, c.client.version
	}
	if !c.opens {
		return n
	}
	for i := range c.R().Messages {
		m := &c.R().Messages[i]
		if m.IsResponse() && m.Result.Shape == "initialize" && m.Result.Version != "" {
			n.Negotiated = m.Result.Version
			n.ServerName, n.ServerVersion = m.Result.ServerName, m.Result.ServerVer
		}
	}
	return n
}

// findTransports marks the streams and posts of the 2024-11-05 transport: a GET whose stream names an endpoint, and the
// POSTs to just that address.
func (a *Analyzer) findTransports() {
	open := map[capture.Endpoint][]*Case{} // by the whole target
	for c := range a.each(a.cases) {
		if c.HTTP.Method == "GET" && c.points {
			c.transport = httpSSE
			key := capture.Endpoint{Server: c.Conn.Server, Path: endpointTarget(c.R().Endpoint)}
			open[key] = append(open[key], c)
		}
	}
	if len(open) == 0 {
		return
	}
	for c := range a.each(a.cases) {
		if c.HTTP.Method != "POST" {
			continue
		}
		for _, g := range open[capture.Endpoint{Server: c.Conn.Server, Path: c.HTTP.Target}] {
			if g.Start <= c.Start {
				c.transport, c.tie().Origin = httpSSE, g
			}
		}
	}
}

// protocolVersion returns the version a request claims, else its session's; "" where neither is known.
func (c *Case) protocolVersion() string {
	if c.detail().version != "" {
		return c.detail().version
	}
	if k := c.call(); k != nil && k.Method == "initialize" && k.AskedVersion != "" {
		return k.AskedVersion
	}
	if c.Group != nil {
		return c.Group.Negotiated
	}
	return ""
}

// ruleVersion returns the version that rules go by: what the session agreed on, else what the request claims.
func (c *Case) ruleVersion() string {
	if c.Group != nil && c.Group.Negotiated != "" && !c.Modern {
		return c.Group.Negotiated
	}
	return c.protocolVersion()
}

// near says where the recorder stood, from the round trips of the handshake.
func near(c *capture.Conn) string {
	v := c.Vantage
	switch {
	case v.Kind == "stdio" || c.Client.IsValid() && c.Client.Addr() == c.Server.Addr():
		return "same-host"
	case v.RTTClient <= 0 || v.RTTServer <= 0:
		return "unknown"
	case v.RTTClient*4 <= v.RTTServer:
		return "client"
	case v.RTTServer*4 <= v.RTTClient:
		return "server"
	}
	return "middle"
}

// idKey returns a key that is equal for equal ids.
func idKey(id jsonrpc.ID) string {
	if strings.ContainsAny(string(id), `\.eE`) {
		if b, err := jsonrpc.Canonical([]byte(id)); err == nil {
			return string(b)
		}
	}
	return string(id)
}

// sameID is ID.Equal, quick for ids in their usual form.
func sameID(a, b jsonrpc.ID) bool {
	if a == b || !isOdd(a) && !isOdd(b) {
		return a == b
	}
	return a.Equal(b)
}
