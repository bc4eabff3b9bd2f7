package store

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"mcptrace/capture"
)

// nullIf returns nil, which SQL takes for NULL, where v is the value that means "not known".
func nullIf[T comparable](v, unknown T) any {
	if v == unknown {
		return nil
	}
	return v
}

func moment(i capture.Instant) any { return nullIf(int64(i), 0) }

func momentOf(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// nanos returns a time since the start of an exchange; -1 means never.
func nanos(d time.Duration) any { return nullIf(int64(d), -1) }

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// blob returns nil for an empty one.
func blob(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

func address(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

func parseAddress(s string) (netip.AddrPort, error) {
	if s == "" {
		return netip.AddrPort{}, nil
	}
	return netip.ParseAddrPort(s)
}

var hows = [...]string{capture.NoEnd: "", capture.FIN: "fin", capture.RST: "rst", capture.CloseNotify: "close-notify", capture.FatalAlert: "fatal-alert"}

func howName(h capture.How) string {
	if int(h) < len(hows) {
		return hows[h]
	}
	return fmt.Sprint(int(h))
}

func parseHow(s string) (capture.How, error) {
	for h, name := range hows {
		if name == s {
			return capture.How(h), nil
		}
	}
	return 0, fmt.Errorf("%q is no way to close", s)
}

func parseSide(s string) (capture.Side, error) {
	switch s {
	case capture.Client.String():
		return capture.Client, nil
	case capture.Server.String():
		return capture.Server, nil
	}
	return 0, fmt.Errorf("%q is no side", s)
}

// list returns a JSON array.
func list(ss []string) string {
	if len(ss) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(ss) // strings always can be
	return string(b)
}

func parseList(s string) ([]string, error) {
	var out []string
	err := json.Unmarshal([]byte(s), &out)
	if len(out) == 0 {
		out = nil
	}
	return out, err
}
