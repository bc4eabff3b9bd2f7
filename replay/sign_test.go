package replay_test

import (
	"testing"

	"mcptrace/replay"
)

func TestRecognise(t *testing.T) {
	const streams, plain = "text/event-stream, application/json", "application/json, text/event-stream"
	for _, c := range []struct {
		name   string
		n      replay.Names
		policy string // "": nobody that is known
		sure   bool
	}{
		{"the gem", replay.Names{Client: "shop", UserAgent: "ruby-mcp-client/2.1.0", Accept: streams}, "ruby-mcp-client-2.1", true},
		{"the gem, later", replay.Names{UserAgent: "ruby-mcp-client/3.0.2", Accept: streams}, "ruby-mcp-client-3.0", true},
		{"the gem, a version that is not modelled", replay.Names{UserAgent: "ruby-mcp-client/2.0.0", Accept: streams}, "", false},
		{"the gem, 2.10 is not 2.1", replay.Names{UserAgent: "ruby-mcp-client/2.10.0", Accept: streams}, "", false},
		{"the gem's plain HTTP transport", replay.Names{UserAgent: "ruby-mcp-client/3.0.0", Accept: plain}, "", false},
		{"the official SDK, by its own name", replay.Names{Client: "mcp-ruby-client", Version: "1.3.0", UserAgent: "Faraday v2.12.2", Accept: plain}, "ruby-sdk-1.3", true},
		{"the official SDK, under its application's name", replay.Names{Client: "shop", Version: "1", UserAgent: "Faraday v2.12.2"}, "ruby-sdk-1.3", false},
		{"its name behind another library", replay.Names{Client: "mcp-ruby-client", Version: "1.3.0", UserAgent: "curl/8"}, "", false},
		{"Node", replay.Names{Client: "shop", UserAgent: "node"}, "typescript-sdk", false},
		{"Node, but another library", replay.Names{Client: "shop", UserAgent: "node-fetch/1.0"}, "", false},
		{"the Inspector", replay.Names{Client: "inspector-cli", Version: "0.5.1", UserAgent: "node"}, "typescript-sdk", true},
		{"Go", replay.Names{Client: "shop", UserAgent: "Go-http-client/2.0"}, "go-sdk", false},
		{"nobody", replay.Names{Client: "shop", UserAgent: "python-httpx/0.27"}, "", false},
		{"no name", replay.Names{}, "", false},
	} {
		r, ok := replay.Recognise(c.n)
		if ok != (c.policy != "") || ok && (r.Policy.Name != c.policy || r.Sure() != c.sure) {
			t.Errorf("%s: %q, sure %v; want %q, %v", c.name, r.Policy.Name, ok && r.Sure(), c.policy, c.sure)
		}
	}
}

// A sign says where the product sets it, and names something: an empty one would fit every client.
func TestSigns(t *testing.T) {
	for _, p := range replay.Policies() {
		for _, s := range p.Signs {
			if s.Source == "" || s.Client == "" && s.UserAgent == "" {
				t.Errorf("%s: %+v", p.Name, s)
			}
			if p.Generic {
				t.Errorf("%s models no product, and yet has a sign", p.Name)
			}
		}
	}
}
