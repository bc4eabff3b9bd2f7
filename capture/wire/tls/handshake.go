package tls

import "fmt"

// fate is what became of the client's early data.
type fate uint8

const (
	earlyNone    fate = iota
	earlyOffered      // the server has not said yet
	earlyAccepted
	earlyRefused // the server threw it away; the client sends it again
	earlyUnknown // what the server said is not readable
)

// message deals with one handshake message and reports whether it changed the keys of its own direction.
func (c *Conn) message(d *direction, kind byte, body []byte, sealed bool) bool {
	is13 := c.version() == version13
	switch {
	case kind == msgClientHello && d.fromClient && !(sealed && is13):
		c.clientHello(body)
	case kind == msgServerHello && !d.fromClient && !(sealed && is13):
		c.serverHello(body)
	case kind == msgNewSessionTicket && !d.fromClient && c.haveServer && !is13:
		if ticket := parseTicket(body); len(ticket) > 0 {
			c.keys.remember(sessionByTicket(ticket), c.session)
		}
	case kind == msgClientKeyExchange && d.fromClient && len(body) >= 2+len(c.premaster):
		copy(c.premaster[:], body[2:]) // RSA: two bytes of length, then the encrypted premaster secret
	case !sealed || !is13:
		return false
	case kind == msgEncryptedExtensions && !d.fromClient:
		c.encryptedExtensions(body)
	case kind == msgEndOfEarlyData && d.fromClient && d.stage == stageEarly:
		d.enter(stageHandshake)
		return true
	case kind == msgFinished && d.stage == stageHandshake:
		d.enter(stageApplication)
		c.changed = true
		return true
	case kind == msgKeyUpdate:
		d.update()
		return true
	}
	return false
}

func (c *Conn) clientHello(body []byte) {
	ch, ok := parseClientHello(body)
	if !ok || c.haveClient && c.haveServer && c.version() == version13 {
		return
	}
	if c.early == earlyRefused { // the hello after a HelloRetryRequest no longer offers it, the first one did
		ch.early = true
	} else if ch.early {
		c.early = earlyOffered
	}
	again := c.haveClient
	c.ch, c.haveClient, c.changed = ch, true, true
	c.info.SNI = ch.sni
	c.session = ch.random
	if !again && c.haveServer { // which came first, out of order
		c.resume()
	}
}

func (c *Conn) serverHello(body []byte) {
	sh, ok := parseServerHello(body)
	if !ok || c.haveServer && c.version() == version13 {
		return
	}
	c.sh, c.changed = sh, true
	if sh.isRetry() {
		c.retried = true
		if c.early == earlyOffered {
			c.early = earlyRefused
		}
		return
	}
	c.haveServer = true
	c.suite = suites[sh.suite]
	c.info.Version, c.info.Suite = versionName(sh.version), suiteName(sh.suite)
	if sh.version == version13 {
		c.client.enter(stageHandshake)
		c.server.enter(stageHandshake)
	} else {
		c.info.ALPN = sh.alpn
	}
	c.resume()
	c.h.Hello(c.info)
	if why := c.unsupported(); why != "" {
		c.suite = nil
		c.opaque(why)
	}
}

// resume finds out whether the hellos agreed on an earlier session, and before TLS 1.3 on which.
func (c *Conn) resume() {
	if c.version() == version13 {
		c.info.Resumed = c.sh.preSharedKey
		return
	}
	c.early = earlyNone
	if !c.haveClient {
		return
	}
	id := c.sh.sessionID
	c.info.Resumed = len(id) > 0 && string(id) == string(c.ch.sessionID)
	if !c.info.Resumed {
		if len(id) > 0 {
			c.keys.remember(sessionByID(id), c.session)
		}
		return
	}
	random, ok := c.keys.origin(sessionByTicket(c.ch.ticket))
	if !ok || len(c.ch.ticket) == 0 {
		random, ok = c.keys.origin(sessionByID(id))
	}
	if ok {
		c.session = random
	}
}

// unsupported says what about the connection cannot be read, "" for nothing.
func (c *Conn) unsupported() string {
	v := c.sh.version
	switch {
	case v < version10 || v > version13:
		return versionName(v) + " not supported"
	case c.suite == nil || c.suite.isTLS13() != (v == version13):
		return "suite " + suiteName(c.sh.suite) + " not supported"
	case c.sh.compressed:
		return "record compression not supported"
	}
	return ""
}

// encryptedExtensions learns the protocol and what becomes of early data.
func (c *Conn) encryptedExtensions(body []byte) {
	alpn, early, ok := parseEncryptedExtensions(body)
	if !ok {
		return
	}
	c.changed = true
	if alpn != "" {
		c.info.ALPN = alpn
		c.h.Hello(c.info)
	}
	if c.early == earlyOffered {
		c.early = earlyRefused
		if early {
			c.early = earlyAccepted
			c.client.enter(stageEarly)
		}
	}
}

// trafficSecret returns the first secret of a stage, nil if the key log lacks it.
func (c *Conn) trafficSecret(fromClient bool, s stage) []byte {
	var l label
	switch {
	case s == stageEarly:
		l = labelEarly
	case s == stageHandshake && fromClient:
		l = labelClientHandshake
	case s == stageHandshake:
		l = labelServerHandshake
	case fromClient:
		l = labelClientTraffic
	default:
		l = labelServerTraffic
	}
	return c.keys.secret(l, c.ch.random[:])
}

// master returns the master secret, before TLS 1.3; nil if the key log lacks it.
func (c *Conn) master() []byte {
	if m := c.keys.secret(labelMaster, c.ch.random[:]); m != nil {
		return m
	}
	if m := c.keys.secret(labelMaster, c.session[:]); m != nil {
		return m
	}
	if m := c.premasterSecret(); m != nil && !c.sh.extendedMaster {
		return masterFromPremaster(c.sh.version, c.suite, m, c.ch.random[:], c.sh.random[:])
	}
	return nil
}

func (c *Conn) premasterSecret() []byte {
	if p := c.keys.secret(labelPremaster, c.ch.random[:]); p != nil {
		return p
	}
	return c.keys.secret(labelRSA, c.premaster[:])
}

// noKey says why there is no key.
func (c *Conn) noKey() string {
	switch {
	case c.suite == nil:
		return c.unsupported()
	case c.sh.extendedMaster && c.premasterSecret() != nil:
		return "premaster secret with the extended master secret not supported"
	}
	return fmt.Sprintf("no key for client random %x", c.ch.random)
}

// opener makes the opener a direction is due to use, nil if its secret is not known.
func (c *Conn) opener(d *direction) (opener, []byte) {
	if c.suite == nil || !c.haveClient || !c.haveServer {
		return nil, nil
	}
	if c.version() == version13 {
		secret := c.trafficSecret(d.fromClient, d.stage)
		return openerFromSecret(c.suite, secret), secret
	}
	master := c.master()
	if master == nil {
		return nil, nil
	}
	return openerFromMaster(c.suite, c.sh.version, c.sh.encryptThenMAC, master, c.ch.random[:], c.sh.random[:], d.fromClient), nil
}
