package export

import (
	"strings"

	"mcptrace/capture/wire/http1"
)

// Masker replaces the secrets that names give away, in place and by placeholders of the same length.
type Masker interface {
	Field(name string, value []byte)
	Target(method string, target []byte)
}

// telling are the fields whose values say nothing of the user and much of the exchange. The values of all others are
// starred out unless payload is asked for: servers may mirror arguments into headers of any name.
var telling = map[string]bool{
	"accept": true, "accept-encoding": true, "accept-language": true, "age": true, "allow": true, "alt-svc": true, "cache-control": true, "connection": true,
	"content-encoding": true, "content-length": true, "content-type": true, "date": true, "expires": true, "host": true, "keep-alive": true,
	"mcp-method": true, "mcp-protocol-version": true, "pragma": true, "retry-after": true, "server": true, "te": true, "trailer": true,
	"transfer-encoding": true, "upgrade": true, "user-agent": true, "vary": true, "via": true, "x-accel-buffering": true,
}

// value returns what may be shown of a field's value.
func (o Options) value(f http1.Field) string {
	v := []byte(f.Value)
	if o.Mask != nil {
		o.Mask.Field(f.Name, v)
	}
	if o.Payload || telling[strings.ToLower(f.Name)] {
		return string(v)
	}
	return strings.Repeat("*", len(v))
}

// target returns what may be shown of a request's target.
func (o Options) target(method, target string) string {
	if o.Mask == nil {
		return target
	}
	t := []byte(target)
	o.Mask.Target(method, t)
	return string(t)
}

// Options say what may be given away.
type Options struct {
	Mask    Masker // nil: secrets are shown
	Payload bool   // bodies and all header values are shown, masked by Mask
}
