package redact

import (
	"bytes"
	"strings"
)

// maxDepth bounds the nesting whose member names are followed. Deeper values are all replaced.
const maxDepth = 256

// json replaces the values in a JSON text in place. The text may be cut off anywhere, or be no JSON further on.
func (r *Redactor) json(b []byte) {
	w := walker{r: r, b: b}
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			i = w.text(i)
		case c == '-' || '0' <= c && c <= '9':
			i = w.number(i)
		case 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80:
			i = w.word(i)
		default:
			w.mark(c)
			i++
		}
	}
}

// walker goes through a JSON text.
type walker struct {
	r     *Redactor
	b     []byte
	stack []frame
	deep  int // levels beyond maxDepth
}

// frame is an object or array that is open.
type frame struct {
	object, wantKey bool
	key             string // of the member whose value comes or is under way
}

// mark takes a structural character.
func (w *walker) mark(c byte) {
	switch c {
	case '{', '[':
		if len(w.stack) == maxDepth {
			w.deep++
			return
		}
		w.stack = append(w.stack, frame{object: c == '{', wantKey: c == '{'})
	case '}', ']':
		if w.deep > 0 {
			w.deep--
		} else if n := len(w.stack); n > 0 {
			w.stack = w.stack[:n-1]
		}
	case ',':
		if t := w.top(); t != nil && t.object {
			t.wantKey = true
		}
	case ':':
		if t := w.top(); t != nil {
			t.wantKey = false
		}
	}
}

// top returns the innermost frame, nil where there is none or it is too deep to be followed.
func (w *walker) top() *frame {
	if len(w.stack) == 0 || w.deep > 0 {
		return nil
	}
	return &w.stack[len(w.stack)-1]
}

// text takes a string, a member's name or a value, and returns what is behind it.
func (w *walker) text(i int) int {
	end := i + 1
	for end < len(w.b) && w.b[end] != '"' {
		if w.b[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(w.b))
	inside := w.b[i+1 : end]
	if t := w.top(); t != nil && t.wantKey {
		if !identifier(inside) {
			w.r.quoted(inside)
		}
		t.key = string(inside)
	} else if !w.keeps() {
		w.r.quoted(inside)
	}
	return min(end+1, len(w.b))
}

// number takes a number. Its digits are replaced so that it stays a number of its length.
func (w *walker) number(i int) int {
	end := i
	for end < len(w.b) && strings.IndexByte("+-.eE0123456789", w.b[end]) >= 0 {
		end++
	}
	if !w.keeps() {
		w.r.number(w.b[i:end])
	}
	return end
}

// word takes true, false, null, or what is no JSON at all.
func (w *walker) word(i int) int {
	end := i
	for end < len(w.b) && (w.b[end] >= 0x80 || kindOf(rune(w.b[end])) != kept) {
		end++
	}
	end = max(end, i+1)
	for _, known := range []string{"true", "false", "null"} {
		if word := w.b[i:end]; string(word) == known || end == len(w.b) && bytes.HasPrefix([]byte(known), word) {
			return end
		}
	}
	w.r.text(w.b[i:end])
	return end
}

// number replaces the digits of a number but for those of its exponent. It stays a number: a first digit that is not 0
// does not become 0, and one that is stays.
func (r *Redactor) number(b []byte) {
	if i := bytes.IndexAny(b, "eE"); i >= 0 {
		b = b[:i]
	}
	digits := bytes.TrimLeft(b, "-")
	if len(digits) == 0 {
		return
	}
	if lead := digits[0]; '1' <= lead && lead <= '9' {
		digits[0] = '1' + byte(r.leads[lead-'1'])
	}
	r.text(digits[1:])
}

// keeps reports whether the value that comes stands where the protocol puts it, and is kept.
func (w *walker) keeps() bool {
	if w.deep > 0 {
		return false
	}
	var path [6]string
	n := 0
	for i := range w.stack {
		if !w.stack[i].object {
			continue
		}
		if n == len(path) {
			return false
		}
		path[n] = w.stack[i].key
		n++
	}
	return keptPath[strings.Join(path[:n], ">")]
}

// keptPath are the members whose values the protocol, not the user, chooses, or that say who is who. Arrays do not count.
var keptPath = paths(`
	jsonrpc id method error>code
	params>name params>protocolVersion params>requestId params>level params>ref>type params>task>ttl
	params>clientInfo>name params>clientInfo>version
	params>_meta>io.modelcontextprotocol/protocolVersion params>_meta>io.modelcontextprotocol/logLevel params>_meta>traceparent
	params>_meta>io.modelcontextprotocol/subscriptionId
	params>_meta>io.modelcontextprotocol/clientInfo>name params>_meta>io.modelcontextprotocol/clientInfo>version
	result>protocolVersion result>supportedVersions result>resultType result>serverInfo>name result>serverInfo>version
	result>_meta>io.modelcontextprotocol/serverInfo>name result>_meta>io.modelcontextprotocol/serverInfo>version
	result>_meta>io.modelcontextprotocol/subscriptionId
	result>status result>task>status result>ttl result>ttlMs result>pollInterval result>task>ttl result>task>pollInterval
	result>tools>name result>prompts>name result>content>type result>content>mimeType result>cacheScope
	result>tools>inputSchema>type result>tools>inputSchema>properties>type
	params>status params>task>status
	error>data>supported error>data>requested`)

func paths(text string) map[string]bool {
	out := map[string]bool{}
	for _, p := range strings.Fields(text) {
		out[p] = true
	}
	return out
}

// identifier reports whether a member's name looks like one that a program, not a user, chose.
func identifier(name []byte) bool {
	if len(name) == 0 || len(name) > 64 || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	letters, digits := 0, 0
	for _, c := range name {
		switch kindOf(rune(c)) {
		case lower, upper:
			letters++
		case digit:
			digits++
		default:
			if c >= 0x80 || strings.IndexByte("_-./$", c) < 0 {
				return false
			}
		}
	}
	return letters > 0 && digits <= 4
}
