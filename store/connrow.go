package store

import (
	"encoding/json"
	"strings"
	"time"

	"mcptrace/capture"
)

// insertInto returns the statement that writes one row, or writes it anew.
func insertInto(table string, columns []string) string {
	return "INSERT OR REPLACE INTO " + table + " (" + strings.Join(columns, ",") + ") VALUES (?" + strings.Repeat(",?", len(columns)-1) + ")"
}

var connectionColumns = []string{"id", "number", "input", "client", "server", "open_at", "last_at", "vantage", "rtt_client_ns", "rtt_server_ns",
	"mid_start", "one_sided", "gaps", "gap_bytes", "retransmitted", "outside_resets", "window_closes", "snaplen_cut", "copies_dropped",
	"also_seen_as", "client_data_ttl", "server_data_ttl", "tls", "row_crc"}

// connectionRow returns the values of connectionColumns, but for the checksum.
func connectionRow(id int64, c *capture.Conn) []any {
	var tls any
	if c.TLS != nil {
		b, _ := json.Marshal(c.TLS) // strings, numbers and booleans always can be
		tls = string(b)
	}
	return []any{id, c.ID, c.Input, address(c.Client), address(c.Server), moment(c.Open), moment(c.Last),
		c.Vantage.Kind, int64(c.Vantage.RTTClient), int64(c.Vantage.RTTServer),
		flag(c.MidStart), flag(c.OneSided), c.Gaps, c.GapBytes, c.Retransmitted, c.OutsideResets, c.WindowCloses, c.SnaplenCut, c.CopiesDropped,
		list(c.AlsoSeenAs), int64(c.ClientDataTTL), int64(c.ServerDataTTL), tls}
}

// connectionOf undoes connectionRow.
func connectionOf(v *values) (id int64, c *capture.Conn) {
	id = number[int64](v)
	c = &capture.Conn{ID: number[int64](v), Input: number[int](v), Client: parsed(v, parseAddress), Server: parsed(v, parseAddress),
		Open: v.moment(), Last: v.moment(),
		Vantage:  capture.Vantage{Kind: v.text(), RTTClient: number[time.Duration](v), RTTServer: number[time.Duration](v)},
		MidStart: v.flag(), OneSided: v.flag(), Gaps: number[int](v), GapBytes: number[int64](v), Retransmitted: number[int](v),
		OutsideResets: number[int](v), WindowCloses: number[int](v), SnaplenCut: number[int](v), CopiesDropped: number[int](v),
		AlsoSeenAs: parsed(v, parseList), ClientDataTTL: number[uint8](v), ServerDataTTL: number[uint8](v)}
	if !v.null() {
		c.TLS = parsed(v, parseTLS)
	}
	return id, c
}

func parseTLS(s string) (*capture.TLSInfo, error) {
	info := new(capture.TLSInfo)
	return info, json.Unmarshal([]byte(s), info)
}

var closingColumns = []string{"connection", "n", "side", "how", "at", "packet", "offset", "ttl", "alert", "row_crc"}

// closingRow returns the values of closingColumns, but for the checksum.
func closingRow(id int64, n int, c *capture.Closing) []any {
	return []any{id, n, c.By.String(), howName(c.How), moment(c.At), c.Packet, c.Offset, int64(c.TTL), int64(c.Alert)}
}

// closingOf undoes closingRow.
func closingOf(v *values) (id int64, c capture.Closing) {
	id, _ = number[int64](v), number[int](v)
	return id, capture.Closing{By: parsed(v, parseSide), How: parsed(v, parseHow), At: v.moment(), Packet: number[int64](v),
		Offset: number[int64](v), TTL: number[uint8](v), Alert: number[uint8](v)}
}
