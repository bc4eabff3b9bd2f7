package main

import (
	"os/exec"
	"slices"
	"strconv"

	"mcptrace/replay"
	"mcptrace/replay/serve"
)

// options reads the flags.
func (f *serveFlags) options() (serve.Options, error) {
	o := serve.Options{Listen: string(f.listen), Speed: 1}
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
		if !slices.Contains(serveVerdicts, replay.Verdict(v)) {
			return o, usagef("--fail-on-verdict %q: no such verdict; want one of %v", v, serveVerdicts)
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

// checkCommand checks what the flags ask of the arguments, before a long recording is read.
func (f *serveFlags) checkCommand(inputs, command []string) error {
	switch {
	case len(inputs) == 0:
		return usagef("want an INPUT in front of --")
	case f.sweep && len(command) == 0:
		return usagef("--sweep: want a command behind --")
	case f.sweep && f.cut != "":
		return usagef("--sweep chooses the places itself: leave out --cut")
	case f.sweep && f.jobs < 1:
		return usagef("--jobs %d: want at least 1", f.jobs)
	case f.everyByte && !f.sweep:
		return usagef("--every-byte is for --sweep")
	case len(command) == 0:
		return nil
	}
	_, err := exec.LookPath(command[0])
	return err
}

// serveVerdicts are the words for --fail-on-verdict.
var serveVerdicts = []replay.Verdict{replay.Settled, replay.Salvaged, replay.Duplicated, replay.Dropped, replay.Reissued, replay.Failed,
	replay.Hung, replay.Resumed, replay.Guessed, replay.Unknown, serve.Unrecorded}

// fails reports whether --fail-on-verdict names v.
func (f *serveFlags) fails(v replay.Verdict) bool { return slices.Contains(f.failOn, string(v)) }
