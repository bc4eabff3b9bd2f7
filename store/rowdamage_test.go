package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// talks returns n exchanges with seq 0 and on, each on a connection of its own, which the recording numbers from 1.
func talks(n int) ([]*capture.Exchange, []*capture.Conn) {
	a, exs := gather()
	for id := range n {
		k := newTalk(a, int64(id))
		k.post("/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
		k.answer("", `{"jsonrpc":"2.0","id":1,"result":{}}`)
		k.Closings = []capture.Closing{{By: capture.Client, How: capture.FIN, TTL: 64}}
		k.duplex.Close(k.stamp())
	}
	return *exs, a.Conns()
}

// change executes a statement in a recording.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// readBad returns the seqs that a damaged recording gives back, and its errors, all of which must be of damage.
func readBad(t *testing.T, path string) (good []int64, bad []string) {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for ex, err := range r.Exchanges(context.Background()) {
		if err == nil {
			good = append(good, ex.Seq)
			ex.Release()
			continue
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("not ErrDamaged: %v", err)
		}
		_, what, _ := strings.Cut(err.Error(), path+": ")
		bad = append(bad, what)
	}
	return good, bad
}

// TestRowSums: the checksums are those of earlier versions, whose recordings stay readable.
func TestRowSums(t *testing.T) {
	exs, conns := odd()
	db, err := sql.Open("sqlite", recordAll(t, Options{KeepSecrets: true}, exs, conns))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for table, want := range map[string]int64{"connection": 8994174614, "closing": 11618628530, "exchange": 10901631189, "message": 21011103753} {
		var got int64
		if err := db.QueryRow("SELECT sum(row_crc) FROM " + table).Scan(&got); err != nil || got != want {
			t.Errorf("%s: the checksums add up to %d, not %d (%v)", table, got, want, err)
		}
	}
}

// TestOddNames: what a handshake told need not be UTF-8, and the recording is whole nevertheless.
func TestOddNames(t *testing.T) {
	exs, conns := talks(1)
	conns[0].TLS = &capture.TLSInfo{SNI: "a\xffb\x00", ALPN: "\xc3\x28<>", Readable: true}
	conns[0].AlsoSeenAs = []string{"\xfe \u2028"}
	if good, bad := readBad(t, recordAll(t, Options{}, exs, conns)); len(good) != 1 || bad != nil {
		t.Errorf("%d exchanges, errors %q", len(good), bad)
	}
}

// TestRowDamage: a value that was changed costs what it belongs to, is said, and costs nothing else.
func TestRowDamage(t *testing.T) {
	const row = "recording is damaged: the checksum of a row does not fit"
	exs, conns := talks(40)
	conns = append(conns, &capture.Conn{TLS: &capture.TLSInfo{Why: "no keys"}})
	for _, test := range []struct {
		statement string
		bad       []string
	}{
		{"UPDATE exchange SET unprocessed = 4 WHERE seq = 20", []string{"exchange with seq 20: " + row}},
		{"UPDATE exchange SET stream = -1 WHERE seq = 20", []string{"exchange with seq 20: " + row}},
		{"UPDATE exchange SET end_how = 'x' WHERE seq = 20", []string{"exchange with seq 20: " + row}},
		{"UPDATE exchange SET connection = 77 WHERE seq = 20", []string{"exchange with seq 20: " + row}},
		{"UPDATE exchange SET seq = 1000000 WHERE seq = 20", []string{"exchange with seq 1000000: " + row}},
		{"UPDATE message SET complete = 3 WHERE id = 40", []string{"exchange with seq 20: recording is damaged: what the client sent: the checksum of a row does not fit"}},
		{"UPDATE message SET chunk_index = NULL WHERE id = 41", []string{"exchange with seq 20: recording is damaged: what the server sent: the checksum does not fit"}},
		{"UPDATE message SET bytes = 1 << 62 WHERE id IN (40, 41)", []string{"exchange with seq 20: recording is damaged: what the client sent: the checksum does not fit"}},
		{"UPDATE message SET id = 9999 WHERE id = 41", []string{"exchange with seq 20: recording is damaged: a message is missing"}},
		{"UPDATE block SET n = 5 WHERE message = 41", []string{"exchange with seq 20: recording is damaged: a block is missing"}},
		{"UPDATE connection SET mid_start = 3 WHERE id = 21", []string{
			"exchange with seq 20: recording is damaged: connection 21: the checksum of a row does not fit",
			"recording is damaged: connection 21: the checksum of a row does not fit"}},
		{"UPDATE closing SET ttl = 9 WHERE connection = 21", []string{
			"exchange with seq 20: recording is damaged: connection 21: its closing: the checksum of a row does not fit",
			"recording is damaged: connection 21: its closing: the checksum of a row does not fit"}},
		{"UPDATE connection SET client = 'x' WHERE id = 41", []string{"recording is damaged: connection 41: the checksum of a row does not fit"}},
		{"UPDATE closing SET connection = 99 WHERE connection = 21", []string{"recording is damaged: connection 99: its closing: the checksum of a row does not fit"}},
		{"DELETE FROM connection WHERE id = 21", []string{"exchange with seq 20: recording is damaged: connection 21 is missing"}},
		{"UPDATE recording SET keep_secrets = 3", nil},
		// a row of an older version, whose values must do without a checksum
		{"UPDATE exchange SET row_crc = NULL, unprocessed = 4 WHERE seq = 20", []string{"exchange with seq 20: recording is damaged: a value is none that its column may have"}},
		{"UPDATE exchange SET row_crc = NULL WHERE seq = 20", nil},
	} {
		t.Run(test.statement, func(t *testing.T) {
			path := recordAll(t, Options{}, exs, conns)
			change(t, path, test.statement)
			good, bad := readBad(t, path)
			if !slices.Equal(bad, test.bad) {
				t.Errorf("errors %q\ninstead of %q", bad, test.bad)
			}
			lost := 0
			for _, b := range test.bad {
				if strings.HasPrefix(b, "exchange ") {
					lost++
				}
			}
			if len(good) != len(exs)-lost {
				t.Errorf("%d exchanges were read, %d are lost", len(good), lost)
			}
		})
	}
}

// TestWrongTypes: a flipped bit can make any value of a row one of another type, though the table is strict.
func TestWrongTypes(t *testing.T) {
	wrong := []lite.Value{{}, lite.Int(-1), {Kind: lite.KindFloat}, lite.Text("x"), lite.Blob([]byte("x"))}
	for name, columns := range map[string][]string{"connection": connectionColumns, "closing": closingColumns, "exchange": exchangeRead,
		"message": messageRead, "input": inputColumns, "connect_failure": failureColumns} {
		scan := map[string]func(*values){
			"connection": func(v *values) { connectionOf(v) }, "closing": func(v *values) { closingOf(v) },
			"exchange": func(v *values) { exchangeOf(v) }, "message": func(v *values) { messageOf(v) },
			"input": func(v *values) { inputOf(v) }, "connect_failure": func(v *values) { failureOf(v) },
		}[name]
		for _, value := range wrong {
			row := slices.Repeat([]lite.Value{value}, len(columns))
			err := checked(columns, func(v *values) error {
				scan(v)
				if len(v.left) != 0 {
					t.Errorf("%s: %d values were not taken", name, len(v.left))
				}
				return v.err
			})(row)
			if err == nil {
				t.Errorf("%s: nothing is wrong with a row of %+v", name, value)
			}
		}
	}
}

// TestFlippedKey: an exchange whose key is not what it was, where a page of them ends, hides none of those behind it.
func TestFlippedKey(t *testing.T) {
	for _, flip := range []byte{1 << 6, 1 << 0} { // far ahead; back among those that were read
		exs, conns, _ := traffic(pageRows+40, 10)
		file := fileBytes(t, recordAll(t, Options{}, exs, conns))
		// a key of two bytes, the length of the row's header, and NULL for the key among the values
		const last = pageRows - 1
		key := []byte{0x80 | last>>7, last & 0x7f, byte(len(exchangeColumns)) + 1, 0}
		if bytes.Count(file, key) != 1 {
			t.Fatalf("the key stands in %d places", bytes.Count(file, key))
		}
		file[bytes.Index(file, key)] ^= flip
		good, bad := readBad(t, write(t, file))
		if len(good) != len(exs)-1 || len(bad) == 0 {
			t.Errorf("flip %d: %d of %d were read, errors %q", flip, len(good), len(exs), bad)
		}
	}
}

// TestDamagedPage: what stands in a page that SQLite refuses is lost, and what stands before and behind it is read.
func TestDamagedPage(t *testing.T) {
	exs, conns, _ := traffic(60, 3<<10)
	exs[30].Response.Wire.Append([]byte("N33DLE"))
	file := fileBytes(t, recordAll(t, Options{KeepSecrets: true}, exs, conns))
	const page = 16384
	file[bytes.Index(file, []byte("N33DLE"))/page*page] = 0 // no kind of page
	good, bad := readBad(t, write(t, file))
	if len(bad) == 0 || len(good)+len(bad) != len(exs) || good[0] != 0 || good[len(good)-1] != int64(len(exs)-1) {
		t.Errorf("%d exchanges, of %d: %d\nerrors %q", len(good), len(exs), good, bad)
	}
}

// TestLargeRequests: bytes of requests count too where exchanges are read several at a time.
func TestLargeRequests(t *testing.T) {
	sized := func(sizes ...int64) (records []messageRecord) {
		for _, n := range sizes {
			records = append(records, messageRecord{there: true, bytes: n})
		}
		return records
	}
	for _, test := range []struct {
		records []messageRecord
		want    int
	}{
		{sized(1, 1, 1, 1), 2},
		{sized(groupBytes, 1), 1},
		{sized(1<<62, 1<<62, 1, 1), 1},
		{sized(1, 1, groupBytes, 1, 1, 1), 1},
		{sized(1, 1, 1, groupBytes-3, 1, 1), 2},
		{sized(-1<<62, -1<<62, groupBytes, 1), 1},
		{make([]messageRecord, 4), 2},
	} {
		if got := fitting(test.records); got != test.want {
			t.Errorf("%v: %d fit, not %d", test.records, got, test.want)
		}
	}

	a, exs := gather()
	k := newTalk(a, 1)
	for i := range 12 {
		k.post("/mcp", "", fmt.Sprintf(`{"id":%d,"text":"%s"}`, i, strings.Repeat("x", groupBytes/3)))
		k.answer("", "{}")
	}
	k.duplex.Close(k.stamp())
	sameExchanges(t, readAll(t, recordAll(t, Options{}, *exs, a.Conns())), *exs)
}
