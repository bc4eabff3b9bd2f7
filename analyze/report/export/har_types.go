package export

import (
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// The types of this file are those of HAR 1.2, field by field. Durations are milliseconds, sizes bytes, -1 not known.

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Comment string `json:"comment"`
}

type harEntry struct {
	Started      string      `json:"startedDateTime"`
	Time         float64     `json:"time"`
	Request      harRequest  `json:"request"`
	Response     harResponse `json:"response"`
	Cache        struct{}    `json:"cache"`
	Timings      harTimings  `json:"timings"`
	ServerIP     string      `json:"serverIPAddress,omitempty"`
	Connection   string      `json:"connection"`
	ResourceType string      `json:"_resourceType"`
	Trace        harTrace    `json:"_mcptrace"`

	chunks []harChunk
	events []harEvent
	left   int
}

type harRequest struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	Version     string    `json:"httpVersion"`
	Cookies     []any     `json:"cookies"`
	Headers     []harPair `json:"headers"`
	Query       []harPair `json:"queryString"`
	Post        *harPost  `json:"postData,omitempty"`
	HeadersSize int64     `json:"headersSize"`
	BodySize    int64     `json:"bodySize"`
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harPost struct {
	MimeType string `json:"mimeType"`
	Params   []any  `json:"params"`
	Text     string `json:"text"`
	Comment  string `json:"comment,omitempty"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	Version     string     `json:"httpVersion"`
	Cookies     []any      `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int64      `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
	Error       string     `json:"_error,omitempty"`
}

type harContent struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

type harTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}

// harTrace is what HAR has no place for. Times are milliseconds since the exchange's first request byte.
type harTrace struct {
	Exchange  int               `json:"exchange"` // its number in the report
	Call      string            `json:"call"`
	Session   string            `json:"session,omitempty"`
	Level     string            `json:"answer_level"`
	AnswerMS  *float64          `json:"answer_ms"`
	Delivered *bool             `json:"delivered"`
	End       string            `json:"end"`
	EndBy     string            `json:"end_by,omitempty"`
	Break     string            `json:"break,omitempty"`
	HeldMS    *float64          `json:"held_ms"`
	ReissueOf int               `json:"reissue_of,omitempty"`
	Duplicate string            `json:"duplicate,omitempty"`
	Verdicts  map[string]string `json:"verdicts,omitempty"`
	Packets   [2]int64          `json:"packets"`
	Chunks    []harChunk        `json:"chunks"`
	Events    []harEvent        `json:"events,omitempty"`
	Left      int               `json:"left_out,omitempty"` // chunks and events beyond the limit
}

type harChunk struct {
	End    int64   `json:"end_offset"` // in the body, before content coding is taken off
	AtMS   float64 `json:"at_ms"`
	Packet int64   `json:"packet,omitempty"`
}

type harEvent struct {
	Kind   string  `json:"kind"` // event, comment, block (dispatches nothing)
	Type   string  `json:"type,omitempty"`
	Start  int64   `json:"offset"` // in the body, content coding taken off
	End    int64   `json:"end_offset"`
	AtMS   float64 `json:"at_ms"`
	Packet int64   `json:"packet,omitempty"`
}

// judge fills in what the analysis says of the exchange.
func (e *harEntry) judge(a *analyze.Analyzer, c *analyze.Case) {
	end := c.End().At
	if c.End().Kind == capture.EndOpen {
		end = a.Last.Sub(c.Start)
	}
	end = max(end, c.RequestEnd)
	head := end
	if c.HeadAt >= 0 {
		head = max(c.HeadAt, c.RequestEnd)
	}
	e.Timings = harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Send: ms(c.RequestEnd), Wait: ms(head - c.RequestEnd), Receive: ms(max(0, end-head))}
	e.Time = e.Timings.Send + e.Timings.Wait + e.Timings.Receive
	t := &e.Trace
	*t = harTrace{Exchange: c.ID, Call: c.Name(), Level: string(c.Answer().Level), End: string(c.End().Kind), EndBy: c.End().By, Packets: [2]int64{c.First, c.LastPacket()},
		Chunks: e.chunks, Events: e.events, Left: e.left}
	if t.Chunks == nil {
		t.Chunks = []harChunk{}
	}
	if c.Group != nil {
		t.Session = c.Group.Label
	}
	if c.Dispatched() {
		t.AnswerMS = optional(c.Answer().At)
	}
	if c.Answer().Delivered != 0 {
		d := c.Answer().Delivered > 0
		t.Delivered = &d
	}
	if c.Break != nil {
		t.Break = string(c.Break.Where)
		e.Response.Error = "the response " + c.HowEnded()
	}
	if c.Hold.Known {
		t.HeldMS = optional(c.Hold.Held)
	}
	if l := c.Reissue; l != nil {
		t.ReissueOf, t.Duplicate = l.Of.ID, l.Duplicate
	}
	for _, o := range a.Outcomes(c) {
		if t.Verdicts == nil {
			t.Verdicts = map[string]string{}
		}
		t.Verdicts[o.Policy] = string(o.Verdict)
	}
}

func optional(d time.Duration) *float64 {
	v := ms(d)
	return &v
}
