package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mcptrace/capture"
	"mcptrace/store"
)

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "incident.db")

	w, _ := store.Create(path, store.Meta{Source: "stdio"}, store.Options{})
	ex := &capture.Exchange{Conn: &capture.Conn{}, Proto: "stdio", Ending: capture.Ending{Kind: capture.EndClean}}
	ex.Request.Wire.Append([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	w.AddWith(ex, store.Hints{Method: "ping", ID: "1"})
	w.Finish(nil, nil)
	w.Close()

	r, _ := store.Open(path)
	defer r.Close()
	for ex, err := range r.Exchanges(context.Background()) {
		fmt.Println(ex.Request.Wire.Len(), ex.Ending.Kind, err)
		ex.Release()
	}
	// Output: 40 clean <nil>
}
