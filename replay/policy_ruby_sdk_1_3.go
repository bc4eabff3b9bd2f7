package replay

import "time"

var rubySDK13 = Policy{
	Name: "ruby-sdk-1.3",
	Doc: "Returns at the first object with a result or an error, whatever its id, for every method but initialize, whose stream it reads to the end. The early return needs " +
		"the two bytes that end the transfer chunk, and a compressed stream defeats it. A break is an error and is never followed by a re-issue.",
	Client:  "official Ruby SDK (modelcontextprotocol/ruby-sdk) 1.3.0",
	Source:  "modelcontextprotocol/ruby-sdk fcb1ac93, lib/mcp/client/http.rb; Shopify/event_stream_parser 1e3c8492; net-http 0.4.1",
	Checked: "against recorded outcomes of the unmodified SDK on Ruby 3.3.8: scripted answers, and cuts after every byte",
	Signs: []Sign{
		{Client: "mcp-ruby-client", Version: "1.3.*", UserAgent: "Faraday v*", Source: "modelcontextprotocol/ruby-sdk, lib/mcp/client/http.rb: what connect sends where the application gives no client_info"},
		{UserAgent: "Faraday v*", Shared: "any program that uses Faraday", Source: "lostisland/faraday, lib/faraday/connection.rb"},
	},
	Timeout:  60 * time.Second,
	open:     func(a asked) client { return newRubySDK(a, false) },
	patience: func(t time.Duration) patience { return patience{gap: t} },
}
