package store

import (
	"encoding/binary"
	"errors"
	"time"

	"mcptrace/capture"
)

// What Create, Open, Exchange and those who write return, wrapped, for a caller to decide on.
var (
	ErrNotFound = errors.New("no such exchange")
	ErrForeign  = errors.New("not a recording")
	ErrNewer    = errors.New("recording of a newer version")
	ErrDamaged  = errors.New("recording is damaged")
	ErrLocked   = errors.New("another program is using the file")
)

// applicationID marks a recording among SQLite files: "mcpt".
const applicationID = 0x6d637074

const sqliteMagic = "SQLite format 3\x00"

// PrefixLen is how many bytes of a file IsRecording needs.
const PrefixLen = 72

// IsRecording reports whether a file that begins with prefix is a recording: an SQLite file with the application id
// of mcptrace. Less than PrefixLen bytes never are.
//
// Source: SQLite, "Database File Format" section 1.3.
func IsRecording(prefix []byte) bool {
	return len(prefix) >= PrefixLen && string(prefix[:len(sqliteMagic)]) == sqliteMagic &&
		binary.BigEndian.Uint32(prefix[68:]) == applicationID
}

// Meta says where a recording comes from.
type Meta struct {
	Tool        string // version of the program that wrote it
	Created     time.Time
	Source      string // pcap, proxy, stdio
	KeepSecrets bool   // secrets stand in it; Create takes it from Options
}

// Options say how a recording is written.
type Options struct {
	// KeepSecrets writes credentials, cookies and session ids as they were, instead of placeholders.
	KeepSecrets bool
	// Live is for traffic that is recorded while it passes: others may read meanwhile, Flush is cheap, and an exchange
	// may be added again as it goes on.
	Live bool
	// Again says that what is recorded stands elsewhere too and can be recorded again: nothing is forced to the disk before
	// Finish. What was committed survives the end of the program all the same, but not that of the machine.
	Again bool
}

// Input is one source of exchanges, with what could not be read of it.
type Input struct {
	Path, Kind string
	capture.Quality
}

// Hints is what a caller knows of an exchange beyond the HTTP heads, for the columns that people filter on. It is not
// read back. Empty fields are not known.
type Hints struct {
	Method  string // of the JSON-RPC request
	ID      string // its id, as JSON
	Name    string // tool, prompt or resource
	Session string // a label, never the session id
}
