package jsonrpc_test

import (
	"fmt"

	"mcptrace/capture/wire/jsonrpc"
)

func ExamplePrefix() {
	answer := `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`
	for _, n := range []int{12, 23, 24, 33, 40, len(answer)} {
		m, complete, ok := jsonrpc.Prefix([]byte(answer[:n]))
		fmt.Println(n, ok, m.Kind, m.ID, string(m.Result), complete)
	}
	// Output:
	// 12 true invalid   false
	// 23 true invalid   false
	// 24 true invalid 1  false
	// 33 true result 1  false
	// 40 true result 1 {"ok":t false
	// 45 true result 1 {"ok":true} true
}
