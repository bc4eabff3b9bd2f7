// Mcptrace says, from a capture of MCP traffic, whether an answer had been delivered when its stream broke.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	hugePages()
	tuneMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
