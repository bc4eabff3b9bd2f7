package tls

// Info is what the hellos of a connection say. A field is empty until it is known.
type Info struct {
	SNI      string // the host name the client asked for
	ALPN     string // the protocol the server chose: "h2", "http/1.1"
	Version  string // "TLS 1.3"
	Suite    string // IANA's name, or the number of a suite without one: "0x1234"
	Resumed  bool   // an earlier session was resumed
	Readable bool   // at least one record was decrypted
}

// Handler receives what a Conn makes of both directions. The calls of one direction come in the order of its bytes,
// and the ranges of Plain and Lost are ascending and disjoint; the two directions may overtake each other by what
// waits for a hello. A handler must not call its Conn.
type Handler interface {
	// Plain takes the application data of one record, which took the ciphertext bytes [start,end) of its direction.
	// p is lent for the call.
	Plain(fromClient bool, p []byte, start, end int64)
	// Lost tells of ciphertext [start,end) that could not be read. It lacks plainLen bytes of application data, -1
	// if their number is not known; it may be 0. Lost comes when the next record has been read, or with Close.
	Lost(fromClient bool, start, end int64, plainLen int64)
	// Alert tells of an alert whose record ends at end. Code 0 is close_notify, which is not fatal.
	Alert(fromClient bool, fatal bool, code uint8, end int64)
	// Hello comes with the ServerHello, and again when more is learnt from what is encrypted.
	Hello(info Info)
	// Opaque tells, once at most, why records of the connection cannot be read. Records may become readable all
	// the same, when a secret is added later or the other direction has one.
	Opaque(why string)
}

// Conn reads the two directions of one TLS connection. It holds a few hundred KB at most, usually a record or
// two. It is not safe for concurrent use.
type Conn struct {
	keys           *KeyLog
	h              Handler
	client, server direction
	info           Info

	ch         clientHello
	sh         serverHello // the HelloRetryRequest until there is a better one
	haveClient bool
	haveServer bool
	retried    bool
	early      fate
	suite      *suite   // nil: not known or not supported
	session    [32]byte // client random of the handshake the session came from
	premaster  [8]byte  // start of the encrypted premaster secret

	changed bool    // one direction learnt what the other may wait for
	isTold  bool    // Opaque was called
	scratch *buffer // plaintext of the record at hand; nil between calls
}

// New returns a Conn that takes its secrets from keys, which may be nil for none, as they are needed: a secret may be
// added until the first record under it passes, or later, at the price of what passed before.
func New(keys *KeyLog, h Handler) *Conn {
	if keys == nil {
		keys = NewKeyLog()
	}
	c := &Conn{keys: keys, h: h}
	c.client = direction{c: c, fromClient: true, searched: -1}
	c.server = direction{c: c, searched: -1}
	return c
}

// Write takes the next ciphertext bytes of a direction; p is not kept. The directions are fed in the order of
// capture; records that need the other side's hello wait for it, up to 64 KiB of them.
func (c *Conn) Write(fromClient bool, p []byte) {
	c.direction(fromClient).write(p)
	c.settle()
	c.freeRoom()
}

// Missing notes that the next n ciphertext bytes of a direction were not captured.
//
// If the hole lies within one record, that record is lost. Otherwise the next record boundary is looked for, and the
// records behind it are read if their sequence numbers can be found.
func (c *Conn) Missing(fromClient bool, n int64) {
	if n > 0 {
		c.direction(fromClient).missing(n)
		c.settle()
		c.freeRoom()
	}
}

// Close ends both directions: what waits is read as far as it can be, and Lost is told of what was passed over. A
// record that is not whole is not Lost, see Unfinished.
func (c *Conn) Close() {
	c.client.forced, c.server.forced, c.changed = true, true, true
	c.settle()
	for _, d := range []*direction{&c.client, &c.server} {
		if d.searching {
			d.lose(int64(len(d.buf)), -1)
			d.free()
		}
		d.tellLost()
		if d.hunts > 0 && !d.opened {
			c.opaque("key does not fit")
		}
	}
	c.freeRoom()
}

// Unfinished returns where the record starts that is not whole yet in a direction, and how many of its bytes came.
// None of them is readable.
func (c *Conn) Unfinished(fromClient bool) (start int64, n int) {
	d := c.direction(fromClient)
	return d.off, len(d.buf)
}

// Info returns what is known of the connection so far.
func (c *Conn) Info() Info { return c.info }

// Sniff reports whether p looks like the start of a connection: a record with a ClientHello or a ServerHello. It
// judges by the bytes that are there, six at most; less than three never match.
func Sniff(p []byte) bool {
	if len(p) < 3 || p[0] != typeHandshake || p[1] != 3 || p[2] > 4 {
		return false
	}
	if len(p) >= headerLen && (payloadLen(p) < 4 || payloadLen(p) > maxPayload) {
		return false
	}
	return len(p) == headerLen || len(p) < headerLen || p[headerLen] == msgClientHello || p[headerLen] == msgServerHello
}

func (c *Conn) direction(fromClient bool) *direction {
	if fromClient {
		return &c.client
	}
	return &c.server
}

// settle lets each direction go on with what the other has learnt.
func (c *Conn) settle() {
	for c.changed {
		c.changed = false
		c.client.drainHeld()
		c.server.drainHeld()
	}
}

// version returns the version agreed on, 0 if it is not known.
func (c *Conn) version() uint16 {
	if c.haveServer || c.retried {
		return c.sh.version
	}
	return 0
}

// opaque tells the handler why records cannot be read, the first time.
func (c *Conn) opaque(why string) {
	if !c.isTold {
		c.isTold = true
		c.h.Opaque(why)
	}
}
