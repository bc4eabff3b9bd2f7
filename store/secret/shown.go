package secret

import "strings"

// shown are the fields whose values say nothing of the user and much of the exchange. Servers may mirror arguments into
// fields of any name, so this is a list of what is harmless, not of what is not.
var shown = map[string]bool{
	"accept": true, "accept-encoding": true, "accept-language": true, "age": true, "allow": true, "alt-svc": true, "cache-control": true, "connection": true,
	"content-encoding": true, "content-length": true, "content-type": true, "date": true, "expires": true, "host": true, "keep-alive": true,
	"mcp-method": true, "mcp-protocol-version": true, "pragma": true, "retry-after": true, "server": true, "te": true, "traceparent": true, "trailer": true,
	"transfer-encoding": true, "upgrade": true, "user-agent": true, "vary": true, "via": true, "x-accel-buffering": true,
}

// Harmless reports whether the value of the field called name may be shown to anyone.
func Harmless(name string) bool { return shown[strings.ToLower(name)] }
