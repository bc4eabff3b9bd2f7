package analyze

import (
	"cmp"
	"slices"

	"mcptrace/replay"
)

// Recognise returns the policy that models the client which sent c, told by the names it gives itself. ok is false where
// no model is known to fit, where a proxy sent the request, and over other transports than those that models know.
func (c *Case) Recognise() (r replay.Recognition, ok bool) {
	if c.Transport() != "streamable-http" || !c.HasRequest || c.HopOf != nil || c.Header.PassedOn {
		return r, false
	}
	name, version := c.ClientInfo()
	return replay.Recognise(replay.Names{Client: name, Version: version, UserAgent: c.Header.UserAgent, Accept: c.Header.Accept})
}

// ClientInfo returns the name and version that the application gave in clientInfo, in this request or for its session; ""
// where it gave none. They are text from the wire.
func (c *Case) ClientInfo() (name, version string) {
	if c.client != nil {
		return c.client.name, c.client.version
	}
	if c.Group != nil {
		return c.Group.ClientName, c.Group.ClientVersion
	}
	return "", ""
}

// UserAgent returns the request's User-Agent, which its HTTP library or its SDK set. It is text from the wire.
func (c *Case) UserAgent() string { return c.Header.UserAgent }

// Model is a policy that models a recorded client, with the calls that this client made.
type Model struct {
	replay.Recognition
	Cases []*Case
}

// Models returns the models of recorded clients that are among the policies played, the busiest client's first.
func (a *Analyzer) Models() []Model {
	if !slices.ContainsFunc(a.opt.Policies, replay.Policy.NeedsBytes) {
		return nil
	}
	var out []Model
	for c := range a.each(a.cases) {
		r, ok := c.Recognise()
		if !ok || !c.isCall() || !slices.ContainsFunc(a.opt.Policies, func(p replay.Policy) bool { return p.Name == r.Policy.Name }) {
			continue
		}
		k := slices.IndexFunc(out, func(m Model) bool { return m.Policy.Name == r.Policy.Name && m.Sign == r.Sign })
		if k < 0 {
			k = len(out)
			out = append(out, Model{Recognition: r})
		}
		out[k].Cases = append(out[k].Cases, c)
	}
	slices.SortStableFunc(out, func(x, y Model) int { return cmp.Compare(len(y.Cases), len(x.Cases)) })
	return out
}
