package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/replay"
	"mcptrace/replay/serve"
)

// serveFlags are the flags of mcptrace serve.
type serveFlags struct {
	inputFlags
	listen, cut, end, speed, tls, certificate string
	exchange                                  int
	failOn                                    []string
	sweep, everyByte                          bool
	jobs                                      int
	format, output                            string
	patience                                  time.Duration
}

func serveCommand(s *streams) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve INPUT... [-- COMMAND ARG...]",
		Short: "Play the recorded server to a live client",
		Long: `Serve plays recorded responses to whoever connects: same status, header order, chunk boundaries, pauses and ending, or
cut where you like. The first line it prints is the URL. It goes on until it is interrupted and then says what each
client did; with a COMMAND it runs that, with the URL in MCPTRACE_URL and in place of {url} in its arguments, and ends
with it.

With --sweep it runs the COMMAND once per cut: at every event's end and a byte before and after it, at every edge of a
chunk and behind the head.`,
		Example: `  mcptrace serve incident.pcap --exchange 3 --cut after-answer --end rst
  mcptrace serve incident.db --speed 10 -- ./my-client --server {url}
  mcptrace serve incident.pcap --sweep --end rst -j 4 --fail-on-verdict duplicated -- ./my-client {url}`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, command := args, []string(nil)
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				inputs, command = args[:n], args[n:]
			}
			return f.run(cmd.Context(), s, inputs, command)
		},
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:0", "address to listen on")
	fl.IntVar(&f.exchange, "exchange", 0, "the exchange that --cut and --end are for (default: every one with an answer)")
	fl.StringVar(&f.cut, "cut", "", "end the response behind so many body bytes, or: after-answer, before-answer, event:K")
	fl.StringVar(&f.end, "end", "", "how: fin, rst, hold or hold:DURATION (default: as recorded, fin where that was a clean end; of a sweep: fin)")
	fl.StringVar(&f.speed, "speed", "", "play so many times faster, or: max (default 1; of a sweep: max)")
	fl.StringVar(&f.tls, "tls", "auto", "auto (where HTTP/2 was recorded over TLS), on or off")
	fl.StringVar(&f.certificate, "certificate", "", "write the generated certificate to this file, for the client to trust")
	fl.StringSliceVar(&f.failOn, "fail-on-verdict", nil, "exit with 1 if a call ended with one of these verdicts")
	fl.BoolVar(&f.sweep, "sweep", false, "run the command once per cut")
	fl.BoolVar(&f.everyByte, "every-byte", false, "with --sweep: cut behind every byte")
	fl.IntVarP(&f.jobs, "jobs", "j", 1, "with --sweep: commands at once")
	fl.DurationVar(&f.patience, "client-timeout", time.Minute, "end a command that runs for longer")
	fl.StringVar(&f.format, "format", "text", "of the outcome: text, json or junit")
	fl.StringVarP(&f.output, "output", "o", "", "write the outcome to this file")
	complete(cmd, "format", "text", "json", "junit")
	complete(cmd, "end", "fin", "rst", "hold")
	complete(cmd, "cut", "after-answer", "before-answer")
	complete(cmd, "tls", "auto", "on", "off")
	return cmd
}

func (f *serveFlags) run(ctx context.Context, s *streams, inputs, command []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	switch {
	case len(inputs) == 0:
		return usagef("want an INPUT in front of --")
	case f.sweep && len(command) == 0:
		return usagef("--sweep: want a command behind --")
	case f.sweep && f.cut != "":
		return usagef("--sweep chooses the places itself: leave out --cut")
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

// options reads the flags.
func (f *serveFlags) options() (serve.Options, error) {
	o := serve.Options{Listen: f.listen, Speed: 1}
	if f.sweep {
		o.Speed = serve.Max
	}
	switch n, err := strconv.ParseFloat(f.speed, 64); {
	case f.speed == "":
	case f.speed == "max":
		o.Speed = serve.Max
	case err != nil || !(n > 0):
		return o, usagef("--speed %q: want a number above 0, or max", f.speed)
	default:
		o.Speed = n
	}
	switch f.tls {
	case "on", "off":
		on := f.tls == "on"
		o.TLS = &on
	case "auto":
	default:
		return o, usagef("--tls %q: want auto, on or off", f.tls)
	}
	for _, v := range f.failOn {
		if !isVerdict(v) {
			return o, usagef("--fail-on-verdict %q: no such verdict", v)
		}
	}
	if f.format != "text" && f.format != "json" && f.format != "junit" {
		return o, usagef("--format %q: want text, json or junit", f.format)
	}
	if f.cut == "" && f.end == "" {
		return o, nil
	}
	c := serve.Cut{Exchange: f.exchange}
	var err error
	if f.cut != "" {
		if c.At, err = serve.ParsePlace(f.cut); err != nil {
			return o, usageError{err}
		}
	}
	if f.end != "" {
		if c.End, err = serve.ParseEnd(f.end); err != nil {
			return o, usageError{err}
		}
	}
	o.Cuts = []serve.Cut{c}
	return o, nil
}

func isVerdict(v string) bool {
	for _, k := range []replay.Verdict{replay.Settled, replay.Salvaged, replay.Duplicated, replay.Dropped, replay.Reissued, replay.Failed,
		replay.Hung, replay.Resumed, replay.Guessed, replay.Unknown} {
		if v == string(k) {
			return true
		}
	}
	return false
}

// recording reads the inputs. Of a call that was captured on several hops the first is served.
func (f *serveFlags) recording(ctx context.Context, s *streams, inputs []string) (*serve.Recording, error) {
	filter, err := f.filter()
	if err != nil {
		return nil, err
	}
	rec := &serve.Recording{}
	a := analyze.New(analyze.Options{Filter: filter})
	r := &reader{flags: &f.inputFlags, s: s, failed: a.ConnectFailure, out: func(ex *capture.Exchange, rd *capture.Reading) {
		rec.Add(ex, rd)
		a.Add(ex, rd)
	}}
	if err := r.read(ctx, inputs); err != nil {
		return nil, err
	}
	a.Report(r.inputs, r.conns)
	var keep []int
	found := false
	for _, c := range a.Cases() {
		if c.HopOf == nil {
			keep = append(keep, c.ID)
			found = found || c.ID == f.exchange
		}
	}
	rec.Keep(keep)
	switch {
	case len(keep) == 0:
		return nil, hinted{fmt.Errorf("%s: no MCP was found", inputs[0]), "mcptrace analyze says why"}
	case f.exchange != 0 && !found:
		return nil, fmt.Errorf("no exchange %d among the %d that are served", f.exchange, len(keep))
	}
	return rec, nil
}

// runServer serves until it is interrupted, or the command has ended.
func (f *serveFlags) runServer(ctx context.Context, s *streams, rec *serve.Recording, o serve.Options, command []string) error {
	var mu sync.Mutex
	o.Done = func(p serve.Play) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(s.err, playLine(&p))
	}
	srv, err := serve.Start(rec, o)
	if err != nil {
		return err
	}
	defer srv.Close()
	if err := f.writeCertificate(srv); err != nil {
		return err
	}
	fmt.Fprintln(s.out, srv.URL())
	var plays []serve.Play
	if len(command) == 0 {
		<-ctx.Done()
		srv.Close()
		plays = srv.Plays()
	} else {
		err := f.client(s, command, s.err)(ctx, srv)
		plays = srv.Outcome(err == nil)
		srv.Close()
		if err != nil {
			fmt.Fprintf(s.err, "mcptrace: %s: %s\n", command[0], oneLine(err.Error()))
		}
	}
	if err := f.write(s, func(w *outcomes) error { return w.plays(plays) }); err != nil {
		return err
	}
	for _, p := range plays {
		if f.fails(p.Verdict) {
			return errFindings
		}
	}
	return nil
}

func (f *serveFlags) writeCertificate(srv *serve.Server) error {
	pem := srv.Certificate()
	if f.certificate == "" {
		return nil
	}
	if pem == nil {
		return usagef("--certificate: the server does not speak TLS (see --tls)")
	}
	return os.WriteFile(f.certificate, pem, 0o644)
}

func (f *serveFlags) fails(v replay.Verdict) bool {
	for _, x := range f.failOn {
		if v != "" && x == string(v) {
			return true
		}
	}
	return false
}

// playLine says in one line what became of a request.
func playLine(p *serve.Play) string {
	var b strings.Builder
	if p.Number > 0 {
		fmt.Fprintf(&b, "#%d ", p.Number)
	}
	b.WriteString(oneLine(p.Request))
	if p.ID != "" {
		fmt.Fprintf(&b, " (id %s)", oneLine(p.ID))
	}
	fmt.Fprintf(&b, ": %s", oneLine(p.Did))
	return b.String()
}
