package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	"mcptrace/analyze"
)

var jsonFormat = Format{Name: "json", Doc: "one JSON object, the stable form for programs (docs/output.md)", Write: writeJSON}

// schema names the form of the JSON report. A new major number means that a reader must look again.
const schema = "mcptrace.report/1"

// writeJSON writes the report exchange by exchange, so that its size does not decide how much memory it takes.
func writeJSON(w io.Writer, a *analyze.Analyzer, _ Options) error {
	b := bufio.NewWriterSize(w, 64<<10)
	j := jsonWriter{b: b, a: a}
	j.raw("{\n")
	j.field("schema", schema)
	j.field("inputs", inputsOf(a))
	j.field("quality", qualityOf(a))
	j.list("exchanges", len(a.Cases()), func(i int) any { return exchangeOf(a, a.Cases()[i]) })
	j.list("logical_calls", len(a.Stories), func(i int) any { return logicalOf(a.Stories[i]) })
	j.list("sessions", len(a.Sessions), func(i int) any { return sessionOf(a.Sessions[i]) })
	j.list("cuts", len(a.Cuts), func(i int) any { return cutOf(a.Cuts[i]) })
	latencies := a.Latencies()
	j.list("latency", len(latencies), func(i int) any { return latencyOf(latencies[i]) })
	j.list("connect_failures", len(a.Failures), func(i int) any { return failureOf(a.Failures[i]) })
	j.list("findings", len(a.Findings), func(i int) any { return findingOf(a.Findings[i]) })
	j.field("logical_totals", logicalTotalsOf(a.Logical))
	j.raw(`"totals": `)
	j.value(totalsOf(a.Totals))
	j.raw("\n}\n")
	if j.err != nil {
		return j.err
	}
	return b.Flush()
}

// jsonWriter writes the outer object; its error is sticky.
type jsonWriter struct {
	a   *analyze.Analyzer
	b   *bufio.Writer
	err error
}

func (j *jsonWriter) raw(s string) {
	if j.err == nil {
		_, j.err = j.b.WriteString(s)
	}
}

func (j *jsonWriter) value(v any) {
	if j.err != nil {
		return
	}
	text, err := marshal(v)
	if err != nil {
		j.err = err
		return
	}
	_, j.err = j.b.Write(text)
}

// isPlain reports whether all of text is printable ASCII, which nearly all of it is.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// marshal returns v as JSON that may be printed: in its strings stand escapes for what a terminal would obey or not show.
func marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil || isPlain(text) || !bytes.ContainsFunc(text, hidden) {
		return text, err
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes(), nil
}

// hidden reports whether a character of JSON text must not go to a terminal as it is.
func hidden(r rune) bool { return r >= 0x7f && !shown(r) }

func (j *jsonWriter) field(name string, v any) {
	j.raw(`"` + name + `": `)
	j.value(v)
	j.raw(",\n")
}

func (j *jsonWriter) list(name string, n int, at func(int) any) {
	j.raw(`"` + name + `": [`)
	for i := range n {
		if i > 0 {
			j.raw(",")
		}
		j.raw("\n")
		j.value(at(i))
		j.a.LetGo()
	}
	j.raw("],\n")
}
