package analyze

import (
	"net/netip"
	"strings"

	"mcptrace/capture"
)

// legs finds for each exchange that goes on with an earlier one which that is, and in what part.
func (a *Analyzer) legs() map[*Case]Leg {
	j := joiner{a: a, legs: map[*Case]Leg{}, refused: map[repeatKey]*Case{}, inputs: map[inputKey]*Case{}, states: map[stateKey]*Case{}, tasks: map[taskKey]*Case{},
		gone: map[hostKey]*Case{}, probes: map[hostKey]*Case{}}
	for c := range a.each(a.cases) {
		j.join(c)
		j.note(c)
	}
	return j.legs
}

// joiner goes through the exchanges in time order and remembers which of them another one may follow.
type joiner struct {
	a       *Analyzer
	legs    map[*Case]Leg
	refused map[repeatKey]*Case // answered with a wish for the same call in another form
	inputs  map[inputKey]*Case  // answered with a wish for input
	states  map[stateKey]*Case  // … by the state that was given
	tasks   map[taskKey]*Case   // answered with a task
	gone    map[hostKey]*Case   // refused because their session was unknown
	probes  map[hostKey]*Case   // modern requests that failed as they do at a server of the older era
}

// repeatKey is what a call and its repeat in another form have in common.
type repeatKey struct {
	client netip.Addr
	fp     [32]byte
}

// inputKey is what a call and its next round with input have in common.
type inputKey struct {
	where  capture.Endpoint
	client netip.Addr
	method string
	name   string
	args   [8]byte
}

// stateKey is a state that a server gave out with a wish for input.
type stateKey struct {
	where capture.Endpoint
	state [8]byte
}

// taskKey names a task at its server.
type taskKey struct {
	server netip.AddrPort
	id     string
}

// hostKey is a client's host at an endpoint's host.
type hostKey struct {
	client netip.Addr
	server netip.AddrPort
}

func (j *joiner) add(c, of *Case, role Role, confidence, why string) {
	j.legs[c] = Leg{Case: c, Role: role, Of: of, Why: why, Confidence: confidence}
}

// join finds the earlier exchange that c goes on with. The surest links come first.
func (j *joiner) join(c *Case) {
	switch {
	case c.HopOf != nil && !c.isCall():
	case c.HopOf != nil:
		j.add(c, c.HopOf, RoleHop, "high", "the same request nested in time on another connection, with the same answer")
	case j.joinReissue(c), j.joinResumption(c):
	case c.cancels != nil:
		j.add(c, c.cancels, RoleCancel, "high", "notifications/cancelled names the id of exchange "+id(c.cancels))
	case j.joinTask(c), j.joinInput(c), j.joinRefused(c), j.joinInitialize(c):
	}
}

func (j *joiner) joinReissue(c *Case) bool {
	l := c.Reissue
	if l == nil || l.Confidence == "low" && l.Finding == "reissue-while-in-flight" {
		return false
	}
	j.add(c, l.Of, RoleReissue, l.Confidence, "equal method and parameters "+dur(l.Gap)+" after exchange "+id(l.Of)+" "+l.Of.howEnded()+": "+l.Finding)
	return true
}

func (j *joiner) joinResumption(c *Case) bool {
	if c.HTTP.Method != "GET" || c.Header.LastEventID == "" || c.Origin == nil || !c.Origin.isCall() {
		return false
	}
	role, why := RoleResumption, "Last-Event-ID names an event of exchange "+id(c.resumes)
	if c.HTTP.Status >= 300 {
		role = RoleRefusedResumption
	}
	j.add(c, c.Origin, role, "high", why)
	return true
}

func (j *joiner) joinTask(c *Case) bool {
	if !c.refers {
		return false
	}
	k := c.call()
	if k == nil || k.TaskID == "" {
		return false
	}
	of := j.tasks[taskKey{c.Conn.Server, k.TaskID}]
	if of == nil {
		return false
	}
	j.add(c, of, RoleTaskPoll, "high", "it names the task that exchange "+id(of)+" was answered with")
	return true
}

func (j *joiner) joinInput(c *Case) bool {
	if !c.refers {
		return false
	}
	k := c.call()
	if k == nil || !k.RequestState {
		return false
	}
	key, state := inputKeyOf(c), stateKey{c.endpoint(), k.StateHash}
	of, why, confidence := j.states[state], "it returns the requestState of exchange ", "high"
	if of == nil || k.StateHash == [8]byte{} {
		of, why, confidence = j.inputs[key], "the same method, name and arguments with the input asked for by exchange ", "medium"
	}
	if of == nil {
		return false
	}
	if j.inputs[key] == of {
		delete(j.inputs, key)
	}
	c.tie().continues = of
	j.add(c, of, RoleInputRound, confidence, why+id(of))
	return true
}

func inputKeyOf(c *Case) inputKey {
	k := c.call()
	return inputKey{c.endpoint(), c.Conn.Client.Addr(), k.Method, k.Name, k.ArgsHash}
}

func (j *joiner) joinRefused(c *Case) bool {
	if len(j.refused) == 0 {
		return false
	}
	k := c.call()
	if k == nil || !k.IsCall() {
		return false
	}
	key := repeatKey{c.Conn.Client.Addr(), k.Fingerprint}
	of := j.refused[key]
	if of == nil || c.Start < of.over() || of.over() == 0 || c.Start.Sub(of.over()) > j.a.opt.Window {
		return false
	}
	delete(j.refused, key)
	role, why := RoleCorrected, "the same call in the form that the error of exchange "+id(of)+" asked for"
	switch s := of.HTTP.Status; {
	case s == 401 || s == 403 || s == 407:
		role, why = RoleCredentials, "the same call after exchange "+id(of)+" was asked for credentials"
		if of.Header.Principal == c.Header.Principal {
			why += ", with the same ones"
		}
	case s >= 300 && s < 400:
		role, why = RoleRedirected, "the same call after the redirect of exchange "+id(of)
	}
	j.add(c, of, role, "high", why)
	return true
}

func (j *joiner) joinInitialize(c *Case) bool {
	if c.method() != "initialize" {
		return false
	}
	key := hostKey{c.Conn.Client.Addr(), c.Conn.Server}
	if of := j.gone[key]; of != nil && c.Start.Sub(of.Start) <= j.a.opt.Window {
		delete(j.gone, key)
		j.add(c, of, RoleReinitialize, "medium", "the same host starts a session after the 404 to exchange "+id(of))
		return true
	}
	if of := j.probes[key]; of != nil && c.Start.Sub(of.Start) <= j.a.opt.Window {
		delete(j.probes, key)
		j.add(c, of, RoleEraFallback, "medium", "the same host opens with a handshake after the modern request of exchange "+id(of)+" failed")
		return true
	}
	return false
}

// note remembers c where another exchange may follow it.
func (j *joiner) note(c *Case) {
	if c.plain && c.alone() || !c.calls {
		return
	}
	k := c.call()
	if k == nil || !k.IsCall() || c.HopOf != nil {
		return
	}
	host := hostKey{c.Conn.Client.Addr(), c.Conn.Server}
	m := c.Answer().Message
	switch {
	case m != nil && m.Result.ResultType == "input_required":
		j.inputs[inputKeyOf(c)] = c
		if m.Result.State {
			j.states[stateKey{c.endpoint(), m.Result.StateHash}] = c
		}
	case c.becameTask():
		j.tasks[taskKey{c.Conn.Server, m.Result.TaskID}] = c
	case c.HTTP.Status == 404 && c.Header.Session != "":
		j.gone[host] = c
	case expectedRepeat(c):
		j.refused[repeatKey{c.Conn.Client.Addr(), k.Fingerprint}] = c
	}
	if c.failedProbe() {
		j.probes[host] = c
	}
}

// failedProbe reports whether c is a modern request that failed as it does at a server of the older era: refused without
// an error of the modern kind, or not answered at all.
func (c *Case) failedProbe() bool {
	if !c.Modern || !c.isCall() {
		return false
	}
	m := c.Answer().Message
	switch {
	case m != nil && m.Kind.String() == "error" && c.Answer().Level == capture.LevelDispatched:
		return !versionErrors[m.Result.Code] && (c.HTTP.Status >= 400 || strings.HasPrefix(c.method(), "server/"))
	case c.HTTP.Status >= 400 && c.HTTP.Status < 500 && c.HTTP.Status != 401 && c.HTTP.Status != 403 && c.HTTP.Status != 429:
		return true
	}
	return c.method() == "server/discover" && c.Answer().Level == capture.LevelNone
}
