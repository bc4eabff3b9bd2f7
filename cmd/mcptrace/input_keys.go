package main

import (
	"fmt"
	"os"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/capture/wire/tls"
)

// keyLogs reads the key logs of the command line. Damaged lines are named and left out.
func (r *reader) keyLogs() (*tls.KeyLog, error) {
	keys := tls.NewKeyLog()
	for _, path := range r.flags.keylogs {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, pathError(path, err)
		}
		alone := tls.NewKeyLog()
		damaged := alone.Add(text)
		if len(damaged) > 0 && alone.Len() == 0 {
			return nil, hinted{fmt.Errorf("%s: this is no key log: %w", path, damaged[0]), "want lines such as CLIENT_RANDOM 5f3c... 9b1e... (docs/capturing.md says how to get them)"}
		}
		keys.Add(text)
		for i, l := range damaged {
			if i == 10 {
				fmt.Fprintf(r.s.err, "mcptrace: warning: %s: more damaged lines follow\n", path)
				break
			}
			fmt.Fprintf(r.s.err, "mcptrace: warning: %s, line %d: %s; left out\n", path, l.Line, l.Why)
		}
	}
	return keys, nil
}

// warnKeys says on standard error which TLS connections could not be read although a key log was given.
func (r *reader) warnKeys(conns []*capture.Conn) {
	if len(r.flags.keylogs) == 0 {
		return
	}
	all, opaque, why := 0, 0, ""
	for _, c := range conns {
		if c.TLS == nil {
			continue
		}
		if all++; !c.TLS.Readable {
			if opaque++; opaque == 1 {
				why = c.TLS.Why
			}
		}
	}
	switch {
	case all == 0:
		fmt.Fprintln(r.s.err, "mcptrace: warning: --keylog: there is no TLS in the capture")
	case opaque > 0:
		fmt.Fprintf(r.s.err, "mcptrace: warning: --keylog: %d of %s could not be read; of the first: %s\n", opaque, analyze.Count(all, "TLS connection"), why)
	}
}
