package store

import (
	"encoding/json"
	"time"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

var connectionColumns = []string{"id", "number", "input", "client", "server", "open_at", "last_at", "vantage", "rtt_client_ns", "rtt_server_ns",
	"mid_start", "one_sided", "gaps", "gap_bytes", "retransmitted", "outside_resets", "window_closes", "snaplen_cut", "copies_dropped",
	"also_seen_as", "client_data_ttl", "server_data_ttl", "tls", "row_crc"}

// connectionRow appends the values of connectionColumns to row, but for the checksum.
func connectionRow(row []lite.Value, id int64, c *capture.Conn) []lite.Value {
	var tls lite.Value
	if c.TLS != nil {
		b, _ := json.Marshal(c.TLS) // strings, numbers and booleans always can be
		tls = lite.Text(string(b))
	}
	return append(row, lite.Int(id), intOf(c.ID), intOf(c.Input), lite.Text(address(c.Client)), lite.Text(address(c.Server)), moment(c.Open), moment(c.Last),
		lite.Text(c.Vantage.Kind), intOf(c.Vantage.RTTClient), intOf(c.Vantage.RTTServer),
		flagOf(c.MidStart), flagOf(c.OneSided), intOf(c.Gaps), intOf(c.GapBytes), intOf(c.Retransmitted), intOf(c.OutsideResets),
		intOf(c.WindowCloses), intOf(c.SnaplenCut), intOf(c.CopiesDropped),
		lite.Text(list(c.AlsoSeenAs)), intOf(c.ClientDataTTL), intOf(c.ServerDataTTL), tls)
}

// connectionOf undoes connectionRow.
func connectionOf(v *values) (id int64, c *capture.Conn) {
	id = number[int64](v)
	c = &capture.Conn{ID: number[int64](v), Input: number[int](v), Client: parsed(v, parseAddress), Server: parsed(v, parseAddress),
		Open: v.moment(), Last: v.moment(),
		Vantage:  capture.Vantage{Kind: v.text(), RTTClient: number[time.Duration](v), RTTServer: number[time.Duration](v)},
		MidStart: v.flag(), OneSided: v.flag(), Gaps: number[int32](v), GapBytes: number[int64](v), Retransmitted: number[int32](v),
		OutsideResets: number[int32](v), WindowCloses: number[int32](v), SnaplenCut: number[int32](v), CopiesDropped: number[int32](v),
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

// closingRow appends the values of closingColumns to row, but for the checksum.
func closingRow(row []lite.Value, id int64, n int, c *capture.Closing) []lite.Value {
	return append(row, lite.Int(id), intOf(n), lite.Text(c.By.String()), lite.Text(howName(c.How)), moment(c.At), intOf(c.Packet),
		intOf(c.Offset), intOf(c.TTL), intOf(c.Alert))
}

// closingOf undoes closingRow.
func closingOf(v *values) (id int64, c capture.Closing) {
	id, _ = number[int64](v), number[int](v)
	return id, capture.Closing{By: parsed(v, parseSide), How: parsed(v, parseHow), At: v.moment(), Packet: number[int64](v),
		Offset: number[int64](v), TTL: number[uint8](v), Alert: number[uint8](v)}
}
