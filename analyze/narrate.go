package analyze

import (
	"fmt"

	"mcptrace/capture"
	"mcptrace/capture/wire/http2"
)

// howEnded says in words how the response ended, for a sentence: "was reset by the server (10.0.0.5:80)".
func (c *Case) howEnded() string {
	who := ""
	switch c.End().By {
	case "client":
		who = " by the client"
	case "server":
		who = " by the server"
	}
	switch c.End().Kind {
	case capture.EndClean:
		return "ended in order"
	case capture.EndFIN:
		return "was cut off" + who
	case capture.EndRST:
		return "was reset" + who
	case capture.EndH2RST:
		return fmt.Sprintf("was reset%s (%s)", who, http2.CodeName(c.End().Code))
	case capture.EndGoAway:
		return "was refused by GOAWAY"
	case capture.EndTLSAlert:
		return "was closed" + who + " by a TLS alert"
	case capture.EndCloseDelimited:
		return "ended with the connection"
	case capture.EndNone:
		return map[capture.How]string{capture.RST: "was reset" + who, capture.FatalAlert: "was closed" + who + " by a TLS alert"}[c.End().How] +
			map[bool]string{true: "was closed" + who}[c.End().How != capture.RST && c.End().How != capture.FatalAlert]
	}
	return "was still open when the capture ended"
}

// reached says how far the answer is known to have come: to an address, never to a program.
func (c *Case) reached() string {
	addr := c.Conn.Client.Addr().String()
	if !c.Conn.Client.IsValid() {
		addr = "the client"
	}
	switch {
	case c.Answer().Delivered > 0 && c.Answer().Evidence == Acted:
		return "a later message shows that the client had it"
	case c.Answer().Delivered > 0:
		return "it reached " + addr + ", which may be a proxy"
	case c.Answer().Delivered < 0:
		return "the client had gone by then"
	}
	return "whether it reached " + addr + " is not known"
}
