package capture

import (
	"net/netip"
	"net/url"
	"strings"

	"mcptrace/capture/wire/jsonrpc"
)

// Recognizer keeps the exchanges of MCP endpoints and lets all others go. An endpoint (server address and path) is MCP
// once its traffic proves it; what passed before that is kept until then, within limits.
type Recognizer struct {
	// Out receives the exchanges of MCP endpoints with their readings.
	Out func(*Exchange, *Reading)
	// Endpoints are URLs or paths to treat as MCP without proof.
	Endpoints []string
	// Trusted tells that the user has said where MCP is: any JSON-RPC proves its endpoint.
	Trusted bool
	// RequestsOnly tells that Out asks for no more than what requests say: answers to a POST to an endpoint that is known
	// to be MCP are not read then.
	RequestsOnly bool

	endpoints map[Endpoint]*evidence
	paths     int64 // memory of endpoints
	pending   []pending
	held      int64 // bytes in pending
	other     int
	jsonrpc   int
	letGo     map[Endpoint]int // exchanges dropped for want of room, of endpoints that may prove to be MCP yet
	letGoing  int64            // memory of letGo
	cuts      int
}

// pending is an exchange whose endpoint is not known to be MCP.
type pending struct {
	ex   *Exchange
	rd   *Reading // nil: it was not read
	cuts int      // messages of it that were cut for want of room
}

// Endpoint is where MCP is served.
type Endpoint struct {
	Server netip.AddrPort
	Path   string
}

// evidence is what speaks for an endpoint. Two weaker items, from different messages, weigh as much as a sure one.
type evidence struct {
	sure   bool
	strong int
}

func (e *evidence) proven() bool { return e.sure || e.strong >= 2 }

// What is kept of endpoints that are not known to be MCP: exchanges, bytes of all, bytes of a message that cannot be
// JSON-RPC. The oldest go first.
const (
	pendingLimit = 5000
	pendingBytes = 16 << 20
	pendingBody  = 4 << 10
)

// What endpoints are remembered takes at most so much memory, each the length of its path and what the map costs. A client
// may make up any number of paths. Of an endpoint that is not remembered those exchanges are MCP that prove it themselves.
const (
	endpointBytes = 16 << 20
	endpointCost  = 128
)

// fits takes the memory of one more endpoint from room, unless too much is taken.
func fits(room *int64, ep Endpoint) bool {
	n := int64(len(ep.Path)) + endpointCost
	if *room+n > endpointBytes {
		return false
	}
	*room += n
	return true
}

// remember keeps what speaks for an endpoint and reports whether there is room.
func (r *Recognizer) remember(ep Endpoint, e *evidence) bool {
	if r.endpoints[ep] != nil {
		return true
	}
	if !fits(&r.paths, ep) {
		return false
	}
	ep.Path = strings.Clone(ep.Path) // without the rest of its target
	r.endpoints[ep] = e
	return true
}

// EndpointOf returns the endpoint an exchange was sent to. Path is "" where the request was not captured.
func EndpointOf(ex *Exchange) Endpoint {
	e := Endpoint{Server: ex.Conn.Server}
	if ex.Request.Head != nil {
		e.Path = pathOf(ex.Request.Head.Target)
	}
	return e
}

func pathOf(target string) string {
	if strings.Contains(target, "://") {
		if u, err := url.Parse(target); err == nil {
			return u.Path
		}
	}
	path, _, _ := strings.Cut(target, "?")
	return path
}

// Add takes one exchange. The Recognizer owns it from then on.
func (r *Recognizer) Add(ex *Exchange) {
	if r.endpoints == nil {
		r.endpoints, r.letGo = map[Endpoint]*evidence{}, map[Endpoint]int{}
	}
	ep := EndpointOf(ex)
	e := r.endpoints[ep]
	if e == nil {
		e = &evidence{sure: r.asked(ex, ep)} // kept once it says something: paths without MCP are many
	}
	if e.sure {
		r.remember(ep, e) // or asked again
	}
	if !e.proven() && !worthReading(ex) {
		r.hold(ex, nil)
		return
	}
	rd := r.read(ex, e)
	if !e.proven() {
		if r.weigh(ex, rd, e, ep); (e.sure || e.strong > 0) && !r.remember(ep, e) {
			r.cuts++
		}
		if !e.proven() {
			r.hold(ex, rd)
			return
		}
		r.rejudge(ep)
	}
	r.proveEndpoint(ex, rd)
	r.Out(ex, rd)
}

// read reads as much of ex as is asked for. A GET may name another endpoint.
func (r *Recognizer) read(ex *Exchange, e *evidence) *Reading {
	if r.RequestsOnly && e.proven() && ex.Request.Head != nil && ex.Request.Head.Method == "POST" {
		return ReadRequest(ex)
	}
	return Read(ex)
}

// proveEndpoint makes the address that an HTTP+SSE stream names an MCP endpoint too.
func (r *Recognizer) proveEndpoint(ex *Exchange, rd *Reading) {
	if rd.Endpoint == "" {
		return
	}
	ep := Endpoint{ex.Conn.Server, pathOf(rd.Endpoint)}
	e := r.endpoints[ep]
	if e == nil {
		if e = (&evidence{}); !r.remember(ep, e) {
			r.cuts++
		}
	}
	if !e.proven() {
		e.sure = true
		r.rejudge(ep)
	}
}

// asked reports whether the user named this endpoint.
func (r *Recognizer) asked(ex *Exchange, ep Endpoint) bool {
	for _, e := range r.Endpoints {
		u, err := url.Parse(e)
		if err != nil || ep.Path == "" || u.Path != ep.Path {
			continue
		}
		host := ""
		if ex.Request.Head != nil {
			host = ex.Request.Head.Get("Host")
		}
		if u.Host == "" || u.Host == host || u.Host == ep.Server.String() || u.Hostname() == ep.Server.Addr().String() && u.Port() == "" {
			return true
		}
	}
	return false
}

// worthReading reports whether an exchange could carry JSON-RPC at all. Most unrelated traffic is let go here, unread.
func worthReading(ex *Exchange) bool {
	q, p := &ex.Request, &ex.Response
	if q.Head == nil || p.IsSSE() || p.IsJSON() {
		return true
	}
	switch q.Head.Method {
	case "POST":
		return q.IsJSON() || q.Head.Get("Content-Type") == "" || hasMCPHeader(q)
	case "OPTIONS":
		return true
	}
	return hasMCPHeader(q) || hasMCPHeader(p)
}

func hasMCPHeader(m *Message) bool {
	if m.Head == nil {
		return false
	}
	for _, f := range m.Head.Fields {
		if len(f.Name) > 4 && strings.EqualFold(f.Name[:4], "mcp-") {
			return true
		}
	}
	return false
}

// hold keeps an exchange of an endpoint that is not proven.
func (r *Recognizer) hold(ex *Exchange, rd *Reading) {
	before := cutsIn(ex)
	for _, m := range []*Message{&ex.Request, &ex.Response} {
		if rd == nil && m.Wire.Len() > pendingBody {
			m.keepHead()
		}
		m.shrink()
		r.held += m.Wire.Len()
	}
	r.pending = append(r.pending, pending{ex, rd, cutsIn(ex) - before})
	for len(r.pending) > pendingLimit || r.held > pendingBytes && len(r.pending) > 1 {
		first := r.pending[0]
		r.held -= first.ex.Request.Wire.Len() + first.ex.Response.Wire.Len()
		if ep := EndpointOf(first.ex); r.letGo[ep] > 0 || fits(&r.letGoing, ep) {
			r.letGo[ep]++
		}
		r.drop(first)
		r.pending[0] = pending{}
		r.pending = r.pending[1:]
	}
}

func (r *Recognizer) drop(p pending) {
	r.other++
	if p.rd != nil && len(p.rd.Calls) > 0 {
		r.jsonrpc++
	}
	p.ex.Release()
}

// rejudge hands on what was kept of an endpoint that has just been proven.
func (r *Recognizer) rejudge(ep Endpoint) {
	r.cuts += r.letGo[ep]
	r.other -= r.letGo[ep]
	if r.letGo[ep] > 0 {
		delete(r.letGo, ep)
		r.letGoing -= int64(len(ep.Path)) + endpointCost
	}
	kept := r.pending[:0]
	var out []pending
	for _, p := range r.pending {
		if EndpointOf(p.ex) == ep {
			r.held -= p.ex.Request.Wire.Len() + p.ex.Response.Wire.Len()
			out = append(out, p)
		} else {
			kept = append(kept, p)
		}
	}
	clear(r.pending[len(kept):])
	r.pending = kept
	for _, p := range out {
		if p.rd == nil {
			p.rd = Read(p.ex)
		}
		r.cuts += p.cuts
		r.proveEndpoint(p.ex, p.rd)
		r.Out(p.ex, p.rd)
	}
}

// Close judges what is left. An exchange whose request was not captured, or whose HTTP/2 head cannot be read whole, has no
// path: it counts as MCP by what it carries itself, for nothing better can be known of it.
func (r *Recognizer) Close() {
	for _, p := range r.pending {
		ex, rd := p.ex, p.rd
		if EndpointOf(ex).Path == "" && rd != nil && (r.headless(ex, rd) || ex.Request.Head != nil && (sure(ex, rd) || strongRequest(ex, rd))) {
			r.Out(ex, rd)
			continue
		}
		r.drop(p)
	}
	r.pending = nil
}

func (r *Recognizer) headless(ex *Exchange, rd *Reading) bool {
	for i := range rd.Messages {
		if m := &rd.Messages[i]; m.IsResponse() || strings.HasPrefix(m.Method, "notifications/") {
			return true
		}
	}
	for ep, e := range r.endpoints {
		if ep.Server == ex.Conn.Server && ep.Path != "" && e.proven() {
			return rd.SSE || rd.JSON
		}
	}
	return false
}

// Other returns the number of HTTP exchanges that were not MCP, and how many of these carried JSON-RPC.
func (r *Recognizer) Other() (all, jsonRPC int) { return r.other, r.jsonrpc }

// Cuts returns how much of what proved to be MCP later had been let go until then: exchanges, and bodies of messages.
func (r *Recognizer) Cuts() int { return r.cuts }

// weigh adds what ex says for its endpoint.
func (r *Recognizer) weigh(ex *Exchange, rd *Reading, e *evidence, ep Endpoint) {
	if ep.Path == "" {
		return // judged at the end
	}
	if sure(ex, rd) || r.sseEndpoint(ex, rd) || r.Trusted && len(rd.Calls) > 0 {
		e.sure = true
		return
	}
	// A request and its response are two witnesses.
	if strongRequest(ex, rd) {
		e.strong++
	}
	if strongResponse(rd) {
		e.strong++
	}
}

// sure reports evidence that settles the matter alone: MCP's own metadata, headers or handshake.
func sure(ex *Exchange, rd *Reading) bool {
	q, p := ex.Request.Head, ex.Response.Head
	for i := range rd.Calls {
		c := &rd.Calls[i]
		if c.Meta || c.Method != "" && q.Get("Mcp-Method") == c.Method || c.Method == "initialize" && isDate(c.AskedVersion) && c.ClientName != "" && c.Capabilities {
			return true
		}
	}
	for i := range rd.Messages {
		if s := rd.Messages[i].Result.Shape; s == "discover" || s == "initialize" && isDate(rd.Messages[i].Result.Version) {
			return true
		}
	}
	beside := len(rd.Calls) > 0 || len(rd.Messages) > 0
	sse := q.Method == "GET" && strings.Contains(strings.ToLower(q.Get("Accept")), "text/event-stream")
	cut := q.Method == "POST" && ex.Request.IsJSON() && !ex.Request.Complete
	if isDate(q.Get("MCP-Protocol-Version")) && (beside || sse || cut) {
		return true
	}
	session := q.Get("Mcp-Session-Id") != "" || p != nil && p.Get("Mcp-Session-Id") != ""
	return session && (beside || sse || rd.SSE || q.Method == "DELETE")
}

// sseEndpoint reports an SSE stream whose first event names an address that gets JSON-RPC: the 2024-11-05 transport.
func (r *Recognizer) sseEndpoint(ex *Exchange, rd *Reading) bool {
	if rd.Endpoint == "" || ex.Request.Head.Method != "GET" {
		return false
	}
	path := pathOf(rd.Endpoint)
	if e := r.endpoints[Endpoint{ex.Conn.Server, path}]; e != nil && e.proven() {
		return true
	}
	for _, p := range r.pending {
		if p.rd != nil && len(p.rd.Calls) > 0 && EndpointOf(p.ex) == (Endpoint{ex.Conn.Server, path}) {
			return true
		}
	}
	return false
}

// strongRequest reports evidence that needs a second item: a method of MCP's own, or a preflight that asks for its headers.
func strongRequest(ex *Exchange, rd *Reading) bool {
	q := ex.Request.Head
	if q.Method == "OPTIONS" {
		asked := strings.ToLower(q.Get("Access-Control-Request-Headers"))
		return strings.Contains(asked, "mcp-session-id") || strings.Contains(asked, "mcp-protocol-version")
	}
	for i := range rd.Calls {
		if telling[rd.Calls[i].Method] {
			return true
		}
	}
	return false
}

// strongResponse reports the same of what came back.
func strongResponse(rd *Reading) bool {
	for i := range rd.Messages {
		m := &rd.Messages[i]
		if m.Kind == jsonrpc.Result && m.Result.Shape != "" || telling[m.Method] {
			return true
		}
	}
	return false
}

// telling are the method names that other JSON-RPC protocols do not share.
var telling = map[string]bool{
	"tools/list": true, "tools/call": true, "resources/list": true, "resources/templates/list": true, "resources/read": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "prompts/list": true, "prompts/get": true, "logging/setLevel": true,
	"server/discover": true, "subscriptions/listen": true, "sampling/createMessage": true, "elicitation/create": true, "roots/list": true,
	"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true, "notifications/roots/list_changed": true,
	"notifications/message": true, "notifications/tools/list_changed": true, "notifications/prompts/list_changed": true,
	"notifications/resources/list_changed": true, "notifications/resources/updated": true, "notifications/tasks/status": true,
	"notifications/subscriptions/acknowledged": true, "notifications/elicitation/complete": true,
}

// isDate reports whether s has the form of a protocol version.
func isDate(s string) bool {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i, c := range []byte(s[:10]) {
		if i != 4 && i != 7 && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
