package serve

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// refusal is the response to a request that was not recorded.
type refusal struct {
	status        int
	reason, media string
	body          []byte
}

// notRecorded is the JSON-RPC error code of a call that is not in the recording: of those left to servers.
const notRecorded = -32090

// Unrecorded is the verdict on a call that is not in the recording: it got an error of this package's own.
const Unrecorded replay.Verdict = "unrecorded"

// refusal makes the response to a request that was not recorded, and lists it.
func (s *Server) refusal(l *live, q *request) refusal {
	p := s.log.begin(l, nil, q)
	r := s.refused(l, q)
	p.sent(int64(len(r.body)))
	p.ended(endClean, "not-recorded")
	p.finished()
	return r
}

// refused makes the response to a request that was not recorded. A call gets a JSON-RPC error under status 200, which
// every client hands to its caller; in a session of the 2024-11-05 transport that error goes out on the GET stream.
func (s *Server) refused(l *live, q *request) refusal {
	h := q.ex.Request.Head
	switch {
	case h.Method == "OPTIONS":
		return refusal{status: 204, reason: "No Content"}
	case h.Method != "POST":
		return refusal{status: 405, reason: "Method Not Allowed", media: "text/plain", body: []byte("mcptrace serve: this request was not recorded\n")}
	case q.rd.RequestBad || len(q.rd.Calls) == 0:
		return refusal{400, "Bad Request", "application/json", rpcError("null", -32700, "mcptrace serve: the body is no JSON-RPC message", nil)}
	}
	var answers []string
	for i := range q.rd.Calls {
		c := &q.rd.Calls[i]
		if c.Method == "notifications/cancelled" {
			s.log.cancel(l, string(c.CancelID))
		}
		if c.IsCall() {
			answers = append(answers, string(rpcError(string(c.ID), notRecorded, s.whyNot(c), s.similar(c))))
		}
	}
	if len(answers) == 0 {
		return refusal{status: 202, reason: "Accepted"}
	}
	body := answers[0]
	if q.rd.Kind == capture.KindBatch {
		body = "[" + strings.Join(answers, ",") + "]"
	}
	if s.rec.legacy(l.recorded) {
		l.push(injected{due: time.Now(), text: []byte("event: message\ndata: " + body + "\n\n")})
		return refusal{status: 202, reason: "Accepted"}
	}
	return refusal{200, "OK", "application/json", []byte(body)}
}

func (s *Server) whyNot(c *capture.Call) string {
	what := c.Method
	if c.Name != "" {
		what += " " + c.Name
	}
	if like := s.similar(c); len(like) > 0 {
		return fmt.Sprintf("mcptrace serve: %s was recorded, but not with these parameters (or at this address); mcptrace show INPUT --exchange %d --payload shows what was", what, like[0])
	}
	return fmt.Sprintf("mcptrace serve: %s was not recorded", what)
}

// similar returns the numbers of the exchanges with calls of that method and name.
func (s *Server) similar(c *capture.Call) []int {
	var out []int
	for _, e := range s.rec.entries {
		for i := range e.rd.Calls {
			if k := &e.rd.Calls[i]; k.Method == c.Method && k.Name == c.Name && len(out) < 10 {
				out = append(out, e.number)
				break
			}
		}
	}
	sort.Ints(out)
	return out
}

func rpcError(id string, code int, message string, similar []int) []byte {
	type problem struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	e := problem{Code: code, Message: message}
	if len(similar) > 0 {
		e.Data = map[string][]int{"exchanges": similar}
	}
	b, _ := json.Marshal(struct {
		V     string          `json:"jsonrpc"`
		ID    json.RawMessage `json:"id"`
		Error problem         `json:"error"`
	}{"2.0", json.RawMessage(id), e})
	return b
}
