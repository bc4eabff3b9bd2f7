package tls

// waits reports whether a record of that type must wait for what the other direction has to say.
func (d *direction) waits(kind byte) bool {
	c := d.c
	if !d.sealed(kind) {
		return false
	}
	if !d.greeted() {
		d.breakOff()
		return false
	}
	if !d.fromClient {
		return !d.forced && !c.haveClient && !c.client.broken
	}
	if !c.haveServer {
		return !d.forced && !c.server.broken
	}
	if c.early != earlyOffered {
		return false
	}
	s := &c.server
	if !d.forced && !s.broken && s.stage == stageHandshake && s.slip == 0 {
		return true
	}
	c.early = earlyUnknown
	return false
}

// greeted reports whether the hello of the direction was seen.
func (d *direction) greeted() bool {
	if d.fromClient {
		return d.c.haveClient
	}
	return d.c.haveServer
}

// breakOff notes that a hello not seen by now is not to be expected from the direction.
func (d *direction) breakOff() {
	if d.broken {
		return
	}
	d.broken, d.c.changed = true, true
	switch {
	case d.greeted():
	case d.fromClient:
		d.c.opaque("no ClientHello in the capture")
	default:
		d.c.opaque("no ServerHello in the capture")
	}
}
