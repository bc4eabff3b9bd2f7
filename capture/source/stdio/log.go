package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mcptrace/capture"
)

// ErrNotLog tells that no line of an input is a record of a log.
var ErrNotLog = errors.New("not a log of a stdio conversation")

// record is one line of a log: a JSON object with the time in seconds since the Unix epoch, the direction, and the line
// that passed, without its newline.
type record struct {
	TS  json.Number `json:"ts"`
	Dir string      `json:"dir"` // c2s, s2c, stderr, exit
	Raw string      `json:"raw"`
}

// IsLog reports whether an input that begins with head may be a log: it begins with a JSON object, as no capture does.
func IsLog(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 0 && head[0] == '{'
}

func (r *record) known() bool {
	switch r.Dir {
	case "c2s", "s2c", "stderr", "exit":
		return r.TS != ""
	}
	return false
}

// at returns the moment of a record, to the nanosecond where it is written so precisely.
func (r *record) at() (capture.Instant, bool) {
	sec, frac, _ := strings.Cut(string(r.TS), ".")
	if n, err := strconv.ParseInt(sec, 10, 64); err == nil && n >= 0 && n < math.MaxInt64/1_000_000_000 && len(frac) <= 9 && !strings.ContainsAny(frac, "eE") {
		f, err := strconv.ParseInt((frac + "000000000")[:9], 10, 64)
		return capture.Instant(n*1e9 + f), err == nil
	}
	f, err := r.TS.Float64()
	return capture.Instant(f * 1e9), err == nil && f >= 0 && f < math.MaxInt64/1e9
}

// ReadLog reads a log and tells r what it says. What is no record is counted as undecodable.
//
// The error is ErrNotLog (wrapped) where nothing could be read, or that of reading.
func ReadLog(in io.Reader, r capture.Recorder) (capture.Quality, error) {
	var q capture.Quality
	l := logReader{r: r}
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 64<<10), DefaultMaxLine)
	var n int64 // lines
	for sc.Scan() {
		n++
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		q.Packets++
		if !l.record(sc.Bytes(), n, &q) {
			q.UndecodablePackets++
		}
	}
	err := sc.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		q.Notes = append(q.Notes, fmt.Sprintf("line %d is longer than %d MiB: what follows was not read", n+1, DefaultMaxLine>>20))
		q.LimitCuts++
		err = nil
	}
	if l.to != nil {
		l.to.Close(l.last)
	} else if err == nil {
		err = ErrNotLog
	}
	return q, err
}

// logReader plays the records of a log.
type logReader struct {
	r    capture.Recorder
	c    *capture.Conn
	to   capture.Duplex
	off  [2]int64
	last capture.Stamp
}

func (l *logReader) record(text []byte, n int64, q *capture.Quality) bool {
	var r record
	if json.Unmarshal(text, &r) != nil || !r.known() {
		return false
	}
	at, ok := r.at()
	if !ok {
		return false
	}
	if l.to == nil {
		l.c = &capture.Conn{Open: at, Vantage: capture.Vantage{Kind: "stdio"}}
		l.to = l.r.Connection(l.c)
		q.First = at
	}
	at = max(at, l.last.Seen)
	l.c.Last, q.Last = at, at
	l.last = capture.Stamp{Seen: at, At: at, Packet: n}
	switch r.Dir {
	case "c2s":
		l.pass(capture.Client, r.Raw)
	case "s2c":
		l.pass(capture.Server, r.Raw)
	case "exit":
		l.c.Closings = append(l.c.Closings, capture.Closing{By: capture.Server, How: capture.FIN, At: at, Offset: l.off[capture.Server]})
		l.to.End(capture.Server, capture.FIN, l.last)
	}
	return true
}

// pass plays a line that was handed on.
func (l *logReader) pass(from capture.Side, raw string) {
	p := append([]byte(strings.TrimSuffix(raw, "\n")), '\n')
	l.off[from] += int64(len(p))
	l.to.Data(from, p, l.last)
	l.to.Ack(from, l.off[from], false, l.last)
}
