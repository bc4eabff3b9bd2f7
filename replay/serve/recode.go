package serve

import "mcptrace/capture/wire/coding"

// maxRecoded bounds what a compressed body may unpack to while its ids are replaced.
const maxRecoded = 1 << 30

// recoder unpacks a coded body piece by piece, lets ids be replaced, and packs it again with a flush after each piece:
// what could be read after a recorded piece can be read after its new one.
type recoder struct {
	dec *coding.Decoder
	enc *coding.Encoder
	off int64 // in the decoded body
	es  edits // of the decoded body
}

// newRecoder returns a recoder for a Content-Encoding; first is the body's first byte, which tells two forms of deflate
// apart. Nil where the coding cannot be written.
func newRecoder(encoding string, first byte) *recoder {
	dec, err := coding.New(encoding, maxRecoded)
	if err != nil {
		return nil
	}
	enc, err := coding.NewEncoder(encoding, first)
	if err != nil {
		dec.Close()
		return nil
	}
	return &recoder{dec: dec, enc: enc}
}

// piece returns what stands for the next piece of the body; last: nothing follows it, and the recorded body was whole.
// resolve is called with the offset up to which the decoded body is about to be used.
func (r *recoder) piece(p []byte, last bool, resolve func(to int64)) []byte {
	var plain []byte
	take := func(b []byte) { plain = append(plain, b...) }
	r.dec.Write(p, take)
	if last {
		r.dec.Finish(take)
	}
	from, to := r.off, r.off+int64(len(plain))
	resolve(to)
	live := r.es.render(nil, from, to, func(dst []byte, a, b int64) []byte { return append(dst, plain[a-from:b-from]...) })
	r.es.drop(to)
	r.off = to
	out := r.enc.Write(live)
	if last {
		out = append(out, r.enc.Close()...)
	}
	return out
}

func (r *recoder) close() { r.dec.Close() }
