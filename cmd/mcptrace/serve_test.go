package main

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"strings"
	"testing"

	"mcptrace/capture/capturetest"
)

// interrupting ends a run with the first thing that it prints.
type interrupting struct{ interrupt func() }

// Write implements io.Writer.
func (i interrupting) Write(p []byte) (int, error) {
	i.interrupt()
	return len(p), nil
}

// TestServeAnnounces: who is to call a server by hand is told what was recorded, and where its parameters are to be seen.
func TestServeAnnounces(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var errs bytes.Buffer
	if code := run(ctx, []string{"serve", capturetest.File(t, broken(40001, 0))}, nil, interrupting{cancel}, &errs); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	for _, want := range []string{"these calls were recorded", "\n  #1 tools/call", "--payload shows the parameters"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("said %q, want %q in it", &errs, want)
		}
	}
}

// TestClientURL: what is printed can be used by a client on this machine as it stands.
func TestClientURL(t *testing.T) {
	for _, c := range []struct{ listen, upstream, want string }{
		{"127.0.0.1:9090", "http://server/mcp", "http://127.0.0.1:9090/mcp"},
		{"0.0.0.0:9090", "http://server/mcp", "http://127.0.0.1:9090/mcp"},
		{"[::]:9090", "http://server/a%20b", "http://127.0.0.1:9090/a%20b"},
		{"[::1]:9090", "http://server/", "http://[::1]:9090 and the path of the server's endpoint, such as /mcp"},
		{"10.0.0.5:9090", "http://server", "http://10.0.0.5:9090 and the path of the server's endpoint, such as /mcp"},
	} {
		at, err := net.ResolveTCPAddr("tcp", c.listen)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(c.upstream)
		if err != nil {
			t.Fatal(err)
		}
		if got := clientURL(at, u); got != c.want {
			t.Errorf("%s in front of %s: %q, want %q", c.listen, c.upstream, got, c.want)
		}
	}
}
