package capture

// Open calls f with each exchange of d that has begun and is not over, oldest first. d must come from Assembly.Connection, or have a
// method Open that does so.
//
// What f gets is a copy that ends open; its bytes are lent for the call. HTTP/2 is left out.
func Open(d Duplex, f func(*Exchange)) {
	switch p := d.(type) {
	case *detector:
		if p.inner != nil {
			Open(p.inner, f)
		}
	case interface{ Open(func(*Exchange)) }:
		p.Open(f)
	case *tlsPair:
		Open(p.inner, f)
	case *h1Pair:
		for _, ex := range p.queue {
			if ex.Ending.Kind == "" {
				c := *ex
				c.Ending = Ending{Kind: EndOpen, At: -1}
				f(&c)
			}
		}
	}
}

// Forget drops the connections that over tells of from Conns, so that a recorder may run for weeks.
func (a *Assembly) Forget(over func(*Conn) bool) {
	kept := a.conns[:0]
	for _, c := range a.conns {
		if !over(c) {
			kept = append(kept, c)
		}
	}
	clear(a.conns[len(kept):])
	a.conns = kept
}
