package analyze

import (
	"encoding/hex"
	"regexp"
)

// ArgumentsHash returns what tells the arguments of the call apart without showing them, "" where it has none.
func (c *Case) ArgumentsHash() string {
	if k := c.call(); k != nil && k.ArgsHash != [8]byte{} {
		return hex.EncodeToString(k.ArgsHash[:])
	}
	return ""
}

// IdempotencyHash returns what tells the call's idempotency key apart without showing it, "" where it has none. The key
// may stand among the arguments or in a header; no release of the protocol knows one.
func (c *Case) IdempotencyHash() string {
	key := c.idempotency()
	if key == "" {
		return ""
	}
	h := hash8([]byte(key))
	return hex.EncodeToString(h[:])
}

func (c *Case) idempotency() string {
	if k := c.call(); k != nil && k.Idempotency != "" {
		return k.Idempotency
	}
	return c.Header.Idempotency
}

// Traceparent returns the W3C trace context of the call, from its _meta, else from the HTTP header; "" where there is
// none or it is malformed: then it may hold anything.
func (c *Case) Traceparent() string {
	t := c.Header.Traceparent
	if k := c.call(); k != nil && k.Traceparent != "" {
		t = k.Traceparent
	}
	if !traceparent.MatchString(t) {
		return ""
	}
	return t
}

// Source: W3C Trace Context, traceparent header.
var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
