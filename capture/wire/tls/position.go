package tls

const (
	// maxSlip is how many sequence numbers ahead a record is looked for after a hole.
	maxSlip = 1 << 16
	// maxTrial is about how many bytes one record may cost in attempts to open it.
	maxTrial = 1 << 22
	// maxHunts is how many records in a row may be looked for in vain.
	maxHunts = 16
)

// stage is the part of a TLS 1.3 connection one traffic secret protects.
type stage uint8

const (
	stageEarly stage = iota
	stageHandshake
	stageApplication
)

// position is the place of a direction in the key schedule and in the sequence of its records.
type position struct {
	stage    stage  // TLS 1.3
	ccs      bool   // before TLS 1.3: records are sealed from here on
	cur      opener // nil while the key is not known
	secret   []byte // TLS 1.3: what cur was made from
	looked   uint64 // generation of the key log that was searched for cur in vain
	barren   uint64 // generation of the key log that was searched for any later secret in vain
	seq      uint64 // number of the next record under cur, at least
	slip     int    // how many numbers further it may be
	hunts    int    // records looked for in vain since one was opened
	opened   bool   // some record was opened
	earlySeq uint64 // number of the next record of early data that nobody read
}

// enter moves to a new stage or a new key, at its first record.
func (d *direction) enter(s stage) {
	d.stage, d.cur, d.secret, d.looked, d.barren, d.seq, d.slip = s, nil, nil, 0, 0, 0, 0
	d.handshake.reset()
}

// slipBy notes that up to n records passed without being opened.
func (d *direction) slipBy(n int64) { d.slip = int(min(int64(d.slip)+n, maxSlip)) }

// sealed reports whether a record of that type is encrypted.
func (d *direction) sealed(kind byte) bool {
	return kind == typeApplication || d.ccs && d.c.version() < version13
}

// open returns the plaintext of a sealed record, good until the next one is opened.
func (d *direction) open(record []byte) (plain []byte, ok bool) {
	room := d.c.room(len(record))
	first := !d.opened && d.slip == 0
	if d.opener() != nil {
		plain, ok = d.cur.open(room, d.seq, record)
	}
	if !ok && d.searched != d.off {
		plain, ok = d.hunt(record)
	}
	if d.cur != nil {
		d.cur.follow(record)
	}
	if !ok {
		d.slipBy(1)
		d.explain(first)
		return nil, false
	}
	d.seq++
	d.slip, d.hunts, d.opened, d.c.info.Readable = 0, 0, true, true
	return plain, true
}

// opener returns the opener of the current stage, looking for its secret if that may be known by now; nil if not.
func (d *direction) opener() opener {
	if d.cur != nil {
		return d.cur
	}
	if gen := d.c.keys.generation(); d.looked != gen {
		d.looked = gen
		d.cur, d.secret = d.c.opener(d)
	}
	return d.cur
}

// hunt looks for the place of a record that is not where it is due. On success the direction has moved there.
func (d *direction) hunt(record []byte) (plain []byte, ok bool) {
	if d.hunts >= maxHunts {
		return nil, false
	}
	tries := maxTrial / (len(record) + 64)
	scan := func(o opener, from uint64) bool {
		room := d.c.room(len(record))
		for i := 0; i <= d.slip && tries > 0; i, tries = i+1, tries-1 {
			if plain, ok = o.open(room, from+uint64(i), record); ok {
				d.seq = from + uint64(i)
				return true
			}
		}
		return false
	}
	if d.opener() != nil && scan(d.cur, d.seq) {
		return plain, true
	}
	later := d.later()
	for _, k := range later {
		if scan(k.opener, 0) {
			at := d.seq
			d.enter(k.stage)
			d.cur, d.secret, d.seq = k.opener, k.secret, at
			return plain, true
		}
	}
	if d.cur != nil || len(later) > 0 {
		d.hunts++
	}
	return nil, false
}

// place is a stage the direction may have come to unseen.
type place struct {
	stage  stage
	secret []byte
	opener opener
}

// later returns the places after the current one, nearest first.
func (d *direction) later() []place {
	gen := d.c.keys.generation()
	if d.c.version() != version13 || d.c.suite == nil || d.barren == gen {
		return nil
	}
	var places []place
	add := func(s stage, secret []byte) {
		if o := openerFromSecret(d.c.suite, secret); o != nil {
			places = append(places, place{s, secret, o})
		}
	}
	for s := d.stage + 1; s <= stageApplication; s++ {
		add(s, d.c.trafficSecret(d.fromClient, s))
	}
	if d.stage == stageApplication && d.secret != nil && d.slip > 0 { // a key update in a hole
		add(stageApplication, nextSecret(d.c.suite.hash, d.secret))
	}
	if len(places) == 0 && d.cur == nil {
		d.barren = gen
	}
	return places
}

// update moves on to the next application traffic secret.
func (d *direction) update() {
	if d.secret == nil || d.stage != stageApplication {
		return
	}
	secret := nextSecret(d.c.suite.hash, d.secret)
	d.enter(stageApplication)
	d.secret, d.cur = secret, openerFromSecret(d.c.suite, secret)
}

// explain tells why a record stayed closed, if that concerns the whole connection. First says that it is the first
// sealed record and stands where it is due.
func (d *direction) explain(first bool) {
	switch c := d.c; {
	case !c.haveClient:
		c.opaque("no ClientHello in the capture")
	case !c.haveServer:
		c.opaque("no ServerHello in the capture")
	case d.cur == nil && d.hunts == 0:
		c.opaque(c.noKey())
	case !d.opened && (first && d.cur != nil || d.hunts >= maxHunts):
		c.opaque("key does not fit")
	}
}

// plainLen returns how many bytes of application data a record holds that stayed closed, -1 if that is not known.
func (d *direction) plainLen(record []byte) int64 {
	s := d.c.suite
	switch {
	case d.c.version() == 0 || d.c.version() == version13 || s == nil:
		return -1
	case record[0] != typeApplication:
		return 0
	case s.overhead() < 0:
		return -1
	}
	return int64(max(0, payloadLen(record)-s.overhead()))
}
