package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// listed is an exchange whose messages are not read yet.
type listed struct {
	ex   *capture.Exchange
	conn int64
	size int64 // body bytes of the response
	// damage is what is wrong with its row; nil: nothing. Not even its key can be trusted then.
	damage error
}

// list returns exchanges, and those before it with an error.
func (r *Reader) list(ctx context.Context, rest string, args ...lite.Value) (page []listed, err error) {
	if err = ctx.Err(); err != nil {
		return nil, err
	}
	err = each(r.conn, "SELECT "+columns(exchangeRead)+" FROM exchange "+rest, checked(exchangeRead, func(v *values) error {
		page = append(page, exchangeOf(v))
		return nil
	}), args...)
	return page, err
}

// pageRows is how many exchanges are listed at a time; few of them are in memory whole, see groupOf.
const pageRows = 256

// Exchanges yields the exchanges in order of Seq. Each is the caller's to release.
//
// One that is damaged is yielded as an error that wraps ErrDamaged, and the sequence goes on where the caller does. So is,
// behind the last exchange, each connection that is damaged, whether exchanges belong to it or not. Any other error ends the
// sequence.
func (r *Reader) Exchanges(ctx context.Context) iter.Seq2[*capture.Exchange, error] {
	return func(yield func(*capture.Exchange, error) bool) {
		if !r.yieldExchanges(ctx, yield) {
			return
		}
		for _, id := range slices.Sorted(maps.Keys(r.lost)) {
			if !yield(nil, r.wrap(r.lost[id])) {
				return
			}
		}
	}
}

// yieldExchanges yields the exchanges and reports whether it has come to their end.
func (r *Reader) yieldExchanges(ctx context.Context, yield func(*capture.Exchange, error) bool) bool {
	after := int64(math.MinInt64)
	for {
		page, err := r.list(ctx, "WHERE seq > ? ORDER BY seq LIMIT ?", lite.Int(after), lite.Int(pageRows))
		if !r.yieldPage(ctx, page, yield) {
			return false
		}
		if err != nil {
			yield(nil, r.wrap(err))
			return false
		}
		if len(page) < pageRows {
			return true
		}
		next := lastKey(page)
		if next <= after {
			yield(nil, r.wrap(damaged(errors.New("the exchanges are out of order"))))
			return false
		}
		after = next
	}
}

// lastKey returns the key behind which the next page begins: the last that can be trusted, if any can. What is damaged behind
// that may be met again.
func lastKey(page []listed) int64 {
	for _, l := range slices.Backward(page) {
		if l.damage == nil {
			return l.ex.Seq
		}
	}
	return page[len(page)-1].ex.Seq
}

// yieldPage yields the exchanges of a page and reports whether to go on behind it.
func (r *Reader) yieldPage(ctx context.Context, page []listed, yield func(*capture.Exchange, error) bool) bool {
	most := groupRows
	for len(page) > 0 {
		n, err := r.load(ctx, page[:min(len(page), most)])
		if err = r.wrap(err); err != nil {
			isDamage := errors.Is(err, ErrDamaged)
			if isDamage && most > 1 {
				most = 1 // what is not damaged itself is read
				continue
			}
			if !yield(nil, err) || !isDamage {
				return false
			}
			page = page[1:]
			continue
		}
		for i, l := range page[:n] {
			if !yield(l.ex, nil) {
				release(page[i+1 : n])
				return false
			}
		}
		page = page[n:]
	}
	return true
}

// Exchange returns the n-th exchange, counted from 1 in order of Seq. It is the caller's to release. The error wraps
// ErrNotFound where there are fewer.
func (r *Reader) Exchange(ctx context.Context, n int) (*capture.Exchange, error) {
	if n < 1 {
		return nil, r.wrap(fmt.Errorf("%w: %d", ErrNotFound, n))
	}
	page, err := r.list(ctx, "ORDER BY seq LIMIT 1 OFFSET ?", intOf(n-1))
	if err == nil && len(page) == 0 {
		err = fmt.Errorf("%w: %d", ErrNotFound, n)
	}
	if err != nil {
		return nil, r.wrap(err)
	}
	if _, err = r.load(ctx, page); err != nil {
		return nil, r.wrap(err)
	}
	return page[0].ex, nil
}
