package serve

import (
	"fmt"
	"net/url"
	"strings"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

const sessionHeader = "Mcp-Session-Id"

// key is what a live request and a recorded one must share to be paired.
type key struct {
	exact string
	// loose is shared by requests that differ only in what the client says of itself, or that no answer is owed to; ""
	// for all others.
	loose string
}

// keyOf returns the key of a request: HTTP method, target, and of each JSON-RPC message in it the method and the
// parameters without _meta.
func keyOf(method, target, lastEvent string, rd *capture.Reading) key {
	head := method + " " + target + "\x00" + lastEvent
	if rd.RequestBad {
		return key{exact: head + "\x00bad"}
	}
	var exact, loose strings.Builder
	lenient := len(rd.Calls) > 0
	for i := range rd.Calls {
		c := &rd.Calls[i]
		id := ""
		if c.Kind == capture.KindResponse {
			id = canonicalID(string(c.ID))
		}
		fmt.Fprintf(&exact, "\x00%s %s %s %x", c.Kind, c.Method, id, c.Fingerprint)
		fmt.Fprintf(&loose, "\x00%s %s", c.Kind, c.Method)
		lenient = lenient && (!c.IsCall() || aboutClient[c.Method])
	}
	k := key{exact: head + exact.String()}
	if lenient {
		k.loose = head + loose.String()
	}
	return k
}

// aboutClient are the calls whose parameters say who the client is and not what it wants.
var aboutClient = map[string]bool{"initialize": true, "server/discover": true, "ping": true}

// canonicalID brings an id to one spelling.
func canonicalID(raw string) string {
	if b, err := jsonrpc.Canonical([]byte(raw)); err == nil {
		return string(b)
	}
	return raw
}

// pathQuery returns the target without scheme and host.
func pathQuery(target string) string {
	if strings.Contains(target, "://") {
		if u, err := url.Parse(target); err == nil {
			return u.RequestURI()
		}
	}
	return target
}

// shortToken is the length from which on the last part of a path may be a session id.
const shortToken = 16

// endpointToken returns the session id in an endpoint URI (2024-11-05 does not say where it stands): the longest query
// value, else the last part of the path if it is long enough to be one; "" for none.
func endpointToken(uri string) string {
	if uri == "" {
		return ""
	}
	path, query, _ := strings.Cut(pathQuery(uri), "?")
	best := ""
	for _, p := range strings.Split(query, "&") {
		if _, v, ok := strings.Cut(p, "="); ok && len(v) > len(best) {
			best = v
		}
	}
	if last := path[strings.LastIndexByte(path, '/')+1:]; best == "" && len(last) >= shortToken {
		best = last
	}
	return best
}

// tokenIn returns the first query value or part of the path of target that is known as a session id; "" for none.
func tokenIn(target string, known func(string) bool) string {
	for _, p := range strings.FieldsFunc(target, func(r rune) bool { return r == '/' || r == '?' || r == '&' }) {
		if _, v, ok := strings.Cut(p, "="); ok {
			p = v
		}
		if known(p) {
			return p
		}
	}
	return ""
}

// hideToken makes targets equal that differ in their session id only.
func hideToken(target, token string) string { return strings.Replace(target, token, "{session}", 1) }
