package store

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// integer is what is kept as an integer.
type integer interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint8
}

func intOf[T integer](n T) lite.Value { return lite.Int(int64(n)) }

// textOr returns s, or NULL where it is empty.
func textOr[T ~string](s T) lite.Value {
	if s == "" {
		return lite.Value{}
	}
	return lite.Text(string(s))
}

// moment returns i, or NULL where it is not known.
func moment(i capture.Instant) lite.Value {
	if i == 0 {
		return lite.Value{}
	}
	return intOf(i)
}

// nanos returns a time since the start of an exchange; -1 means never.
func nanos(d time.Duration) lite.Value {
	if d == -1 {
		return lite.Value{}
	}
	return intOf(d)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func flagOf(b bool) lite.Value { return lite.Int(flag(b)) }

// blob returns NULL for an empty one.
func blob(b []byte) lite.Value {
	if len(b) == 0 {
		return lite.Value{}
	}
	return lite.Blob(b)
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
