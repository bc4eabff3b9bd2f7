package replay

import "time"

var rubyMCPClient21 = Policy{
	Name: "ruby-mcp-client-2.1",
	Doc: "Reads every response to its end before it looks for the answer; there is no early return for any method. A broken stream or a timeout is an error even where " +
		"the answer had arrived. Only LF ends a line; at a clean end an event without its blank line still counts.",
	Client:   "ruby-mcp-client 2.1.0, Streamable HTTP transport",
	Source:   "simonx1/ruby-mcp-client 11e12b65, lib/mcp_client/server_streamable_http/json_rpc_transport.rb; net-http 0.4.1",
	Checked:  "against recorded outcomes of the unmodified gem on Ruby 3.3.8: scripted answers, and cuts after every byte",
	Signs:    []Sign{rubyMCPClientSign("2.1.*")},
	Timeout:  30 * time.Second,
	open:     func(a asked) client { return newRubyMCP(a, false) },
	patience: func(t time.Duration) patience { return patience{gap: t} },
}

// rubyMCPClientSign is how a version of the gem names itself; its plain HTTP transport asks for JSON first, or for nothing
// else.
func rubyMCPClientSign(version string) Sign {
	return Sign{
		UserAgent: "ruby-mcp-client/" + version, Accept: "text/event-stream, application/json",
		Source: "simonx1/ruby-mcp-client, lib/mcp_client/server_streamable_http.rb, initialize",
	}
}
