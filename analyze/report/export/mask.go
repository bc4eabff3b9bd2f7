package export

import (
	"strings"

	"mcptrace/capture/wire/http1"
	"mcptrace/store/secret"
)

// Masker replaces the secrets that names give away, in place and by placeholders of the same length.
type Masker interface {
	Field(name string, value []byte)
	Target(method string, target []byte)
}

// value returns what may be shown of a field's value.
func (o Options) value(f http1.Field) string {
	v := []byte(f.Value)
	if o.Mask != nil {
		o.Mask.Field(f.Name, v)
	}
	if o.Payload || secret.Harmless(f.Name) {
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
