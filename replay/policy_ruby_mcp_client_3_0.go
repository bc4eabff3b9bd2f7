package replay

import "time"

var rubyMCPClient30 = Policy{
	Name: "ruby-mcp-client-3.0",
	Doc: "Reads every response to its end before it looks for the answer; there is no early return for any method. In the modern era a broken stream or a timeout is " +
		"searched for a delivered answer (salvage), and a call without one is issued again once. In the legacy era a break is an error, whatever had arrived.",
	Client:   "ruby-mcp-client 3.0.0, Streamable HTTP transport",
	Source:   "simonx1/ruby-mcp-client lib/mcp_client/http_transport_base/stream_recovery.rb 97da8e20, server_streamable_http/json_rpc_transport.rb 0b4d3cdd; net-http 0.4.1",
	Checked:  "against recorded outcomes of 2.1.0 with the stream files of 3.0 re-typed, on Ruby 3.3.8: scripted answers, and cuts after every byte",
	Signs:    []Sign{rubyMCPClientSign("3.0.*")},
	Timeout:  30 * time.Second,
	open:     func(a asked) client { return newRubyMCP(a, true) },
	patience: func(t time.Duration) patience { return patience{gap: t, whole: t} },
}
