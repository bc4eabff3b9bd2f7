package report

import (
	"bufio"
	"io"

	"mcptrace/analyze"
)

var jsonlFormat = Format{Name: "jsonl", Doc: "one exchange a line, each as in the JSON report", Write: writeJSONL}

// writeJSONL writes the exchanges of the JSON report, one a line.
func writeJSONL(w io.Writer, a *analyze.Analyzer, o Options) error {
	b := bufio.NewWriterSize(w, 64<<10)
	for c := range a.Each() {
		if o.Exchange != 0 && c.ID != o.Exchange {
			continue
		}
		text, err := marshal(exchangeOf(a, c))
		if err != nil {
			return err
		}
		b.Write(append(text, '\n'))
	}
	return b.Flush()
}
