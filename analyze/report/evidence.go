package report

import (
	"fmt"
	"slices"
	"strings"

	"mcptrace/analyze"
)

// packetsOf returns the packets that show what is said of c: the first of the request, the one that completed the answer,
// and the end. Ascending, each once.
func packetsOf(c *analyze.Case) []int64 {
	out := []int64{c.First, c.Answer().Packet, c.End().Packet}
	if c.End().Packet == 0 {
		out = append(out, c.LastPacket())
	}
	out = slices.DeleteFunc(out, func(n int64) bool { return n == 0 })
	slices.Sort(out)
	return slices.Compact(out)
}

// filterOf returns, for each input, the Wireshark display filter that shows just the packets of cs in it.
func filterOf(a *analyze.Analyzer, cs []*analyze.Case) []evidence {
	by := map[int][]int64{}
	for c := range a.Through(cs) {
		if ps := packetsOf(c); len(ps) > 0 {
			by[c.Conn.Input] = append(by[c.Conn.Input], ps...)
		}
	}
	var out []evidence
	for i, in := range a.Inputs {
		ps := by[i]
		if len(ps) == 0 {
			continue
		}
		slices.Sort(ps)
		ps = slices.Compact(ps)
		e := evidence{Input: in.Path, Packets: ps, Left: max(0, len(ps)-maxPackets)}
		e.Packets = ps[:len(ps)-e.Left]
		out = append(out, e)
	}
	return out
}

// packetsOfStarts says in brackets in which packets exchanges begin, and of which file where there are several; "" where
// there are no packets.
func packetsOfStarts(a *analyze.Analyzer, cs ...*analyze.Case) string {
	var parts []string
	w := writer{a: a}
	file := ""
	for _, c := range cs {
		if c.First == 0 {
			return ""
		}
		of := w.of(w.input(c))
		if n := len(parts); n > 0 && of == file {
			parts[n-1] = strings.TrimSuffix(parts[n-1], of)
		}
		parts, file = append(parts, fmt.Sprint(c.First)+of), of
	}
	return " (packets " + safe(strings.Join(parts, ", ")) + ")"
}

// maxPackets bounds a display filter: Wireshark's field takes no more than some thousand characters.
const maxPackets = 200

// evidence are packets of one input.
type evidence struct {
	Input   string
	Packets []int64
	Left    int
}

// filter returns the display filter that shows just these packets.
func (e evidence) filter() string {
	var b strings.Builder
	b.WriteString("frame.number in {")
	for i, n := range e.Packets {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	b.WriteString("}")
	return b.String()
}

// connFilter returns the display filter that shows the connection of c from its first packet to its last.
func connFilter(c *analyze.Case) string {
	if !c.Conn.Client.IsValid() || !c.Conn.Server.IsValid() {
		return ""
	}
	field := "ip.addr"
	if c.Conn.Client.Addr().Is6() {
		field = "ipv6.addr"
	}
	client, server := c.Conn.Client.Addr().WithZone(""), c.Conn.Server.Addr().WithZone("")
	hosts := fmt.Sprintf("%s == %s", field, client)
	if server != client {
		hosts += fmt.Sprintf(" and %s == %s", field, server)
	}
	return fmt.Sprintf("%s and tcp.port == %d and tcp.port == %d and frame.number >= %d and frame.number <= %d", hosts,
		c.Conn.Client.Port(), c.Conn.Server.Port(), c.First, c.LastPacket())
}

// PacketComments returns what to write on packets of c: what they show of the exchange. Text from the wire in it is
// escaped; arguments and results are not in it.
func PacketComments(c *analyze.Case) func(packet int64) string {
	on := map[int64][]string{}
	add := func(n int64, format string, args ...any) {
		if n > 0 {
			on[n] = append(on[n], safe(fmt.Sprintf(format, args...)))
		}
	}
	add(c.First, "mcptrace: exchange #%d begins: %s", c.ID, clip(c.Name(), 200))
	for _, l := range relations(c) {
		add(c.First, "mcptrace: it %s", l)
	}
	if c.Answer().Level != "none" && c.Answer().Stream == nil {
		add(c.Answer().Packet, "mcptrace: %s", answerWords(c))
	}
	end := endStep(c, 0)
	add(end.Packet, "mcptrace: %s", end.What)
	return func(n int64) string { return strings.Join(on[n], "\n") }
}
