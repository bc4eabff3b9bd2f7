package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"mcptrace/replay"
	"mcptrace/replay/serve"
)

// outcomes writes what clients did, in one of the formats.
type outcomes struct {
	w      io.Writer
	format string
	fails  func(r *row) bool
}

// row is one line of the outcome, in the form of its JSON.
type row struct {
	Exchange int    `json:"exchange"` // 0: none matched
	Call     string `json:"call"`
	ID       string `json:"id,omitempty"`
	Session  int    `json:"session,omitempty"`
	Offset   *int64 `json:"cut_offset,omitempty"`
	Body     int64  `json:"body_bytes"`
	Where    string `json:"where,omitempty"`
	End      string `json:"end,omitempty"`
	AnswerNS *int64 `json:"answer_ns"`
	EndNS    *int64 `json:"end_ns"`
	LeftNS   *int64 `json:"client_left_ns"`
	Verdict  string `json:"verdict,omitempty"`
	Did      string `json:"client"`
	Error    string `json:"client_error,omitempty"`
	TookNS   int64  `json:"took_ns,omitempty"`
}

// write opens the output and lets f write to it.
func (f *serveFlags) write(s *streams, to func(*outcomes) error) error {
	o := &outcomes{w: s.out, format: f.format, fails: func(r *row) bool { return f.fails(replay.Verdict(r.Verdict)) }}
	if f.output == "" {
		return to(o)
	}
	file, err := os.Create(f.output)
	if err != nil {
		return pathError(f.output, err)
	}
	o.w = file
	if err := to(o); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// plays writes what was played to the clients of a server.
func (o *outcomes) plays(ps []serve.Play) error {
	rows := make([]row, len(ps))
	for i := range ps {
		p := &ps[i]
		rows[i] = row{Exchange: p.Number, Call: shown(p.Request), ID: p.ID, Session: p.Session, Body: p.Body, Where: p.Where, End: p.How,
			AnswerNS: nanos(p.Answer), EndNS: nanos(p.End), LeftNS: nanos(p.Left), Verdict: string(p.Verdict), Did: p.Did}
	}
	return o.write("plays", rows, []string{"EXCHANGE", "REQUEST", "ID", "SENT", "END", "VERDICT", "CLIENT"}, func(r *row) []string {
		return []string{number(r.Exchange), r.Call, r.ID, strconv.FormatInt(r.Body, 10), r.End + at(r.Where), r.Verdict, r.Did}
	})
}

// sweep writes what came of a sweep.
func (o *outcomes) sweep(rs []serve.SweepRow) error {
	rows := make([]row, len(rs))
	for i := range rs {
		r := &rs[i]
		rows[i] = row{Exchange: r.Exchange, Call: r.Call, Body: r.Of, Where: r.Where, End: r.End, Verdict: string(r.Verdict), Did: r.Did, TookNS: int64(r.Took)}
		if r.Exchange > 0 {
			rows[i].Offset = &r.Offset
		}
		if r.Err != nil {
			rows[i].Error = r.Err.Error()
		}
	}
	return o.write("sweep", rows, []string{"VERDICT", "EXCHANGE", "CALL", "CUT", "WHERE", "EXIT", "CLIENT"}, func(r *row) []string {
		cut, exit := "none", "ok"
		if r.Offset != nil {
			cut = fmt.Sprintf("%d of %d", *r.Offset, r.Body)
		}
		if r.Error != "" {
			exit = r.Error
		}
		return []string{r.Verdict, number(r.Exchange), r.Call, cut, r.Where, exit, r.Did}
	})
}

func (o *outcomes) write(name string, rows []row, header []string, cells func(*row) []string) error {
	switch o.format {
	case "json":
		e := json.NewEncoder(o.w)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"schema": "mcptrace.serve/1", name: rows})
	case "junit":
		return o.junit(name, rows)
	}
	t := tabwriter.NewWriter(o.w, 0, 8, 2, ' ', 0)
	line := func(cs []string) {
		for i, c := range cs {
			if i > 0 {
				io.WriteString(t, "\t")
			}
			io.WriteString(t, oneLine(c))
		}
		io.WriteString(t, "\n")
	}
	line(header)
	for i := range rows {
		line(cells(&rows[i]))
	}
	return t.Flush()
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junit writes the rows as test cases; those fail that --fail-on-verdict names.
func (o *outcomes) junit(name string, rows []row) error {
	var suite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	suite.Name, suite.Tests = "mcptrace serve "+name, len(rows)
	for i := range rows {
		r := &rows[i]
		c := junitCase{Name: oneLine(r.Call), Class: "exchange " + number(r.Exchange), Time: fmt.Sprintf("%.3f", time.Duration(r.TookNS).Seconds())}
		if r.Offset != nil {
			c.Name += fmt.Sprintf(", cut at %d (%s), %s", *r.Offset, r.Where, r.End)
		}
		if o.fails(r) {
			suite.Failures++
			c.Failure = &junitFailure{Message: r.Verdict, Text: oneLine(r.Did + " " + r.Error)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	b, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.w, "%s%s\n", xml.Header, b)
	return err
}

func nanos(d time.Duration) *int64 {
	if d < 0 {
		return nil
	}
	n := int64(d)
	return &n
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func at(where string) string {
	if where == "" {
		return ""
	}
	return ", " + where
}
