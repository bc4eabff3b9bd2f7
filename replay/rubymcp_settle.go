package replay

import (
	"encoding/json"
	"slices"
	"time"
)

// settle is what becomes of a response that Net::HTTP takes for complete.
func (c *rubyMCP) settle(h *netHTTP, at time.Duration) move {
	if h != &c.http {
		c2 := *c
		c2.typeOf(h)
		c = &c2
	}
	switch {
	case h.status == 404 && c.session:
		return c.expired(at)
	case c.v3 && h.length > c.got && c.got > 0:
		return c.lost(at, "The body is shorter than its Content-Length.")
	case h.status < 200 || h.status > 299:
		return c.refused(h, at, false)
	}
	return c.parse(at)
}

// expired is what the client makes of a 404 to a request that named a session.
func (c *rubyMCP) expired(at time.Duration) move {
	if c.method == "tools/call" {
		return move{kind: fails, at: at, why: "The session is gone (404); it opens a new one but does not repeat a tools/call."}
	}
	return move{kind: reissues, at: at, why: "The session is gone (404); it opens a new one and sends the same request again."}
}

// refused is what the client makes of an error status.
func (c *rubyMCP) refused(h *netHTTP, at time.Duration, late bool) move {
	if c.v3 && h.status >= 400 && h.status < 500 && h.status != 401 && h.status != 403 && c.carriesError() {
		return move{kind: returns, at: at, late: late, next: NextError, why: "The JSON-RPC error in the body of the error status is handed on."}
	}
	return move{kind: fails, at: at, why: "The error status is reported; what the body holds is not."}
}

// carriesError reports whether the body is a JSON-RPC error that the client recognises under an error status.
func (c *rubyMCP) carriesError() bool {
	const most = 64 << 10
	if c.got > most || c.size > most || c.gzip != (c.z != nil) || c.z != nil && c.z.state != inflated {
		return false
	}
	m, _ := parseRuby(c.jsonText())
	version, _ := m.text("jsonrpc")
	return version == "2.0" && m.object("error") != nil
}

// jsonText returns the body for those who read it as JSON; one of a single byte has not been decoded yet.
func (c *rubyMCP) jsonText() []byte {
	if len(c.first) == 1 {
		return c.first
	}
	return c.text
}

// parse reads a response that ended as it should, under a status of 2xx.
func (c *rubyMCP) parse(at time.Duration) move {
	switch {
	case c.large:
		return tooLargeToPlay(at)
	case c.gzip:
		if mv, ok := c.badGzip(at); ok {
			return mv
		}
	case c.z != nil: // compressed, but not announced: what it reads is noise
		if c.sse {
			return c.noEvents(at)
		}
		return c.fail(at, "The body is no JSON.")
	}
	if c.sse {
		return c.readEvents(at)
	}
	m, valid := parseRuby(c.jsonText())
	if !valid || m == nil {
		return c.fail(at, "The body is no JSON object.")
	}
	return c.take(m, at, false)
}

// badGzip is what the client makes of a compressed body that is not whole.
func (c *rubyMCP) badGzip(at time.Duration) (move, bool) {
	switch {
	case c.z == nil || c.z.state == notGzip || c.got < gzipHead:
		return c.fail(at, "The body is announced as gzip and is none."), true
	case c.z.state == corrupt:
		return c.fail(at, "The compressed body is damaged; the server did answer, so the call is not issued again."), true
	case c.size > maxEvent:
		return c.fail(at, "The compressed body expands beyond 64 MiB."), true
	case c.z.state == inflated:
		return move{}, false
	case !c.modern:
		return c.fail(at, "The compressed body lacks its end."), true
	}
	if mv, ok := c.salvaged(at, "The compressed body lacks its end"); ok {
		return mv, true
	}
	return move{kind: reissues, at: at, why: "The compressed body stops before the answer, so the call is issued again with a new id."}, true
}

// readEvents reads a whole event stream.
func (c *rubyMCP) readEvents(at time.Duration) move {
	if c.v3 && c.stream.badText {
		return c.fail(at, "An event holds bytes that are not UTF-8, and reading it while the stream was open failed.")
	}
	sum := c.stream.sum
	if !c.modern {
		sum = c.stream.whole()
	}
	return c.pick(sum, at, false)
}

// pick finds the answer among the events.
func (c *rubyMCP) pick(sum rubySummary, at time.Duration, late bool) move {
	switch {
	case sum.events == 0:
		return c.noEvents(at)
	case sum.answer != nil:
		return c.take(sum.answer, at, late)
	case sum.responses == 1 && !c.modern:
		return c.take(sum.only, at, late)
	case sum.invalid:
		return c.fail(at, "An event holds broken JSON and none the answer; the server did answer, so the call is not issued again.")
	case c.modern:
		return move{kind: reissues, at: at, why: "The stream ended without an event that it takes for the answer, so the call is issued again with a new id."}
	case sum.cursor != "":
		return move{kind: resumes, at: at, why: "The stream ended without the answer but with an event id, so it asks for the rest with Last-Event-ID."}
	}
	return c.fail(at, "The stream ended without an event that it takes for the answer.")
}

func (c *rubyMCP) noEvents(at time.Duration) move {
	if c.modern {
		return move{kind: reissues, at: at, why: "It finds no event in the stream, so the call is issued again with a new id."}
	}
	return c.fail(at, "It finds no event in the stream.")
}

// take hands the answer to the caller, if it passes for one.
func (c *rubyMCP) take(m object, at time.Duration, late bool) move {
	if m.truthy("error") {
		return move{kind: returns, at: at, late: late, next: NextError, why: waited(late, "the JSON-RPC error is handed on")}
	}
	if why := c.wrong(m); why != "" {
		return move{kind: fails, at: at, why: why}
	}
	return move{kind: returns, at: at, late: late, why: waited(late, "the answer is handed on")}
}

func waited(late bool, what string) string {
	if late {
		return "The stream did not end as it should, but it carried the answer: " + what + "."
	}
	return "It reads to the end of the response before it looks: " + what + "."
}

// wrong says why a result is refused, "" if it is not.
func (c *rubyMCP) wrong(m object) string {
	result := m.object("result")
	switch {
	case result == nil && (c.modern || c.method == "initialize"):
		return "The result is no object, so the answer is refused."
	case c.v3 && result.has("resultType"):
		if t, _ := result.text("resultType"); t != "complete" && t != "input_required" {
			return "The type of the result is not known to it, so the answer is refused."
		}
	}
	switch {
	case c.method == "initialize" && !slices.Contains(rubyVersions, textOf(result["protocolVersion"])):
		return "The server chose a protocol version that it does not speak, so it disconnects."
	case c.method == "server/discover" && !result.isArray("supportedVersions"):
		return "The result names no supported versions, so it takes the server for a legacy one and goes on to initialize."
	}
	return ""
}

// rubyVersions are the versions with a handshake that ruby-mcp-client speaks.
var rubyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

func textOf(raw json.RawMessage) string {
	var s string
	json.Unmarshal(raw, &s)
	return s
}

// salvaged is what 3.0 keeps of a modern exchange that was cut short: the answer, where the delivered part holds it. The
// status it came under is kept too.
func (c *rubyMCP) salvaged(at time.Duration, how string) (move, bool) {
	if !c.modern || c.large || c.z != nil && (c.z.state == corrupt || c.z.state == notGzip || c.size > maxEvent) {
		return move{}, false
	}
	framed := c.stream.looksFramed()
	var m object
	if framed {
		if !c.stream.carries {
			return move{}, false
		}
	} else if m, _ = parseRuby(c.jsonText()); m == nil || m.has("method") || !m.answersLoosely(c.id) {
		return move{}, false
	}
	if c.http.status < 200 || c.http.status > 299 {
		d := *c
		d.gzip, d.z = false, nil // the rebuilt response is no longer compressed
		return d.refused(&c.http, at, true), true
	}
	mv := c.take(m, at, true)
	if framed {
		if c.stream.badText {
			return c.fail(at, "An event holds bytes that are not UTF-8, and reading it while the stream was open failed."), true
		}
		mv = c.pick(c.stream.complete, at, true)
	}
	if mv.kind == returns {
		mv.why = how + ", but the delivered part holds the answer, and that settles the call."
	}
	return mv, true
}

func (c *rubyMCP) fail(at time.Duration, why string) move { return move{kind: fails, at: at, why: why} }
