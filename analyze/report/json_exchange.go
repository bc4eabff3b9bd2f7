package report

import (
	"encoding/json"
	"net/netip"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
	"mcptrace/replay"
)

// The types of this file are the report's exchange, field by field, in the order of docs/output.md.

type jsonExchange struct {
	ID                int            `json:"id"`
	Client            string         `json:"client"`
	Server            string         `json:"server"`
	Transport         string         `json:"transport"`
	ProtocolVersion   *string        `json:"protocol_version"`
	Era               string         `json:"era"`
	Session           *string        `json:"session"`
	Start             string         `json:"start"`
	HTTP              jsonHTTP       `json:"http"`
	NegotiatedVersion *string        `json:"negotiated_version"`
	HopOf             *int           `json:"hop_of"`
	Vantage           jsonVantage    `json:"vantage"`
	Packets           jsonPackets    `json:"packets"`
	Call              jsonCall       `json:"call"`
	Calls             []jsonCall     `json:"calls,omitempty"`
	Times             jsonTimes      `json:"times"`
	Body              jsonBody       `json:"body"`
	Answer            jsonAnswer     `json:"answer"`
	End               jsonEnd        `json:"end"`
	Break             *jsonBreak     `json:"break"`
	Hold              jsonHold       `json:"hold"`
	Reissue           *jsonReissue   `json:"reissue"`
	LogicalCall       *int           `json:"logical_call"`
	Execution         *jsonExecution `json:"execution"`
	ClientModel       *jsonModel     `json:"client_model,omitempty"`
	Replay            []jsonOutcome  `json:"replay"`
}

type jsonHTTP struct {
	Version         string  `json:"version"`
	Method          *string `json:"method"`
	Target          *string `json:"target"`
	Status          *int    `json:"status"`
	ContentType     string  `json:"content_type"`
	ContentEncoding string  `json:"content_encoding"`
	Framing         string  `json:"framing"`
	Stream          *uint32 `json:"stream,omitempty"`
}

type jsonVantage struct {
	Kind      string `json:"kind"`
	Near      string `json:"near"`
	RTTClient *int64 `json:"rtt_client_ns"`
	RTTServer *int64 `json:"rtt_server_ns"`
}

type jsonPackets struct {
	Input  int    `json:"input"`
	First  *int64 `json:"first"`
	Answer *int64 `json:"answer"`
	Last   *int64 `json:"last"`
}

type jsonCall struct {
	Kind         string          `json:"kind"`
	Method       *string         `json:"method"`
	ID           json.RawMessage `json:"id"`
	Name         *string         `json:"name"`
	RepeatSafety *string         `json:"repeat_safety"`
	Hint         *string         `json:"hint,omitempty"`
	Arguments    *string         `json:"arguments_hash,omitempty"`
	Idempotency  *string         `json:"idempotency_key_hash,omitempty"`
	Traceparent  *string         `json:"traceparent,omitempty"`
	Answer       *jsonAnswer     `json:"answer,omitempty"`
}

type jsonTimes struct {
	RequestEnd *int64 `json:"request_end_ns"`
	Head       *int64 `json:"head_ns"`
	FirstBody  *int64 `json:"first_body_ns"`
	Answer     *int64 `json:"answer_ns"`
	LastByte   *int64 `json:"last_byte_ns"`
	End        *int64 `json:"end_ns"`
}

type jsonBody struct {
	Wire            int64 `json:"wire_bytes"`
	Decoded         int64 `json:"decoded_bytes"`
	Events          int   `json:"events"`
	Comments        int   `json:"comments"`
	Tail            int64 `json:"tail_bytes"`
	FramingComplete bool  `json:"framing_complete"`
	Missing         bool  `json:"bytes_missing,omitempty"`
}

type jsonAnswer struct {
	Level     string  `json:"level"`
	Kind      *string `json:"kind"`
	EndOffset *int64  `json:"end_offset"`
	Evidence  string  `json:"evidence"`
	Delivered *bool   `json:"delivered"`
	Stream    *int    `json:"stream"`
}

type jsonEnd struct {
	Kind string  `json:"kind"`
	By   *string `json:"by"`
	Code *string `json:"code,omitempty"`
}

type jsonBreak struct {
	Where  string `json:"where"`
	Offset int64  `json:"offset"`
	At     int64  `json:"at_ns"`
}

type jsonHold struct {
	Held     *int64 `json:"held_ns"`
	Blocked  int64  `json:"blocked_ns"`
	Censored bool   `json:"censored,omitempty"`
}

type jsonReissue struct {
	Of         int    `json:"of"`
	Finding    string `json:"finding"`
	Gap        int64  `json:"gap_ns"`
	SameID     bool   `json:"same_id"`
	Confidence string `json:"confidence"`
	Duplicate  string `json:"duplicate"`
	Executed   string `json:"executed"`
	Answers    string `json:"answers,omitempty"`
}

type jsonOutcome struct {
	Policy   string `json:"policy"`
	Verdict  string `json:"verdict"`
	Returned *int64 `json:"returned_ns"`
	Held     int64  `json:"held_ns"`
	Censored bool   `json:"censored,omitempty"`
	Next     string `json:"next"`
	Why      string `json:"why"`
}

func exchangeOf(a *analyze.Analyzer, c *analyze.Case) jsonExchange {
	x := jsonExchange{
		ID: c.ID, Client: address(c.Conn.Client), Server: address(c.Conn.Server), Transport: c.Transport(),
		ProtocolVersion: text(c.ProtocolVersion()), Era: "legacy", Start: stamp(c.Start),
		Vantage: jsonVantage{Kind: c.Conn.Vantage.Kind, Near: c.Near(), RTTClient: positive(c.Conn.Vantage.RTTClient), RTTServer: positive(c.Conn.Vantage.RTTServer)},
		Packets: jsonPackets{Input: c.Conn.Input, First: packet(c.First), Answer: packet(c.Answer().Packet), Last: packet(c.LastPacket())},
		HTTP:    httpOf(c), Times: timesOf(c), Body: bodyOf(c), Answer: answerOf(c.Answer()), End: endOf(c), Hold: holdOf(c),
	}
	x.ClientModel, x.Replay = playedOf(a, c)
	if c.Modern {
		x.Era = "modern"
	}
	if c.Session() != nil {
		x.Session = &c.Session().Label
	}
	if c.Group != nil {
		x.NegotiatedVersion = text(c.Group.Negotiated)
	}
	if c.HopOf != nil {
		x.HopOf = &c.HopOf.ID
	}
	x.Call, x.Calls = callsOf(c)
	if b := c.Break; b != nil {
		x.Break = &jsonBreak{string(b.Where), b.Offset, int64(b.At)}
	}
	if l := c.Reissue; l != nil {
		x.Reissue = &jsonReissue{l.Of.ID, l.Finding, int64(l.Gap), l.SameID, l.Confidence, l.Duplicate, l.Executed, l.Same}
	}
	if c.Story != nil {
		x.LogicalCall = &c.Story.First().ID
	}
	if c.IsCall() && c.HasRequest {
		x.Execution = executionOf(c)
	}
	return x
}

func httpOf(c *analyze.Case) jsonHTTP {
	h := jsonHTTP{Version: c.HTTP.Version, Method: text(c.HTTP.Method), ContentType: c.HTTP.ContentType, ContentEncoding: c.HTTP.ContentEncoding, Framing: c.HTTP.Framing}
	h.Target = text(analyze.MaskTarget(c.HTTP.Target))
	if c.HTTP.Status != 0 {
		h.Status = &c.HTTP.Status
	}
	if c.Stream != 0 {
		h.Stream = &c.Stream
	}
	return h
}

func callsOf(c *analyze.Case) (jsonCall, []jsonCall) {
	kind := string(c.R().Kind)
	if c.R().Kind != capture.KindBatch {
		if len(c.R().Calls) == 0 {
			return jsonCall{Kind: kind, ID: json.RawMessage("null")}, nil
		}
		j := callOf(&c.R().Calls[0], string(c.Safety()))
		j.Hint, j.Arguments, j.Idempotency, j.Traceparent = text(c.Hint()), text(c.ArgumentsHash()), text(c.IdempotencyHash()), text(c.Traceparent())
		return j, nil
	}
	var all []jsonCall
	for i := range c.R().Calls {
		k := callOf(&c.R().Calls[i], "")
		for j := range c.Answers() {
			if c.Answers()[j].Call == &c.R().Calls[i] {
				an := answerOf(&c.Answers()[j])
				k.Answer = &an
			}
		}
		all = append(all, k)
	}
	return jsonCall{Kind: kind, ID: json.RawMessage("null")}, all
}

func callOf(k *capture.Call, safety string) jsonCall {
	j := jsonCall{Kind: string(k.Kind), Method: text(k.Method), ID: rawID(k.ID), Name: text(k.Name)}
	if k.IsCall() {
		j.RepeatSafety = text(safety)
	}
	return j
}

// rawID returns an id as it stood on the wire, null where there is none or it is no JSON.
func rawID(id jsonrpc.ID) json.RawMessage {
	if id == "" || !json.Valid([]byte(id)) {
		return json.RawMessage("null")
	}
	return json.RawMessage(id)
}

func timesOf(c *analyze.Case) jsonTimes {
	t := jsonTimes{Head: since(c.HeadAt), FirstBody: since(c.R().FirstBody), LastByte: since(max(c.LastByte, c.HeadAt))}
	if c.HasRequest {
		t.RequestEnd = since(c.RequestEnd)
	}
	if c.Answer().Level == capture.LevelDispatched {
		t.Answer = since(c.Answer().At)
	}
	if c.End().Kind != capture.EndOpen {
		t.End = since(c.End().At)
		if c.End().Kind == capture.EndClean {
			t.LastByte = t.End
		}
	}
	return t
}

func bodyOf(c *analyze.Case) jsonBody {
	return jsonBody{Wire: c.R().Wire, Decoded: c.R().Decoded, Events: c.R().Events, Comments: c.R().Comments, Tail: c.R().Tail, FramingComplete: c.Complete, Missing: c.R().Holed}
}

func answerOf(an *analyze.Answer) jsonAnswer {
	j := jsonAnswer{Level: string(an.Level), Kind: text(an.Kind), Evidence: string(an.Evidence)}
	if an.End >= 0 {
		j.EndOffset = &an.End
	}
	if an.Delivered != 0 {
		d := an.Delivered > 0
		j.Delivered = &d
	}
	if an.Stream != nil {
		j.Stream = &an.Stream.ID
	}
	return j
}

func endOf(c *analyze.Case) jsonEnd {
	e := jsonEnd{Kind: string(c.End().Kind), By: text(c.End().By)}
	if code := c.EndCode(); code != "" {
		e.Code = &code
	}
	return e
}

func holdOf(c *analyze.Case) jsonHold {
	h := jsonHold{Blocked: int64(c.Hold.Blocked), Censored: c.Hold.Censored}
	if c.Hold.Known {
		h.Held = since(c.Hold.Held)
	}
	return h
}

func outcomesOf(outs []replay.Outcome) []jsonOutcome {
	all := make([]jsonOutcome, 0, len(outs))
	for _, o := range outs {
		all = append(all, jsonOutcome{o.Policy, string(o.Verdict), since(o.Returned), int64(o.Held), o.Censored, string(o.Next), o.Why})
	}
	return all
}

// text returns s, or null where it is empty.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// since returns a duration in nanoseconds, null where it is negative: absent moments are null, never 0.
func since(d time.Duration) *int64 {
	if d < 0 {
		return nil
	}
	n := int64(d)
	return &n
}

func positive(d time.Duration) *int64 {
	if d <= 0 {
		return nil
	}
	return since(d)
}

func packet(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func stamp(i capture.Instant) string { return i.Time().Format(time.RFC3339Nano) }

func address(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}
