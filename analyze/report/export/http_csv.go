package export

import (
	"cmp"
	"encoding/csv"
	"io"
	"net/netip"
	"slices"
	"strconv"

	"mcptrace/capture"
)

// Table lists HTTP exchanges, MCP or not. The zero Table is empty and ready to use.
type Table struct {
	Options Options
	rows    []tableRow
	group   int
}

type tableRow struct {
	group int
	seq   int64
	cells [9]string
}

var tableHeader = []string{"client", "server", "proto", "h2_stream", "request", "status", "body_len", "req_body_len", "complete"}

// Add takes one exchange and keeps its row only. What is no HTTP is left out.
func (t *Table) Add(ex *capture.Exchange) {
	if ex.Proto == "stdio" {
		return
	}
	r := tableRow{group: t.group, seq: ex.Seq}
	c := &r.cells
	c[0], c[1], c[2] = address(ex.Conn.Client), address(ex.Conn.Server), "h1"
	if ex.Proto == "2" {
		c[2], c[3] = "h2", strconv.FormatUint(uint64(ex.Stream), 10)
	}
	if q := ex.Request.Head; q != nil {
		c[4] = cell(q.Method + " " + t.Options.target(q.Method, q.Target))
		c[7] = strconv.FormatInt(ex.Request.BodyLen(), 10)
	}
	if p := ex.Response.Head; p != nil {
		c[5], c[6] = strconv.Itoa(p.Status), strconv.FormatInt(ex.Response.BodyLen(), 10)
		c[8] = strconv.FormatBool(ex.Response.Complete)
	}
	t.rows = append(t.rows, r)
}

// Next begins the exchanges of another source: order counts within one.
func (t *Table) Next() { t.group++ }

// Write writes the table as CSV (RFC 4180), in order of the first request bytes. It returns the writer's error.
func (t *Table) Write(w io.Writer) error {
	slices.SortStableFunc(t.rows, func(a, b tableRow) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.seq, b.seq)) })
	out := csv.NewWriter(w)
	out.Write(tableHeader)
	for i := range t.rows {
		out.Write(t.rows[i].cells[:])
	}
	out.Flush()
	return out.Error()
}

func address(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}
