package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// serveFlags are the flags of mcptrace serve.
type serveFlags struct {
	inputFlags
	listen                            address
	cut, end, speed, tls, certificate string
	exchange                          int
	failOn                            []string
	sweep, everyByte                  bool
	jobs                              int
	format, output                    string
	patience                          time.Duration
}

func serveCommand(s *streams) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve INPUT... [-- COMMAND ARG...]",
		Short: "Play the recorded server to a live client",
		Long: `Serve plays recorded responses to whoever connects: same status, header order, chunk boundaries, pauses and ending, or
cut where you like. A request gets the response to the recorded one with the same method, target, JSON-RPC method and
parameters, with its own id in it; what was not recorded gets a JSON-RPC error.

The first line it prints is the URL. It goes on until it is interrupted and then says what each client did. With a
COMMAND it runs that, with the URL in MCPTRACE_URL and in place of {url} in its arguments, and ends with it. With --sweep
it runs the COMMAND once per cut: at every event's end and a byte before and after it, at every edge of a chunk and
behind the head.`,
		Example: `  mcptrace serve incident.pcap --exchange 3 --cut after-answer --end rst
  mcptrace serve incident.db --speed 10 -- ./my-client --server {url}
  mcptrace serve incident.pcap --cut event:2 --end hold:5s --format json -o outcome.json -- ./my-client {url}
  mcptrace serve incident.pcap --sweep --end rst -j 4 --fail-on-verdict duplicated -- ./my-client {url}`,
		Args: someInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			stayLow()
			inputs, command := args, []string(nil)
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				inputs, command = args[:n], args[n:]
			}
			return f.run(cmd.Context(), s, inputs, command)
		},
	}
	f.register(cmd)
	f.registerServe(cmd)
	return cmd
}

// registerServe adds the flags that are serve's own.
func (f *serveFlags) registerServe(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.MarkHidden("timeout") // of policies: the client here is a real one
	f.listen = "127.0.0.1:0"
	fl.Var(&f.listen, "listen", "`ADDRESS` to listen on; port 0: a free one")
	fl.IntVar(&f.exchange, "exchange", 0, "cut only exchange `N` (default: every one with an answer)")
	fl.StringVar(&f.cut, "cut", "", "end the response at this `PLACE`: behind so many body bytes, or after-answer, before-answer, event:K")
	fl.StringVar(&f.end, "end", "", "with this `ENDING`: fin, rst, hold or hold:DURATION (default: as recorded, fin where that was a clean end; of a sweep: fin)")
	fl.StringVar(&f.speed, "speed", "", "play `X` times faster, or: max (default 1; of a sweep: max)")
	fl.StringVar(&f.tls, "tls", "auto", "auto (where HTTP/2 was recorded over TLS), on or off")
	fl.StringVar(&f.certificate, "certificate", "", "write the generated certificate to this `FILE`, for the client to trust")
	fl.StringSliceVar(&f.failOn, "fail-on-verdict", nil, "exit with 1 if a call ended with one of these `VERDICTS`")
	fl.BoolVar(&f.sweep, "sweep", false, "run the command once per cut")
	fl.BoolVar(&f.everyByte, "every-byte", false, "with --sweep: cut behind every byte")
	fl.IntVarP(&f.jobs, "jobs", "j", 1, "with --sweep: `N` commands at once")
	fl.DurationVar(&f.patience, "client-timeout", time.Minute, "end a command that runs for longer")
	fl.StringVar(&f.format, "format", "text", "of the outcome: text, json or junit")
	fl.StringVarP(&f.output, "output", "o", "", "write the outcome to this `FILE`")
	complete(cmd, "format", "text", "json", "junit")
	complete(cmd, "end", "fin", "rst", "hold")
	complete(cmd, "cut", "after-answer", "before-answer")
	complete(cmd, "tls", "auto", "on", "off")
}

func (f *serveFlags) run(ctx context.Context, s *streams, inputs, command []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if err := f.checkCommand(inputs, command); err != nil {
		return err
	}
	rec, err := f.recording(ctx, s, inputs)
	if err != nil {
		return err
	}
	if f.sweep {
		return f.runSweep(ctx, s, rec, o, command)
	}
	return f.runServer(ctx, s, rec, o, command)
}
