package secret

import (
	"bytes"
	"strings"
)

// Head masks the secrets in text, which holds a head, several, part of one, or a trailer section, in place.
// Known values are masked too, in whatever field they stand.
func (m *Masker) Head(text []byte) {
	name := ""
	for rest := text; len(rest) > 0; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		line = bytes.TrimRight(line, "\r")
		if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			m.Field(name, trim(line)) // a folded line goes on with the field before
			continue
		}
		colon := bytes.IndexByte(line, ':')
		if colon <= 0 || bytes.IndexByte(bytes.TrimRight(line[:colon], " \t"), ' ') >= 0 {
			name = ""
			m.startLine(line)
			continue
		}
		name = m.name(bytes.TrimRight(line[:colon], " \t"))
		m.Field(name, trim(line[colon+1:]))
	}
}

// startLine masks the target of a request line.
func (m *Masker) startLine(line []byte) {
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		target, _, _ := bytes.Cut(line[i+1:], []byte(" "))
		m.Target(string(line[:i]), target)
	}
}

// Field masks the value of the field called name in place. It has no white space around it.
func (m *Masker) Field(name string, value []byte) {
	switch m.kindOf(name) {
	case opaque:
		m.replace(value[schemeLen(value):])
	case authorization:
		if i := bytes.IndexByte(value, ' '); i >= 0 {
			value = bytes.TrimLeft(value[i:], " ")
		}
		m.replace(value)
	case cookie:
		for _, pair := range bytes.Split(value, []byte(";")) {
			m.cookie(pair)
		}
	case setCookie:
		pair, _, _ := bytes.Cut(value, []byte(";"))
		m.cookie(pair)
	case plain:
		m.Query(value, false)
		m.Text(value)
	}
}

// cookie masks the value of name=value, or all where there is no name.
func (m *Masker) cookie(pair []byte) {
	if i := bytes.IndexByte(pair, '='); i >= 0 {
		pair = pair[i+1:]
	}
	pair = trim(pair)
	if n := len(pair); n >= 2 && pair[0] == '"' && pair[n-1] == '"' {
		pair = pair[1 : n-1]
	}
	m.replace(pair)
}

func trim(b []byte) []byte { return bytes.Trim(b, " \t") }

// schemeLen returns the length of the scheme word, blank included, that value begins with.
func schemeLen(value []byte) int {
	for _, s := range []string{"bearer ", "basic ", "token "} {
		if len(value) > len(s) && strings.EqualFold(string(value[:len(s)]), s) {
			return len(s)
		}
	}
	return 0
}

// kind says how a field holds its secret.
type kind uint8

const (
	plain         kind = iota // none but in addresses
	framing                   // none at all: what is needed to read the message
	opaque                    // the whole value
	authorization             // all behind the scheme
	cookie                    // pairs
	setCookie                 // one pair and its attributes
)

// What is remembered of field names, which traffic chooses.
const (
	maxNames = 512
	maxName  = 64 // bytes
)

// namedKind is a field's name and kind.
type namedKind struct {
	name string
	kind kind
}

// name returns text as a string, one that is there already where the name has been met.
func (m *Masker) name(text []byte) string {
	if k, ok := m.kinds[string(text)]; ok {
		return k.name
	}
	return string(text)
}

// kindOf returns the kind of the field called name.
func (m *Masker) kindOf(name string) kind {
	k, ok := m.kinds[name]
	if !ok {
		k = namedKind{strings.Clone(name), kindOf(name)}
		if len(m.kinds) < maxNames && len(name) <= maxName {
			m.kinds[k.name] = k
		}
	}
	return k.kind
}

func kindOf(name string) kind {
	name = strings.ToLower(name)
	switch name {
	case "content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "upgrade":
		return framing
	case "cookie", "cookie2":
		return cookie
	case "set-cookie", "set-cookie2":
		return setCookie
	case "authorization", "proxy-authorization":
		return authorization
	}
	if strings.Contains(name, "ratelimit") || strings.Contains(name, "rate-limit") {
		return plain // counts of tokens
	}
	for _, part := range []string{"token", "secret", "api-key", "apikey", "api_key", "password", "passwd", "session", "authorization", "x-auth", "access-key", "jwt", "csrf", "xsrf"} {
		if strings.Contains(name, part) {
			return opaque
		}
	}
	return plain
}
