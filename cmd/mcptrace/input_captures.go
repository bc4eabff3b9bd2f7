package main

import (
	"context"
	"errors"
	"fmt"

	"mcptrace/capture"
	"mcptrace/capture/source/pcap"
)

// mostFailures bounds the failed attempts to connect that are kept of captures: a scan makes any number of them.
const mostFailures = 1 << 16

func (r *reader) readCaptures(ctx context.Context, sources []source, at []int) error {
	keys, err := r.keyLogs()
	if err != nil {
		return err
	}
	var ins []pcap.Input
	for _, i := range at {
		ins = append(ins, pcap.Input{Path: sources[i].path, R: sources[i].r, Idle: r.idle})
	}
	rec := &capture.Recognizer{Out: r.out, Endpoints: r.flags.endpoints, RequestsOnly: r.requests}
	sink := rec.Add
	if r.plain != nil {
		sink = r.plain
	}
	failures := 0
	asm := &capture.Assembly{Keys: keys, MaxMessage: int64(r.flags.limits.message),
		Sink: func(ex *capture.Exchange) {
			r.spilled(ex)
			sink(ex)
		},
		Failed: func(f capture.ConnectFailure) {
			if failures++; failures <= mostFailures {
				r.failed(f)
			}
		}}
	bar := newProgress(r.s.err)
	qs, err := pcap.Read(ctx, ins, asm, pcap.Options{Limits: r.flags.limits.pcap(), Progress: bar.update})
	bar.done()
	if err != nil && !errors.Is(err, context.Canceled) {
		return notACapture(err)
	}
	rec.Close()
	for k, i := range at {
		if k < len(qs) {
			r.inputs[i].Quality = qs[k]
			r.looked = r.looked || qs[k].Packets > 0
		}
	}
	for _, c := range asm.Conns() {
		if c.Input < len(at) {
			c.Input = at[c.Input]
		}
		r.countOpaque(c)
	}
	r.conns = append(r.conns, asm.Conns()...)
	r.warnKeys(asm.Conns())
	other, _ := rec.Other()
	q := &r.inputs[at[0]].Quality
	q.NonMCPExchanges += other
	q.LimitCuts += asm.Cuts() + rec.Cuts() + max(0, failures-mostFailures)
	for _, l := range asm.DamagedSecrets() {
		q.Notes = append(q.Notes, fmt.Sprintf("decryption secrets in the capture, line %d: %s", l.Line, l.Why))
	}
	r.warnDamage(at)
	return nil
}

// wantInput is the hint about a file that is no input.
const wantInput = "want a capture (pcap or pcapng, also gzip or zstd of it) or a recording made by mcptrace record"

// notACapture adds what to do about a file that cannot be read.
func notACapture(err error) error {
	var fe *pcap.FormatError
	if errors.As(err, &fe) {
		return hinted{err, wantInput}
	}
	return err
}

// countOpaque counts a TLS connection that could not be read. What else a connection says of the quality of its input
// the source has counted.
func (r *reader) countOpaque(c *capture.Conn) {
	if c.TLS != nil && !c.TLS.Readable {
		r.inputs[c.Input].Quality.TLSOpaqueConnections++
	}
}

// warnDamage says on standard error what could not be read of a damaged input: one line each.
func (r *reader) warnDamage(at []int) {
	for _, i := range at {
		if in := &r.inputs[i]; in.Quality.TruncatedInput {
			fmt.Fprintf(r.s.err, "mcptrace: warning: %s: cut short after byte %d; %d packets were read\n", in.Path, in.Quality.TruncatedAt, in.Quality.Packets)
		}
	}
}
