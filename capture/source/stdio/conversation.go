package stdio

import (
	"bytes"
	"slices"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// conversation pairs the two directions of one run of a server.
type conversation struct {
	a       *Assembly
	c       *capture.Conn
	line    [2]line
	calls   []*call // that wait for answers, oldest first
	done    []*capture.Exchange
	unacked [2][]place
	ended   [2]capture.Instant // when the side ended; 0: it has not
}

// call is an exchange that is owed something.
type call struct {
	ex     *capture.Exchange
	ids    []jsonrpc.ID // of the calls that are not answered
	tokens []string     // progress tokens, raw JSON
}

// place is where a line that was not written to the other side yet stands.
type place struct {
	end  int64 // offset in the direction
	ex   *capture.Exchange
	wire int64 // offset in the message
}

// Data implements capture.Duplex.
func (v *conversation) Data(from capture.Side, p []byte, s capture.Stamp) {
	l := &v.line[from]
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.add(p, s)
			return
		}
		l.add(p[:i+1], s)
		v.take(from, true)
		p = p[i+1:]
	}
}

// Missing implements capture.Duplex.
func (v *conversation) Missing(from capture.Side, n int64, s capture.Stamp) {
	v.line[from].miss(n, s)
}

// take turns the line under way into a message; whole: its newline came.
func (v *conversation) take(from capture.Side, whole bool) {
	l := &v.line[from]
	defer l.reset()
	if l.blank() {
		return
	}
	if from == capture.Client {
		v.fromClient(l, whole)
	} else {
		v.fromServer(l, whole)
	}
}

// messages reads the JSON-RPC messages of a line, or what there is of one.
func messages(text []byte) []jsonrpc.Message {
	if ms, _, err := jsonrpc.Parse(text); err == nil {
		return ms
	}
	if m, _, ok := jsonrpc.Prefix(text); ok {
		return []jsonrpc.Message{m}
	}
	return nil
}

func (v *conversation) fromClient(l *line, whole bool) {
	ex := v.a.newExchange(v.c, l.start())
	k := &call{ex: ex}
	for _, m := range messages(l.text) {
		if m.Kind == jsonrpc.Request {
			k.ids = append(k.ids, m.ID)
			if t := capture.ReadCall(m).ProgressToken; t != "" {
				k.tokens = append(k.tokens, t)
			}
		}
	}
	v.put(capture.Client, l, ex)
	ex.Request.Complete = whole
	if len(k.ids) == 0 || !whole {
		v.settle(ex, l.last(), whole)
		return
	}
	v.calls = append(v.calls, k)
	if len(v.calls) > maxOpen {
		v.a.cuts++
		v.giveUp(v.calls[0], capture.Ending{Kind: capture.EndOpen, At: -1})
		v.calls = v.calls[1:]
	}
}

func (v *conversation) fromServer(l *line, whole bool) {
	ms := messages(l.text)
	k := v.owner(ms, whole)
	if k == nil {
		ex := v.a.newExchange(v.c, l.start())
		v.put(capture.Server, l, ex)
		ex.Response.Complete = whole
		v.settle(ex, l.last(), whole)
		return
	}
	v.put(capture.Server, l, k.ex)
	if !whole {
		return
	}
	for _, m := range ms {
		if m.IsResponse() {
			k.ids = slices.DeleteFunc(k.ids, m.ID.Equal)
		}
	}
	if len(k.ids) == 0 {
		k.ex.Response.Complete = true
		v.calls = slices.DeleteFunc(v.calls, func(c *call) bool { return c == k })
		v.settle(k.ex, l.last(), true)
	}
}

// owner returns the call that a line of the server belongs to, nil: none. What broke off before its id belongs to the
// only call there is.
func (v *conversation) owner(ms []jsonrpc.Message, whole bool) *call {
	for _, m := range ms {
		for _, k := range v.calls {
			if m.IsResponse() && slices.ContainsFunc(k.ids, m.ID.Equal) {
				return k
			}
			if m.Kind == jsonrpc.Notification && len(k.tokens) > 0 {
				if t, ok := jsonrpc.Get(m.Params, "progressToken"); ok && slices.Contains(k.tokens, string(t)) {
					return k
				}
			}
		}
	}
	if !whole && len(v.calls) == 1 && (len(ms) == 0 || ms[0].ID == "" && ms[0].Method == "") {
		return v.calls[0]
	}
	return nil
}

// put appends a line to the message of ex that side sent.
func (v *conversation) put(from capture.Side, l *line, ex *capture.Exchange) {
	m := message(ex, from)
	v.unacked[from] = append(v.unacked[from], place{l.end, ex, l.moveTo(m, ex)})
}

func message(ex *capture.Exchange, from capture.Side) *capture.Message {
	if from == capture.Client {
		return &ex.Request
	}
	return &ex.Response
}

// settle ends an exchange in order (or leaves it open where its line broke off), and hands it on once all of it was written.
func (v *conversation) settle(ex *capture.Exchange, at capture.Instant, whole bool) {
	ex.Ending = capture.Ending{Kind: capture.EndOpen, At: -1}
	if whole {
		ex.Ending = capture.Ending{Kind: capture.EndClean, At: ex.SinceStart(at)}
	}
	v.done = append(v.done, ex)
	v.flush(false)
}

func (v *conversation) giveUp(k *call, e capture.Ending) {
	k.ex.Ending = e
	v.done = append(v.done, k.ex)
}

// flush hands on what is over and was written to the other side, or all.
func (v *conversation) flush(all bool) {
	kept := v.done[:0]
	for _, ex := range v.done {
		if all || acked(&ex.Request) && acked(&ex.Response) {
			v.a.emit(ex)
		} else {
			kept = append(kept, ex)
		}
	}
	clear(v.done[len(kept):])
	v.done = kept
}

func acked(m *capture.Message) bool {
	n := len(m.Acks)
	return m.Wire.Len() == 0 || n > 0 && m.Acks[n-1].Off >= m.Wire.Len()
}

// Ack implements capture.Duplex.
func (v *conversation) Ack(of capture.Side, off int64, gone bool, s capture.Stamp) {
	waiting := v.unacked[of]
	n := 0
	for ; n < len(waiting) && waiting[n].end <= off; n++ {
		if p := waiting[n]; !gone {
			m := message(p.ex, of)
			m.Acks = append(m.Acks, capture.Ack{Off: p.wire, At: p.ex.SinceStart(s.Seen)})
		}
	}
	if n > 0 {
		v.unacked[of] = slices.Delete(waiting, 0, n)
		v.flush(false)
	}
}

// End implements capture.Duplex: the client closed the server's input, or the server its output.
func (v *conversation) End(by capture.Side, how capture.How, s capture.Stamp) {
	if v.ended[by] != 0 {
		return
	}
	v.ended[by] = s.Seen
	v.take(by, false)
	if by == capture.Client {
		return
	}
	e := capture.Ending{By: by.String(), How: how}
	if gone := v.ended[capture.Client]; gone != 0 && gone < s.Seen {
		e.By = capture.Client.String()
	}
	for _, k := range v.calls {
		e.At, e.Kind = k.ex.SinceStart(s.Seen), capture.EndFIN
		if k.ex.Response.Wire.Len() == 0 {
			e.Kind = capture.EndNone
		}
		v.giveUp(k, e)
	}
	v.calls = nil
	v.flush(false)
}

// Close implements capture.Duplex.
func (v *conversation) Close(capture.Stamp) {
	for _, side := range []capture.Side{capture.Client, capture.Server} {
		v.take(side, false)
	}
	for _, k := range v.calls {
		v.giveUp(k, capture.Ending{Kind: capture.EndOpen, At: -1})
	}
	v.calls = nil
	v.flush(true)
	v.unacked = [2][]place{}
}

// Open calls f with each call that waits for its answer, as capture.Open says.
func (v *conversation) Open(f func(*capture.Exchange)) {
	for _, k := range v.calls {
		c := *k.ex
		c.Ending = capture.Ending{Kind: capture.EndOpen, At: -1}
		f(&c)
	}
}
