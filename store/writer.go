package store

import (
	"errors"
	"fmt"
	"hash/maphash"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// commitBytes is how many bytes of messages one transaction takes.
const commitBytes = 64 << 20

// Writer writes one recording. It is not safe for concurrent use; what it is handed must not change during a call.
//
// After an error of the file all further calls return it. What was committed before stays good.
type Writer struct {
	path  string
	live  bool
	again bool // see Options

	conn *lite.Conn

	indexes []string // those to make at the end

	exchanges, messages, blocks, connections, closings, inputs, failures *table

	disguise disguise // of one exchange after the other
	wire     wire     // of one message after the other
	packing  []byte   // packed columns of one message after the other

	conns writtenConns
	hash  maphash.Hash   // of connections
	open  map[int64]bool // live: exchanges that were open when they were added

	begun   bool  // a transaction is open
	pending int64 // bytes in it
	done    bool
	err     error
}

// Add writes ex, which is not kept. Exchanges may come in any order. See AddWith.
func (w *Writer) Add(ex *capture.Exchange) error { return w.AddWith(ex, Hints{}) }

// AddWith writes ex, which is not kept, and what the caller knows of it. Exchanges may come in any order, each once; in
// a Live recording one that was still open (EndOpen) may be added again, and replaces what was written of it.
//
// It is not committed yet: see Flush. An error of reading the exchange's bytes leaves it out and is no error of the file.
func (w *Writer) AddWith(ex *capture.Exchange, h Hints) error {
	if err := w.usable(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return w.fail(err)
	}
	if w.open[ex.Seq] {
		if err := w.remove(ex.Seq); err != nil {
			return w.fail(err)
		}
	}
	d := &w.disguise
	d.begin(ex)
	for side, m := range []*capture.Message{&ex.Request, &ex.Response} {
		if err := w.message(ex, m, capture.Side(side), d); err != nil {
			return err
		}
	}
	t := w.exchanges
	if err := t.add(exchangeRow(t.row, &t.summer, ex, w.conns.id(ex.Conn), h, d)); err != nil {
		return w.fail(err)
	}
	if w.live && ex.Ending.Kind == capture.EndOpen {
		w.open[ex.Seq] = true
	}
	if w.pending >= commitBytes {
		return w.Flush()
	}
	return nil
}

// message writes one message and its blocks.
func (w *Writer) message(ex *capture.Exchange, m *capture.Message, from capture.Side, d *disguise) error {
	id := messageID(ex.Seq, from)
	patches := d.request
	if from == capture.Server {
		patches = d.response
	}
	w.wire.begin(m, patches, d.mask)
	var failed error
	err := w.wire.blocks(func(n int, p []byte) error {
		w.pending += int64(len(p))
		failed = w.blocks.add(append(w.blocks.row, lite.Int(id), intOf(n), lite.Blob(p)))
		return failed
	})
	switch {
	case failed != nil:
		return w.fail(failed)
	case err != nil:
		if failed = w.remove(ex.Seq); failed != nil {
			return w.fail(failed)
		}
		return fmt.Errorf("leave out exchange %d: %w", ex.Seq, err)
	}
	t := w.messages
	p := w.pack(ex, m, from)
	return w.fail(t.add(messageRow(t.row, &t.summer, id, m, &p, w.wire.crc)))
}

// pack makes the packed columns of a message. They are lent.
func (w *Writer) pack(ex *capture.Exchange, m *capture.Message, from capture.Side) (p packed) {
	if m.Head != nil && !sameHead(m.Head, reparse(m, from, methodOf(ex))) {
		p.head = packHead(w.disguise.head(m.Head))
	}
	b := packSpans(reused(w.packing), m.Body)
	body := len(b)
	b = packSpans(b, m.Holes)
	holes := len(b)
	b = packAcks(b, m.Acks)
	acks := len(b)
	b = packChunks(b, m.Chunks)
	p.body, p.holes, p.acks, p.chunks = b[:body], b[body:holes], b[holes:acks], b[acks:]
	w.packing = b
	return p
}

// remove takes back what was written of an exchange.
func (w *Writer) remove(seq int64) error {
	a, b := messageID(seq, capture.Client), messageID(seq, capture.Server)
	delete(w.open, seq)
	return w.conn.Exec(fmt.Sprintf("DELETE FROM block WHERE message IN (%d, %d); DELETE FROM message WHERE id IN (%[1]d, %d); DELETE FROM exchange WHERE seq = %d", a, b, seq))
}

// ConnectFailure writes an attempt to connect that carried nothing.
func (w *Writer) ConnectFailure(f capture.ConnectFailure) error {
	if err := w.usable(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return w.fail(err)
	}
	return w.fail(w.failures.add(failureRow(f)))
}

// Flush commits what was added: from then on it survives a crash. A bulk import need not call it.
func (w *Writer) Flush() error {
	if err := w.usable(); err != nil {
		return err
	}
	return w.fail(w.commit())
}

// Forgone returns how many secrets were masked where their names gave them away but are not looked for elsewhere, because
// too many are known already.
func (w *Writer) Forgone() int {
	if w.disguise.mask == nil {
		return 0
	}
	return w.disguise.mask.Forgone()
}

// Finish writes the inputs and the connections as they are now, and marks the recording as done. Of conns those that no
// exchange belongs to are left out, unless they are TLS that could not be read.
func (w *Writer) Finish(inputs []Input, conns []*capture.Conn) error {
	if err := w.usable(); err != nil {
		return err
	}
	if err := w.settle(); err != nil {
		return w.fail(err)
	}
	if err := w.begin(); err != nil {
		return w.fail(err)
	}
	for _, c := range conns {
		if w.conns.wanted(c) {
			w.conns.id(c)
		}
	}
	for i := range inputs {
		if err := w.inputs.add(inputRow(i, &inputs[i])); err != nil {
			return w.fail(err)
		}
	}
	if err := w.conn.Exec("UPDATE recording SET state = 'done'"); err != nil {
		return w.fail(err)
	}
	if err := w.makeIndexes(); err != nil {
		return w.fail(err)
	}
	if err := w.commit(); err != nil {
		return w.fail(err)
	}
	w.done = true
	return nil
}

// settle sees to it that the next commit forces to the disk all that was written.
func (w *Writer) settle() error {
	if !w.again {
		return nil
	}
	if err := w.commit(); err != nil {
		return err
	}
	return w.conn.Exec("PRAGMA synchronous = NORMAL")
}

// Close commits what was added and closes the file. Without Finish the recording stays marked as running: it was cut off.
func (w *Writer) Close() error {
	if w.conn == nil {
		return nil
	}
	err := w.err
	if err == nil {
		err = w.fail(w.commit())
	}
	if w.live && err == nil {
		// A recording at rest is one file. It stays as it is where somebody is reading it.
		w.conn.Exec("PRAGMA journal_mode = DELETE")
	}
	if e := w.shut(); err == nil && e != nil {
		err = fmt.Errorf("close recording %s: %w", w.path, plainError(e))
	}
	return err
}

// shut gives the database back.
func (w *Writer) shut() error {
	if w.conn == nil {
		return nil
	}
	err := w.conn.Close()
	w.conn = nil
	return err
}

var errClosed = errors.New("recording is closed")

func (w *Writer) usable() error {
	switch {
	case w.err != nil:
		return w.err
	case w.conn == nil || w.done:
		return errClosed
	}
	return nil
}

// fail makes err the error of the Writer and gives up the open transaction.
func (w *Writer) fail(err error) error {
	if err == nil {
		return nil
	}
	w.err = fmt.Errorf("write recording %s: %w", w.path, plainError(err))
	w.conn.Exec("ROLLBACK") // SQLite may have done so already
	return w.err
}

func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	err := w.conn.Exec("BEGIN IMMEDIATE")
	w.begun = err == nil
	return err
}

// commit writes the connections that have changed and ends the transaction.
func (w *Writer) commit() error {
	if !w.begun {
		return nil
	}
	if err := w.flushConns(); err != nil {
		return err
	}
	if err := w.conn.Exec("COMMIT"); err != nil {
		return err
	}
	w.begun, w.pending = false, 0
	return nil
}
