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

// scanner is a row of a result.
type scanner interface{ Scan(...any) error }

// scanConnection undoes connectionRow.
func scanConnection(row scanner) (id int64, c *capture.Conn, err error) {
	c = new(capture.Conn)
	var client, server, also string
	var opened, last *int64
	var rttClient, rttServer int64
	var tls *string
	var sum *int64
	err = row.Scan(&id, &c.ID, &c.Input, &client, &server, &opened, &last, &c.Vantage.Kind, &rttClient, &rttServer,
		&c.MidStart, &c.OneSided, &c.Gaps, &c.GapBytes, &c.Retransmitted, &c.OutsideResets, &c.WindowCloses, &c.SnaplenCut, &c.CopiesDropped,
		&also, &c.ClientDataTTL, &c.ServerDataTTL, &tls, &sum)
	if err != nil {
		return 0, nil, err
	}
	if c.Client, err = parseAddress(client); err != nil {
		return 0, nil, err
	}
	if c.Server, err = parseAddress(server); err != nil {
		return 0, nil, err
	}
	if c.AlsoSeenAs, err = parseList(also); err != nil {
		return 0, nil, err
	}
	if tls != nil {
		c.TLS = new(capture.TLSInfo)
		if err = json.Unmarshal([]byte(*tls), c.TLS); err != nil {
			return 0, nil, err
		}
	}
	c.Open, c.Last = instant(opened), instant(last)
	c.Vantage.RTTClient, c.Vantage.RTTServer = time.Duration(rttClient), time.Duration(rttServer)
	return id, c, checkSum(sum, connectionRow(id, c))
}

var closingColumns = []string{"connection", "n", "side", "how", "at", "packet", "offset", "ttl", "alert", "row_crc"}

// closingRow returns the values of closingColumns, but for the checksum.
func closingRow(id int64, n int, c *capture.Closing) []any {
	return []any{id, n, c.By.String(), howName(c.How), moment(c.At), c.Packet, c.Offset, int64(c.TTL), int64(c.Alert)}
}

// scanClosing undoes closingRow.
func scanClosing(row scanner) (id int64, c capture.Closing, err error) {
	var n int
	var side, how string
	var at, sum *int64
	if err = row.Scan(&id, &n, &side, &how, &at, &c.Packet, &c.Offset, &c.TTL, &c.Alert, &sum); err != nil {
		return 0, c, err
	}
	c.At = instant(at)
	if c.By, err = parseSide(side); err != nil {
		return 0, c, err
	}
	if c.How, err = parseHow(how); err != nil {
		return id, c, err
	}
	return id, c, checkSum(sum, closingRow(id, n, &c))
}
