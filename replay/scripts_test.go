package replay_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcptrace/capture"
	"mcptrace/replay"
)

// script is one response to a tools/call, whose id stands as @@ID@@.
type script struct {
	name string
	wire []byte
	how  replay.How
}

const (
	sseHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	jsonHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	result   = `{"jsonrpc":"2.0","id":@@ID@@,"result":{"content":[{"type":"text","text":"ok"}]}}`
	refusal  = `{"jsonrpc":"2.0","id":@@ID@@,"error":{"code":-32000,"message":"card declined"}}`
)

// refusalText is what the answers that are errors say, so that they can be told from the client's own.
const refusalText = "card declined"

// errorIsAnswers reports whether an error is the answer's.
func errorIsAnswers(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Message == refusalText || strings.Contains(err.Error(), refusalText)
}

// scripts returns the responses that the models of products are compared on with the products themselves: the cells of the
// measured table, shapes of their own, and the bodies of the captures.
func scripts(t testing.TB) []script {
	var out []script
	add := func(name, head, body string, hows ...replay.How) {
		for _, how := range hows {
			// The id of the live call is not known beforehand; one digit, as in the model's play, keeps the lengths true.
			wire := []byte(head)
			long := strings.ReplaceAll(body, "@@ID@@", "2")
			switch {
			case strings.Contains(head, "chunked") && strings.HasSuffix(body, noEnd):
				wire = fmt.Appendf(wire, "\r\n%x\r\n%s\r\n", len(long)-len(noEnd), strings.TrimSuffix(body, noEnd))
			case strings.Contains(head, "chunked"):
				wire = fmt.Appendf(wire, "\r\n%x\r\n%s\r\n0\r\n\r\n", len(long), body)
			default:
				wire = fmt.Append(wire, "\r\n", body)
			}
			out = append(out, script{fmt.Sprintf("%s/%s", name, how), wire, how})
		}
	}
	const ch = sseHead + "Transfer-Encoding: chunked\r\n"
	fin, rst, stall := replay.FIN, replay.RST, replay.Stall
	a := "data: " + result
	add("answer", ch, a+"\n\n", fin, rst, stall)
	add("answer, no last chunk", ch, a+"\n\n"+noEnd, fin, rst, stall)
	add("no blank line", ch, a+"\n", fin)
	add("no blank line, no last chunk", ch, a+"\n"+noEnd, fin, rst, stall)
	add("no line end", ch, a, fin)
	add("nothing", ch, ": k\n\n", fin)
	add("nothing, no last chunk", ch, ": k\n\n"+noEnd, fin, rst, stall)
	add("primed", ch, "id: 7\nretry: 10\ndata:\n\n", fin)
	add("primed, no last chunk", ch, "id: 7\nretry: 10\ndata:\n\n"+noEnd, fin, rst)
	add("primed, id without data", ch, "id: 7\nretry: 10\n\n", fin)
	add("primed under a name", ch, "event: prime\nid: 7\nretry: 10\ndata: x\n\n", fin)
	add("cr", ch, strings.ReplaceAll("event: message\n"+a+"\n\n", "\n", "\r"), fin)
	add("cr, data alone", ch, a+"\r\r", fin)
	add("cr, more behind", ch, a+"\r\r: k\r\r", fin)
	add("crlf", ch, "event: message\r\n"+a+"\r\n\r\n", fin, rst)
	add("crlf without the last lf", ch, a+"\r\n\r", fin)
	add("crlf without the last lf, cut", ch, a+"\r\n\r"+noEnd, rst)
	add("bom", ch, "\xEF\xBB\xBF"+a+"\n\n", fin)
	add("bom, event first", ch, "\xEF\xBB\xBFevent: message\n"+a+"\n\n", fin)
	add("two data lines", ch, strings.Replace(a, `,"result"`, "\ndata: ,\"result\"", 1)+"\n\n", fin)
	add("nul in id", ch, "id: a\x00b\n"+a+"\n\n", fin)
	add("two answers", ch, a+"\n\n"+a+"\n\n", fin)
	add("no colon", ch, "hello\n"+a+"\n\n", fin)
	add("data without colon", ch, "data\n\n"+a+"\n\n", fin)
	add("other name", ch, "event: response\n"+a+"\n\n", fin)
	add("leading blank", ch, " "+a+"\n\n", fin)
	add("blank line of blanks", ch, a+"\n  \n", fin)
	add("foreign id", ch, strings.Replace(a, "@@ID@@", "99", 1)+"\n\n", fin)
	add("foreign id, then the answer", ch, strings.Replace(a, "@@ID@@", "99", 1)+"\n\n"+a+"\n\n", fin)
	add("id as text", ch, strings.Replace(a, "@@ID@@", `"@@ID@@"`, 1)+"\n\n", fin)
	add("id as float", ch, strings.Replace(a, "@@ID@@", `@@ID@@.0`, 1)+"\n\n", fin)
	add("id null", ch, strings.Replace(a, "@@ID@@", `null`, 1)+"\n\n", fin)
	add("no id", ch, strings.Replace(a, `"id":@@ID@@,`, ``, 1)+"\n\n", fin)
	add("no version", ch, strings.Replace(a, `"jsonrpc":"2.0",`, ``, 1)+"\n\n", fin)
	add("method too", ch, strings.Replace(a, `"result"`, `"method":"x","result"`, 1)+"\n\n", fin)
	add("batch", ch, "data: ["+result+"]\n\n", fin)
	add("broken json", ch, "data: {\"jsonrpc\n\n"+a+"\n\n", fin)
	add("error", ch, "data: "+refusal+"\n\n", fin, rst)
	add("notification first", ch, `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`+"\n\n"+a+"\n\n", fin)
	add("by close", sseHead, a+"\n\n", fin, rst, stall)
	add("by close, no blank line", sseHead, a+"\n", fin, rst)
	add("upper-case type", "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream\r\nTransfer-Encoding: chunked\r\n", a+"\n\n", fin)
	add("type with parameters", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n", a+"\n\n", fin)
	add("html", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n", "<p>", fin)
	add("no type", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", result, fin)
	size := len(strings.ReplaceAll(result, "@@ID@@", "2"))
	length := fmt.Sprintf("Content-Length: %d\r\n", size)
	add("json", jsonHead+length, result, fin, rst)
	add("json too short", jsonHead+fmt.Sprintf("Content-Length: %d\r\n", size+20), result, fin, rst)
	add("json chunked, no last chunk", jsonHead+"Transfer-Encoding: chunked\r\n", result+noEnd, fin, rst)
	add("json by close", jsonHead, result, fin, rst)
	add("json chunked, no last chunk, connection to be closed", jsonHead+"Connection: close\r\nTransfer-Encoding: chunked\r\n", result+noEnd, fin, rst)
	add("json too short, connection to be closed", jsonHead+"Connection: close\r\n"+fmt.Sprintf("Content-Length: %d\r\n", size+20), result, fin, rst)
	add("json of 1.0", strings.Replace(jsonHead, "1.1", "1.0", 1), result, fin, rst)
	add("json, foreign id", jsonHead+"Transfer-Encoding: chunked\r\n", strings.Replace(result, "@@ID@@", "99", 1), fin)
	add("json broken", jsonHead+"Transfer-Encoding: chunked\r\n", `{"jsonrpc"`, fin)
	add("json batch", jsonHead+"Transfer-Encoding: chunked\r\n", "["+result+"]", fin)
	add("json error", jsonHead+"Transfer-Encoding: chunked\r\n", refusal, fin)
	add("json empty", jsonHead+"Content-Length: 0\r\n", "", fin)
	add("202", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n", "", fin)
	add("204", "HTTP/1.1 204 No Content\r\n", "", fin)
	for _, status := range []string{"400 Bad Request", "404 Not Found", "500 Internal Server Error", "503 Service Unavailable"} {
		add(status+", json error", "HTTP/1.1 "+status+"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n", refusal, fin)
		add(status+", sse answer", "HTTP/1.1 "+status+"\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n", a+"\n\n", fin)
		add(status+", html", "HTTP/1.1 "+status+"\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n", "<p>", fin)
	}
	out = append(out, script{"no byte/fin", nil, fin}, script{"no byte/rst", nil, rst}, script{"half a head/fin", []byte("HTTP/1.1 200 OK\r\nContent-"), fin})
	return append(append(out, gzipped()...), recorded(t)...)
}

// noEnd at the end of a chunked body leaves out the last chunk.
const noEnd = "\x00no end"

// gzipped are compressed streams. The id of the call is not known when they are made, so they answer several.
func gzipped() []script {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(": k\n\n"))
	z.Flush()
	for id := range 5 {
		fmt.Fprintf(z, "data: %s\n\n", strings.ReplaceAll(result, "@@ID@@", fmt.Sprint(id)))
	}
	z.Flush()
	flushed := b.Len()
	z.Close()
	head := sseHead + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
	whole := func(body []byte, end string) []byte {
		return fmt.Appendf([]byte(head), "\r\n%x\r\n%s\r\n%s", len(body), body, end)
	}
	return []script{
		{"gzip/fin", whole(b.Bytes(), "0\r\n\r\n"), replay.FIN},
		{"gzip without its end/fin", whole(b.Bytes()[:flushed], "0\r\n\r\n"), replay.FIN},
		{"gzip, cut/rst", whole(b.Bytes()[:flushed], ""), replay.RST},
		{"gzip, held/stall", whole(b.Bytes()[:flushed], ""), replay.Stall},
		{"gzip damaged/fin", whole([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xff\xff\xff\xff\xff\xff"), "0\r\n\r\n"), replay.FIN},
		{"gzip that is none/fin", whole([]byte("data: x\n\ndata: y\n\n"), "0\r\n\r\n"), replay.FIN},
		{"unknown coding/fin", bytes.Replace(whole([]byte("data: x\n\n"), "0\r\n\r\n"), []byte("gzip"), []byte("nope"), 1), replay.FIN},
	}
}

// recorded are the responses to tools/call in the captures, with the recorded id made that of the live call. Lengths
// that depend on it are left as they are, so that only ids of one digit serve.
func recorded(t testing.TB) []script {
	var out []script
	for _, path := range captures(t) {
		for i, e := range readCapture(t, path) {
			m := &e.ex.Response
			if len(e.rd.Calls) != 1 || e.rd.Calls[0].Method != "tools/call" || len(e.rd.Calls[0].ID) != 1 || e.ex.Proto != "1.1" || e.ex.Conn.TLS != nil {
				continue
			}
			how, ok := map[capture.EndKind]replay.How{capture.EndClean: replay.FIN, capture.EndFIN: replay.FIN, capture.EndRST: replay.RST}[e.ex.Ending.Kind]
			if !ok || e.ex.Ending.By == "client" || m.Wire.Len() > 1<<16 || len(m.Holes) > 0 || e.ex.Interim > 0 || m.Head == nil || m.Head.Has("Content-Encoding") {
				continue
			}
			wire := m.Wire.Bytes(0, m.Wire.Len())
			id := string(e.rd.Calls[0].ID)
			wire = regexp.MustCompile(`"id":( ?)`+id+`\b`).ReplaceAll(wire, []byte(`"id":${1}@@ID@@`))
			out = append(out, script{fmt.Sprintf("%s#%d", e.name, i+1), wire, how})
		}
	}
	return out
}
