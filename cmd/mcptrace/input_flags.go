package main

import (
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mcptrace/capture/source/pcap"
)

// inputFlags are the flags of every command that reads captures or recordings.
type inputFlags struct {
	keylogs                               []string
	endpoints                             []string
	since, until                          string
	server, client, session, method, tool string
	timeout                               time.Duration
	limits                                limitFlags
}

func (f *inputFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.keylogs, "keylog", nil, "TLS key log (NSS format) that fits the capture; may be repeated")
	fl.StringArrayVar(&f.endpoints, "endpoint", nil, "treat this URL or path as MCP without proof; may be repeated")
	fl.StringVar(&f.since, "since", "", "only exchanges that start at this time or later (RFC 3339; without a zone: UTC)")
	fl.StringVar(&f.until, "until", "", "only exchanges that start at this time or earlier")
	fl.StringVar(&f.server, "server", "", "only exchanges with this server (address, address:port or a part of it)")
	fl.StringVar(&f.client, "client", "", "only exchanges of this client (address, address:port or a part of it)")
	fl.StringVar(&f.session, "session", "", "only exchanges of this session (a label of the report, such as s2)")
	fl.StringVar(&f.method, "method", "", "only calls of this JSON-RPC method")
	fl.StringVar(&f.tool, "tool", "", "only calls of this tool, prompt or resource")
	fl.DurationVar(&f.timeout, "timeout", 0, "how long a policy waits for its answer (default: its product's own; generic: 60s)")
	f.limits.register(cmd)
	cmd.MarkFlagFilename("keylog")
}

// reading returns the flags, with their values, without which another command would find other exchanges in the same inputs.
// Filters are none of them: numbers are those of all exchanges.
func (f *inputFlags) reading() []string {
	var out []string
	for _, k := range f.keylogs {
		out = append(out, "--keylog", k)
	}
	for _, e := range f.endpoints {
		out = append(out, "--endpoint", e)
	}
	return append(out, f.limits.given()...)
}

// limitFlags are the limits of reading that can be set. docs/limits.md lists all limits.
type limitFlags struct {
	connections         int
	outOfOrder, message size
}

func (f *limitFlags) register(cmd *cobra.Command) {
	f.outOfOrder, f.message = pcap.DefaultOutOfOrder, mostBytes
	fl := cmd.Flags()
	fl.IntVar(&f.connections, "max-connections", pcap.DefaultConnections, "connections of a capture that are followed at once")
	fl.Var(&f.outOfOrder, "max-out-of-order", "bytes of one direction of a connection that wait for earlier ones")
	fl.Var(&f.message, "max-message", "bytes that are kept of one HTTP message")
}

// given returns the flags of the limits that are not the usual ones.
func (f *limitFlags) given() []string {
	var out []string
	if f.connections != pcap.DefaultConnections {
		out = append(out, "--max-connections", strconv.Itoa(f.connections))
	}
	if f.outOfOrder != pcap.DefaultOutOfOrder {
		out = append(out, "--max-out-of-order", f.outOfOrder.String())
	}
	if f.message != mostBytes {
		out = append(out, "--max-message", f.message.String())
	}
	return out
}

// leastMessage keeps heads whole: of a request without one nothing can be said.
const leastMessage = 1 << 20

func (f *limitFlags) check() error {
	if f.message != 0 && f.message < leastMessage {
		return usagef("--max-message %s: want at least 1M", f.message.String())
	}
	return nil
}

// pcap returns the limits of the packet reader.
func (f *limitFlags) pcap() pcap.Limits {
	total := max(pcap.DefaultOutOfOrderTotal, int64(f.outOfOrder))
	return pcap.Limits{Connections: f.connections, OutOfOrder: int64(f.outOfOrder), OutOfOrderTotal: total}
}

// size is a number of bytes on the command line, such as 64M.
type size int64

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	n, err := parseSize(text)
	*s = size(n)
	return err
}

// String implements pflag.Value: the number with the largest unit that divides it.
func (s *size) String() string {
	n, unit := int64(*s), ""
	for _, u := range []string{"K", "M", "G", "T"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, u
	}
	return strconv.FormatInt(n, 10) + unit
}

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }

// address is where to listen, HOST:PORT.
type address string

// Set implements pflag.Value.
func (a *address) Set(text string) error {
	_, _, err := net.SplitHostPort(text)
	*a = address(text)
	return err
}

// String implements pflag.Value.
func (a *address) String() string { return string(*a) }

// Type implements pflag.Value.
func (a *address) Type() string { return "address" }
