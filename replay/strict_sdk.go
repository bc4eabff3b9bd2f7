package replay

import "time"

// strictSDK is what the models of the TypeScript and of the Go SDK have in common: they read by strict HTTP, and what
// settles the call first is what its caller gets.
type strictSDK struct {
	asked
	http     *strictHTTP
	kind     string // media type of the response
	text     []byte // a body that is no event stream
	overflow bool   // … is longer than what is kept of it
	took     move   // what settled the call
	settled  bool
}

func (c *strictSDK) read(p []byte, at time.Duration) {
	if !c.settled {
		c.http.read(p, at)
	}
}

func (c *strictSDK) pause() {}

// take settles the call for its caller.
func (c *strictSDK) take(kind act, why string) {
	if !c.settled {
		c.took, c.settled = move{kind: kind, at: c.http.now, why: why}, true
	}
}

// streams reports whether the body is read as an event stream.
func (c *strictSDK) streams() bool {
	return c.kind == "text/event-stream" && c.http.head.Status >= 200 && c.http.head.Status < 300
}

// keep adds to the text of a body that is no event stream.
func (c *strictSDK) keep(p []byte) {
	if len(c.text)+len(p) > maxEvent {
		c.overflow = true
		return
	}
	c.text = append(c.text, p...)
}
