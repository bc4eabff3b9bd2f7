package analyze

import "mcptrace/capture"

var resetFromElsewhere = Rule{
	Code: "reset-from-elsewhere", Severity: Warn,
	Title:  "A reset may come from a device in between",
	Text:   "Its TTL (or hop limit) is not that of the same side's data packets: a firewall, a load balancer or a NAT may have sent it in that side's name.",
	Source: "observation of IP headers",
	Each: func(c *Case, a *Analyzer) []Finding {
		for _, k := range c.Conn.Closings {
			ttl := c.Conn.ServerDataTTL
			if k.By == capture.Client {
				ttl = c.Conn.ClientDataTTL
			}
			if k.How != capture.RST || k.TTL == 0 || ttl == 0 || k.TTL == ttl || k.Packet != c.End().Packet {
				continue
			}
			f := about(c, -1, k.At.Sub(c.Start), "The reset in the %s's name came with TTL %d, its data with TTL %d: it may come from a device in between.", k.By, k.TTL, ttl)
			f.Confidence = "medium"
			return one(f)
		}
		return nil
	},
}
