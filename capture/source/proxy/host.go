package proxy

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// guard decides which names a client may call the proxy by. A listener that only this machine reaches answers to no other
// name: a page in a browser that made its own name point here must not reach the upstream through us (DNS rebinding).
type guard struct {
	any    bool
	names  map[string]bool // lower case, without port
	listen netip.Addr
}

// newGuard returns the guard of a listener at addr. allow are further names; "*" allows all.
func newGuard(addr net.Addr, allow []string) *guard {
	g := &guard{names: map[string]bool{"localhost": true}}
	if a, ok := addr.(*net.TCPAddr); ok {
		g.listen = a.AddrPort().Addr().Unmap()
	}
	if !g.listen.IsLoopback() && len(allow) == 0 {
		g.any = true
	}
	for _, name := range allow {
		if name == "*" {
			g.any = true
		}
		g.names[hostname(name)] = true
	}
	return g
}

// check refuses a request that was not meant for this proxy.
func (g *guard) check(r *request) error {
	if r.method == "CONNECT" {
		return refuse(405, "CONNECT is not allowed: this proxy has one upstream")
	}
	if authority, ok := absolute(r.target); ok {
		if !r.hasHost || !strings.EqualFold(authority, r.host) {
			return refuse(421, "the request target names another host: this proxy has one upstream")
		}
	} else if r.target[0] != '/' && r.target != "*" {
		return refuse(400, "not a request target")
	}
	if r.hasHost && !g.knows(r.host) {
		return refuse(403, "Host "+r.host+" is not this proxy; --allow-host allows it")
	}
	return nil
}

func (g *guard) knows(host string) bool {
	if g.any {
		return true
	}
	name := hostname(host)
	if g.names[name] || strings.HasSuffix(name, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && (a.Unmap().IsLoopback() || a.Unmap() == g.listen)
}

// hostname returns the host of "host", "host:port" or "[v6]:port" in lower case.
func hostname(s string) string {
	s = strings.ToLower(s)
	if i := strings.LastIndexByte(s, ':'); i >= 0 && i > strings.LastIndexByte(s, ']') && strings.IndexByte(s, ':') == i || i > 0 && s[i-1] == ']' {
		s = s[:i]
	}
	return strings.TrimSuffix(s, ".")
}

// absolute returns the authority of a target in absolute form. Source: RFC 9112 section 3.2.2.
func absolute(target string) (authority string, ok bool) {
	if target[0] == '/' || !strings.Contains(target, "://") {
		return "", false
	}
	u, err := url.Parse(target)
	if err != nil || u.User != nil || u.Host == "" {
		return "", true
	}
	return u.Host, true
}
