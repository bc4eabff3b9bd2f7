package secret

import (
	"bytes"
	"strings"
)

// minSession is the length from which a value may name a session: what is shorter could be guessed.
const minSession = 16

// Target masks the secrets in the target of a request, in place. Of a POST every value that may name a session is one:
// servers of HTTP+SSE choose the parameter's name freely.
func (m *Masker) Target(method string, target []byte) {
	m.Query(target, method == "POST")
	m.Text(target)
}

// Query masks, in place, the query parameters in text whose names say that they are secrets, and passwords in front of a
// host. all: every value long enough to name a session, whatever its own name.
//
// A parameter is name=value behind one of ? & # ; the value ends at the next of these, at white space, or at what
// delimits an address in text.
func (m *Masker) Query(text []byte, all bool) {
	m.userinfo(text)
	for i := 0; i < len(text); {
		k := bytes.IndexByte(text[i:], '=')
		if k < 0 {
			return
		}
		eq := i + k
		start := eq
		for start > i && isName(text[start-1]) {
			start--
		}
		i = eq + 1
		if start == 0 || strings.IndexByte("?&#;", text[start-1]) < 0 {
			continue
		}
		end := i
		for end < len(text) && strings.IndexByte("&#; \t\r\n\"'<>,", text[end]) < 0 {
			end++
		}
		if secretParam(string(text[start:eq])) || all && mayNameSession(string(text[i:end])) {
			m.replace(text[i:end])
		}
		i = end
	}
}

// userinfo masks the password of scheme://user:password@host.
func (m *Masker) userinfo(text []byte) {
	for {
		i := bytes.Index(text, []byte("://"))
		if i < 0 {
			return
		}
		text = text[i+3:]
		authority := text
		if end := bytes.IndexAny(text, "/?# \t\"'<>,"); end >= 0 {
			authority = text[:end]
		}
		if at := bytes.LastIndexByte(authority, '@'); at >= 0 {
			if colon := bytes.IndexByte(authority[:at], ':'); colon >= 0 {
				m.replace(authority[colon+1 : at])
			}
		}
	}
}

func isName(c byte) bool { return isWord(c) || strings.IndexByte("-_.~%[]", c) >= 0 }

// Parameter reports whether the value of a query parameter may be a secret: by its name, or because it looks like what
// servers name sessions with.
func Parameter(name, value string) bool { return secretParam(name) || mayNameSession(value) }

// mayNameSession reports whether a value may name a session: it is long enough and not made of short words in lower case.
func mayNameSession(value string) bool {
	if len(value) < minSession {
		return false
	}
	for _, w := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("-_./+", r) }) {
		if len(w) > 12 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
			return true
		}
	}
	return false
}

func secretParam(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "key", "code", "auth", "sig", "sid", "pwd", "access_key", "accesskey":
		return true
	}
	for _, part := range []string{"token", "secret", "session", "password", "passwd", "apikey", "api_key", "api-key", "jwt", "signature", "credential", "authorization"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
