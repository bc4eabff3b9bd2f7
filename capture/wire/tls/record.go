package tls

// record deals with one whole record, which stands at off.
func (d *direction) record(b []byte) {
	kind, start, size := b[0], d.off, int64(len(b))
	if !d.sealed(kind) {
		d.off += size
		d.content(kind, b[headerLen:], start, false)
		return
	}
	if d.discarded(b) {
		return
	}
	plain, ok := d.open(b)
	if !ok {
		d.lose(size, d.plainLen(b))
		return
	}
	if d.c.version() == version13 {
		kind, plain = innerPlaintext(plain)
		if d.stage == stageHandshake && !(d.fromClient && d.c.ch.early) {
			d.lost.plain = 0 // before the handshake ended, no application data was sent
		}
	}
	d.tellLost()
	d.off += size
	d.content(kind, plain, start, true)
}

// innerPlaintext takes the padding and the type off the plaintext of a TLS 1.3 record. Type 0 says that there is none.
//
// Source: RFC 8446, section 5.4.
func innerPlaintext(p []byte) (kind byte, content []byte) {
	n := len(p)
	for n > 0 && p[n-1] == 0 {
		n--
	}
	if n == 0 {
		return 0, nil
	}
	return p[n-1], p[:n-1]
}

// content deals with what a record holds. The record took the bytes from start up to off.
func (d *direction) content(kind byte, p []byte, start int64, sealed bool) {
	switch kind {
	case typeChangeCipherSpec:
		if d.c.version() != version13 {
			d.enter(d.stage)
			d.ccs = true
		}
	case typeAlert:
		if len(p) >= 2 {
			d.tellLost()
			d.c.h.Alert(d.fromClient, p[0] == 2, p[1], d.off)
		}
	case typeHandshake:
		d.messages(p, sealed)
	case typeApplication:
		if sealed && len(p) > 0 {
			d.c.h.Plain(d.fromClient, p, start, d.off)
		}
	}
}

// messages deals with the handshake messages that end in p.
func (d *direction) messages(p []byte, sealed bool) {
	if d.handshake.lost && sealed && d.stage == stageApplication {
		d.handshake.reset() // what comes after the handshake fits into a record each
	}
	for {
		kind, body, rest, ok := d.handshake.next(p)
		if !ok {
			return
		}
		if d.c.message(d, kind, body, sealed) {
			return // keys have changed; a message may not span them
		}
		p = rest
	}
}

// discarded reports whether a record is early data that the server threw away, and if so passes over it.
func (d *direction) discarded(record []byte) bool {
	c := d.c
	if !d.fromClient || c.early != earlyRefused && c.early != earlyUnknown || d.stage != stageHandshake || d.opened || c.suite == nil {
		return false
	}
	o := openerFromSecret(c.suite, c.trafficSecret(true, stageEarly))
	if o == nil {
		return false
	}
	if _, ok := o.open(c.room(len(record)), d.earlySeq, record); !ok {
		return false
	}
	d.earlySeq++
	plain := int64(0)
	if c.early == earlyUnknown {
		plain = -1
	}
	d.lose(int64(len(record)), plain)
	return true
}
