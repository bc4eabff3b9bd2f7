package tls

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"sync"
)

const (
	maxSecrets    = 1 << 20 // lines a KeyLog keeps
	maxLineErrors = 1000    // damaged lines one Add names
)

// label says what a secret is for.
type label uint8

const (
	_ label = iota
	labelMaster
	labelRSA
	labelPremaster
	labelEarly
	labelClientHandshake
	labelServerHandshake
	labelClientTraffic
	labelServerTraffic
)

// format is what a key log line of one label looks like, in bytes before hex encoding.
type format struct {
	label                label
	id                   int
	minSecret, maxSecret int
}

var formats = map[string]format{
	"CLIENT_RANDOM":                   {labelMaster, 32, 48, 48},
	"RSA":                             {labelRSA, 8, 48, 48},
	"PMS_CLIENT_RANDOM":               {labelPremaster, 32, 1, 2048},
	"CLIENT_EARLY_TRAFFIC_SECRET":     {labelEarly, 32, 32, 48},
	"CLIENT_HANDSHAKE_TRAFFIC_SECRET": {labelClientHandshake, 32, 32, 48},
	"SERVER_HANDSHAKE_TRAFFIC_SECRET": {labelServerHandshake, 32, 32, 48},
	"CLIENT_TRAFFIC_SECRET_0":         {labelClientTraffic, 32, 32, 48},
	"SERVER_TRAFFIC_SECRET_0":         {labelServerTraffic, 32, 32, 48},
}

// LineError names a line of a key log that could not be used. It never holds the line's content.
type LineError struct {
	Line int // from 1
	Why  string
}

// Error names the line and what is wrong with it, never what stands in it.
func (e LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// secretID is a label and the client random the secret belongs to (or the start of an encrypted premaster secret).
type secretID struct {
	label label
	id    [32]byte
}

// KeyLog holds the secrets of any number of connections, by client random. It also remembers which TLS 1.2 session a
// session id or ticket names, so that a resumed connection is readable without a line of its own; the connections
// that share sessions must share the KeyLog.
//
// It is safe for concurrent use. Secrets may be added while connections are read.
type KeyLog struct {
	mu       sync.RWMutex
	secrets  map[secretID][]byte
	added    uint64 // grows with every Add that kept a line
	sessions sessionMemory
}

// NewKeyLog returns an empty key log.
func NewKeyLog() *KeyLog {
	return &KeyLog{secrets: map[secretID][]byte{}}
}

// Add reads key log lines, whole ones, from text and keeps their secrets; text itself is not kept.
//
// Blank lines, comments and well-formed lines whose label is of no use here are passed over. A damaged line is named
// in the result, in order and at most 1000 of them, and the rest is kept. A secret given twice is taken from the last line.
//
// Source: "The SSLKEYLOGFILE Format for TLS" (draft-ietf-tls-keylogfile); the older RSA and PMS_CLIENT_RANDOM labels as NSS and Wireshark
// define them.
func (k *KeyLog) Add(text []byte) []LineError {
	k.mu.Lock()
	defer k.mu.Unlock()
	var bad []LineError
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for n := 1; len(text) > 0; n++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		if why := k.addLine(line); why != "" && len(bad) < maxLineErrors {
			bad = append(bad, LineError{n, why})
		}
	}
	k.added++
	return bad
}

// addLine keeps the secret of one line and says what is wrong with it, "" for nothing.
func (k *KeyLog) addLine(line []byte) string {
	fields := bytes.Fields(line)
	if len(fields) == 0 || fields[0][0] == '#' {
		return ""
	}
	if len(fields) != 3 {
		return fmt.Sprintf("%d fields where 3 are due", len(fields))
	}
	f, known := formats[string(fields[0])]
	if !known {
		if !isLabel(fields[0]) {
			return "not a key log label"
		}
		return ""
	}
	id := secretID{label: f.label}
	if len(fields[1]) != 2*f.id {
		return fmt.Sprintf("%s: identifier of %d hex digits where %d are due", fields[0], len(fields[1]), 2*f.id)
	}
	if _, err := hex.Decode(id.id[:], fields[1]); err != nil {
		return fmt.Sprintf("%s: identifier is not hexadecimal", fields[0])
	}
	if len(fields[2]) < 2*f.minSecret || len(fields[2]) > 2*f.maxSecret {
		return fmt.Sprintf("%s: secret of %d hex digits", fields[0], len(fields[2]))
	}
	secret := make([]byte, hex.DecodedLen(len(fields[2])))
	if _, err := hex.Decode(secret, fields[2]); err != nil {
		return fmt.Sprintf("%s: secret is not hexadecimal", fields[0])
	}
	if _, have := k.secrets[id]; !have && len(k.secrets) >= maxSecrets {
		return fmt.Sprintf("more than %d secrets", maxSecrets)
	}
	k.secrets[id] = secret
	return ""
}

// isLabel reports whether b has the form of a label, known or not.
func isLabel(b []byte) bool {
	for _, c := range b {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// Len returns the number of secrets held.
func (k *KeyLog) Len() int {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.secrets)
}

// secret returns the secret of that label, nil if there is none.
func (k *KeyLog) secret(l label, id []byte) []byte {
	s := secretID{label: l}
	copy(s.id[:], id)
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.secrets[s]
}

// generation changes when secrets have been added.
func (k *KeyLog) generation() uint64 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.added
}
