package stdio

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
)

// play plays two directions, cut into pieces, through an Assembly; client first where turns is nil. Each byte passes at the
// moment that is its offset in milliseconds, the server's a second later.
func play(client, server string, cut func(string) []string, end bool) []*capture.Exchange {
	var out []*capture.Exchange
	a := &Assembly{Sink: func(ex *capture.Exchange) { out = append(out, ex) }}
	d := a.Connection(&capture.Conn{})
	for side, text := range []string{client, server} {
		off := int64(0)
		for _, p := range cut(text) {
			off += int64(len(p))
			s := at(off + int64(side)*1000)
			d.Data(capture.Side(side), []byte(p), s)
			d.Ack(capture.Side(side), off, false, s)
		}
	}
	if end {
		d.End(capture.Server, capture.FIN, at(5000))
	}
	d.Close(at(6000))
	return out
}

func at(ms int64) capture.Stamp {
	i := capture.Instant(ms * int64(time.Millisecond))
	return capture.Stamp{Seen: i, At: i}
}

func uncut(s string) []string { return []string{s} }

func bytewise(s string) []string { return strings.Split(s, "") }

// describe says of each exchange, in order of their start, what both sides said and how it ended.
func describe(exs []*capture.Exchange) string {
	byStart := map[int64]string{}
	for _, ex := range exs {
		q := string(ex.Request.Wire.Bytes(0, ex.Request.Wire.Len()))
		p := string(ex.Response.Wire.Bytes(0, ex.Response.Wire.Len()))
		rd := capture.Read(ex)
		level := capture.LevelNone
		if i, _ := rd.LastAnswer(0); i >= 0 {
			level = rd.Messages[i].Level
		}
		byStart[ex.Seq] = fmt.Sprintf("%s %s→%s %s %s/%s", rd.Kind, q, p, level, ex.Ending.Kind, ex.Ending.By)
	}
	var b strings.Builder
	for i := range len(exs) {
		b.WriteString(byStart[int64(i)] + "\n")
	}
	return b.String()
}

func ask(id, rest string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"t"` + rest + `}}` + "\n"
}

func reply(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` + "\n" }

func note(token string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}` + "\n"
}

func TestConversation(t *testing.T) {
	withToken := `,"_meta":{"progressToken":"p"}`
	for _, tt := range []struct {
		name, client, server string
		end                  bool
		want                 string
	}{
		{"one call", ask("1", ""), reply("1"), false, "request " + ask("1", "") + "→" + reply("1") + " dispatched clean/\n"},
		{"out of order", ask("1", "") + ask(`"1"`, ""), reply(`"1"`) + reply("1"), false,
			"request " + ask("1", "") + "→" + reply("1") + " dispatched clean/\nrequest " + ask(`"1"`, "") + "→" + reply(`"1"`) + " dispatched clean/\n"},
		{"progress belongs to its call", ask("1", "") + ask("2", withToken), note(`"p"`) + reply("2") + reply("1"), false,
			"request " + ask("1", "") + "→" + reply("1") + " dispatched clean/\nrequest " + ask("2", withToken) + "→" + note(`"p"`) + reply("2") + " dispatched clean/\n"},
		{"a note of nobody's", ask("1", ""), note("9") + reply("1"), false,
			"request " + ask("1", "") + "→" + reply("1") + " dispatched clean/\nnone →" + note("9") + " none clean/\n"},
		{"notification and response", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n" + reply("7"), "", false,
			"notification {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n→ none clean/\nresponse " + reply("7") + "→ none clean/\n"},
		{"exits without a word", ask("1", ""), "", true, "request " + ask("1", "") + "→ none none/server\n"},
		{"exits in its answer", ask("1", ""), reply("1")[:35], true, "request " + ask("1", "") + "→" + reply("1")[:35] + " partial fin/server\n"},
		{"exits before the newline", ask("1", ""), strings.TrimSpace(reply("1")), true, "request " + ask("1", "") + "→" + strings.TrimSpace(reply("1")) + " unframed fin/server\n"},
		{"still open", ask("1", ""), "", false, "request " + ask("1", "") + "→ none open/\n"},
		{"no JSON and blank lines", "\r\n\n" + ask("1", ""), "hello\n\n" + reply("1"), false,
			"request " + ask("1", "") + "→" + reply("1") + " dispatched clean/\nnone →hello\n none clean/\n"},
		{"batch", "[" + strings.TrimSpace(ask("1", "")) + "," + strings.TrimSpace(ask("2", "")) + "]\n", reply("2") + reply("1"), false,
			"batch [" + strings.TrimSpace(ask("1", "")) + "," + strings.TrimSpace(ask("2", "")) + "]\n→" + reply("2") + reply("1") + " dispatched clean/\n"},
		{"request broken off", ask("1", "")[:50], "", true, "request " + ask("1", "")[:50] + "→ none open/\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := describe(play(tt.client, tt.server, uncut, tt.end)); got != tt.want {
				t.Fatalf("got\n%swant\n%s", got, tt.want)
			}
			r := rand.New(rand.NewPCG(1, 2))
			pieces := func(s string) (out []string) {
				for s != "" {
					n := 1 + r.IntN(len(s))
					out, s = append(out, s[:n]), s[n:]
				}
				return out
			}
			for range 20 {
				if got := describe(play(tt.client, tt.server, pieces, tt.end)); got != tt.want {
					t.Fatalf("in pieces: got\n%swant\n%s", got, tt.want)
				}
			}
			if got := describe(play(tt.client, tt.server, bytewise, tt.end)); got != tt.want {
				t.Fatalf("byte by byte: got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestTimesOfALine(t *testing.T) {
	exs := play(ask("1", ""), reply("1"), bytewise, false)
	ex := exs[0]
	n := ex.Response.Wire.Len()
	first, _ := ex.Response.TimeAt(0)
	last, _ := ex.Response.TimeAt(n - 1)
	if first != time.Second || last != time.Second+time.Duration(n-1)*time.Millisecond {
		t.Errorf("first byte at %v, newline at %v after the request's first byte", first, last)
	}
	if at := capture.Read(ex).Messages[0]; at.At != last || at.AckedAt != last {
		t.Errorf("dispatched at %v, written at %v, want %v", at.At, at.AckedAt, last)
	}
}

func TestLongLineIsCut(t *testing.T) {
	var out []*capture.Exchange
	a := &Assembly{Sink: func(ex *capture.Exchange) { out = append(out, ex) }, MaxLine: 100}
	d := a.Connection(&capture.Conn{})
	d.Data(capture.Client, []byte(ask("1", `,"arguments":"`+strings.Repeat("x", 1000)+`"`)+ask("2", "")), at(1))
	d.Close(at(2))
	if len(out) != 2 || !out[0].Request.Cut || out[0].Request.Wire.Len() != 100 || out[1].Request.Cut || a.Cuts() != 1 {
		t.Fatalf("%d exchanges, cuts %d", len(out), a.Cuts())
	}
}

func TestReadLog(t *testing.T) {
	log := `{"ts": 1796070742.392234, "dir": "c2s", "raw": "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}"}
{"ts": 1796070742.5, "dir": "stderr", "raw": "starting"}
no record

{"ts": 1796070743, "dir": "s2c", "raw": "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}"}
{"ts": 1796070744, "dir": "exit", "raw": "0"}
`
	var out []*capture.Exchange
	q, err := ReadLog(strings.NewReader(log), &Assembly{Sink: func(ex *capture.Exchange) { out = append(out, ex) }})
	if err != nil || len(out) != 1 || q.Packets != 5 || q.UndecodablePackets != 1 {
		t.Fatalf("%d exchanges, %+v, %v", len(out), q, err)
	}
	if out[0].Start != 1796070742392234000 {
		t.Errorf("start %d", out[0].Start)
	}
	if m := capture.Read(out[0]).Messages[0]; m.Packet != 5 || m.AckedAt < 0 || m.At != 607766*time.Microsecond {
		t.Errorf("line %d at %v, written %v", m.Packet, m.At, m.AckedAt)
	}
	if _, err := ReadLog(strings.NewReader("{}\n"), &Assembly{}); !errors.Is(err, ErrNotLog) {
		t.Errorf("error %v, want ErrNotLog", err)
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add([]byte(`{"ts":1.5,"dir":"c2s","raw":"{\"id\":1,\"method\":\"a\"}"}` + "\n" + `{"ts":1,"dir":"s2c","raw":"{\"id\":1,\"result\":0}"}` + "\n"))
	f.Add([]byte(`{"ts":1e300,"dir":"c2s","raw":""}` + "\n" + `{"ts":-1,"dir":"exit"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		ReadLog(strings.NewReader(string(in)), &Assembly{Sink: func(ex *capture.Exchange) {
			capture.Read(ex)
			if ex.Ending.Kind == "" {
				t.Error("an exchange without an ending")
			}
			ex.Release()
		}})
	})
}

// FuzzConversation checks that the result does not depend on how the bytes are split.
func FuzzConversation(f *testing.F) {
	f.Add(ask("1", ""), note("1")+reply("1"), true)
	f.Add("["+strings.TrimSpace(ask("1", ""))+"]\n\n", reply("1")[:9], false)
	f.Fuzz(func(t *testing.T, client, server string, end bool) {
		if whole, pieces := describe(play(client, server, uncut, end)), describe(play(client, server, bytewise, end)); whole != pieces {
			t.Errorf("whole\n%sbyte by byte\n%s", whole, pieces)
		}
	})
}
