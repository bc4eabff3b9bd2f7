package store

import (
	"database/sql"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestFormatPage: the page describes every table, view and column, and its queries run and find something.
func TestFormatPage(t *testing.T) {
	text, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	exs, conns := odd()
	more, moreConns, _ := traffic(3, 100)
	for i, ex := range more {
		ex.Seq = int64(100 + i)
	}
	more[0].Seq = 0
	for _, c := range moreConns {
		c.Closings = conns[0].Closings[:1]
	}
	path := recordWith(t, append(exs, more...), append(conns, moreConns...), Hints{Method: "tools/call", Name: "t"})
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	rows, err := db.Query("SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type IN ('table', 'view')")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		section, ok := page, strings.Contains(page, "* `"+table+"`:")
		if _, rest, found := strings.Cut(page, "### "+table+"\n"); found {
			section, _, _ = strings.Cut(rest, "\n##")
			ok = true
		}
		if !ok || !strings.Contains(section, "`"+column+"`") {
			t.Errorf("the page does not tell of %s.%s", table, column)
		}
	}
	rows.Close()

	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(queries) < 5 {
		t.Errorf("%d queries", len(queries))
	}
	for _, q := range queries {
		rows, err := db.Query(q[1])
		if err != nil {
			t.Errorf("%s: %v", q[1], err)
			continue
		}
		if !rows.Next() {
			t.Errorf("%s finds nothing", q[1])
		}
		rows.Close()
	}
}

// TestViews: the list shows moments as text, and numbers as --exchange takes them.
func TestViews(t *testing.T) {
	exs, conns := odd()
	db, err := sql.Open("sqlite", recordWith(t, exs, conns, Hints{Name: "t"}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var start, end, tool string
	var seq int64
	err = db.QueryRow(`SELECT start, "end", tool, seq FROM exchange_list WHERE id = 4`).Scan(&start, &end, &tool, &seq)
	if err != nil || start != "2026-09-21T14:13:20.123456789Z" || end != "" || tool != "t" || seq != 4 {
		t.Errorf("%v: %q %q %q %d", err, start, end, tool, seq)
	}
	var bytes, chunks int64
	if err := db.QueryRow("SELECT bytes, chunks FROM chunk_times WHERE seq = 3 AND message = 'response'").Scan(&bytes, &chunks); err != nil || bytes != 320_000 || chunks != 2 {
		t.Errorf("%v: %d bytes, %d chunks", err, bytes, chunks)
	}
	for _, q := range []string{"exchange WHERE start_at > 5", "exchange WHERE status = 200", "exchange WHERE rpc_method = 'a' AND rpc_name = 'b'", "exchange WHERE end_kind = 'rst'", "connection WHERE client = 'a'"} {
		var id, parent, unused int
		var plan string
		if err := db.QueryRow("EXPLAIN QUERY PLAN SELECT * FROM "+q).Scan(&id, &parent, &unused, &plan); err != nil || !strings.Contains(plan, "USING INDEX") {
			t.Errorf("%s: %s %v", q, plan, err)
		}
	}
}
