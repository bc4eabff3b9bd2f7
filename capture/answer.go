package capture

import (
	"mcptrace/capture/wire/jsonrpc"
)

// FirstModern is the first protocol version without a handshake; all later dates are modern too.
const FirstModern = "2026-07-28"

// Version returns the protocol version that the request of ex claims: its _meta, else its header; "" where neither says.
func Version(ex *Exchange, rd *Reading) string {
	for i := range rd.Calls {
		if v := rd.Calls[i].MetaVersion; v != "" {
			return v
		}
	}
	if ex.Request.Head != nil {
		return ex.Request.Head.Get("MCP-Protocol-Version")
	}
	return ""
}

// Modern reports whether ex is of the era without a handshake (≥ 2026-07-28). The body decides, the header only where
// the body is silent.
func Modern(ex *Exchange, rd *Reading) bool {
	for i := range rd.Calls {
		switch c := &rd.Calls[i]; {
		case c.MetaVersion != "":
			return c.MetaVersion >= FirstModern
		case c.Method == "initialize" || c.Kind == KindResponse:
			return false
		case c.Method == "server/discover" || c.Method == "subscriptions/listen":
			return true
		}
	}
	v := Version(ex, rd)
	return isDate(v) && v >= FirstModern
}

// AnswerTo returns the index in r.Messages of the message that answers call, -1: none. Of several the first that was
// dispatched counts, else the one that came furthest.
//
// status is that of the response. An id must be equal in type and value. An error without an id answers where it is the sole message of a status ≥ 400;
// an answer that was cut before its id counts where the request held one call only.
func (r *Reading) AnswerTo(status int, call *Call) int {
	best := -1
	for i := range r.Messages {
		m := &r.Messages[i]
		if !m.IsResponse() || !r.answers(status, m, call) {
			continue
		}
		if best < 0 || rank[m.Level] > rank[r.Messages[best].Level] {
			best = i
		}
	}
	return best
}

var rank = map[Level]int{LevelNone: 0, LevelPartial: 1, LevelUnframed: 2, LevelDispatched: 3}

func (r *Reading) answers(status int, m *Inbound, call *Call) bool {
	switch {
	case m.ID.Equal(call.ID):
		return true
	case m.Level == LevelPartial && m.ID == "":
		return len(r.Calls) == 1
	case m.ID == "" || m.ID == "null":
		return m.Kind == jsonrpc.Error && len(r.Calls) == 1 && len(r.Messages) == 1 && status >= 400
	}
	return false
}

// LastAnswer returns the index of the answer that completes the exchange (of a batch: the last of its answers) and
// whether every call of it is answered at that level; -1: none.
func (r *Reading) LastAnswer(status int) (index int, all bool) {
	index, all = -1, true
	for i := range r.Calls {
		if !r.Calls[i].IsCall() {
			continue
		}
		k := r.AnswerTo(status, &r.Calls[i])
		if k < 0 || r.Messages[k].Level != LevelDispatched {
			all = false
		}
		if k > index {
			index = k
		}
	}
	return index, all
}
