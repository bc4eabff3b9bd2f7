package replay

import "time"

var rubySDKEarly = Policy{
	Name: "ruby-sdk-early-initialize",
	Doc: "As ruby-sdk-1.3, but initialize returns on its answer too, with the session id from the response head, and no method does under a status of 400 or above. " +
		"The early return still needs the two bytes that end the transfer chunk, and a compressed stream still defeats it.",
	Client:   "official Ruby SDK 1.3.0 with the early return from initialize that was proposed for it",
	Source:   "modelcontextprotocol/ruby-sdk fcb1ac93, lib/mcp/client/http.rb, changed as the proposal says in five places; Shopify/event_stream_parser 1e3c8492",
	Checked:  "against recorded outcomes of the SDK with that change made by hand, on Ruby 3.3.8: scripted answers, and cuts after every byte",
	Timeout:  60 * time.Second,
	open:     func(a asked) client { return newRubySDK(a, true) },
	patience: func(t time.Duration) patience { return patience{gap: t} },
}
