package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/capture/source/pcap"
	"mcptrace/capture/source/stdio"
	"mcptrace/capture/wire/tls"
	"mcptrace/store"
)

// inputFlags are the flags of every command that reads captures or recordings.
type inputFlags struct {
	keylogs                               []string
	endpoints                             []string
	since, until                          string
	server, client, session, method, tool string
	timeout                               time.Duration
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
	cmd.MarkFlagFilename("keylog")
}

// reader reads all inputs of a command.
type reader struct {
	flags *inputFlags
	s     *streams
	// out receives the exchanges of MCP endpoints and owns them.
	out    func(*capture.Exchange, *capture.Reading)
	failed func(capture.ConnectFailure)
	// plain receives every HTTP exchange instead, MCP or not. May be nil.
	plain func(*capture.Exchange)

	inputs []analyze.Input
	conns  []*capture.Conn
}

// source is one input with what it was found to be.
type source struct {
	path string
	kind string
	r    io.Reader // standard input, already looked into
}

// read reads the inputs: the captures among them as one capture, then each recording and each log.
func (r *reader) read(ctx context.Context, paths []string) error {
	var captures, recordings, logs []int
	var sources []source
	for i, p := range paths {
		src, err := r.sniff(p)
		if err != nil {
			return err
		}
		sources = append(sources, src)
		r.inputs = append(r.inputs, analyze.Input{Path: p, Kind: src.kind})
		switch src.kind {
		case "recording":
			recordings = append(recordings, i)
		case "stdio":
			logs = append(logs, i)
		default:
			captures = append(captures, i)
		}
	}
	if len(captures) > 0 {
		if err := r.readCaptures(ctx, sources, captures); err != nil {
			return err
		}
	}
	for _, i := range recordings {
		if err := r.readRecording(ctx, i); err != nil {
			return err
		}
	}
	for _, i := range logs {
		if err := r.readLog(i, sources[i]); err != nil {
			return err
		}
	}
	return nil
}

// sniff tells captures and recordings apart by what stands in them.
func (r *reader) sniff(path string) (source, error) {
	if path == "-" {
		b := bufio.NewReaderSize(r.s.in, 4096)
		head, err := b.Peek(4)
		if len(head) == 0 && err != nil {
			return source{}, errors.New("standard input: empty")
		}
		return source{path: "standard input", kind: captureKind(head), r: b}, nil
	}
	st, err := os.Stat(path)
	if err != nil {
		return source{}, pathError(path, err)
	}
	if st.IsDir() {
		return source{}, hinted{fmt.Errorf("%s: is a directory", path), "name the capture files in it: mcptrace analyze " + path + "/*.pcap"}
	}
	f, err := os.Open(path)
	if err != nil {
		return source{}, pathError(path, err)
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	head = head[:n]
	if n == 0 && err != io.EOF {
		return source{}, pathError(path, err)
	}
	if store.IsRecording(head) || bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return source{path: path, kind: "recording"}, nil
	}
	return source{path: path, kind: captureKind(head)}, nil
}

func captureKind(head []byte) string {
	if bytes.HasPrefix(head, []byte{0x0a, 0x0d, 0x0d, 0x0a}) {
		return "pcapng"
	}
	if stdio.IsLog(head) {
		return "stdio"
	}
	return "pcap"
}

// pathError says in one line what is wrong with a path.
func pathError(path string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (r *reader) readCaptures(ctx context.Context, sources []source, at []int) error {
	keys, err := r.keyLogs()
	if err != nil {
		return err
	}
	var ins []pcap.Input
	for _, i := range at {
		ins = append(ins, pcap.Input{Path: sources[i].path, R: sources[i].r})
	}
	rec := &capture.Recognizer{Out: r.out, Endpoints: r.flags.endpoints}
	asm := &capture.Assembly{Keys: keys, Failed: r.failed, Sink: rec.Add}
	if r.plain != nil {
		asm.Sink = r.plain
	}
	bar := newProgress(r.s.err)
	qs, err := pcap.Read(ctx, ins, asm, pcap.Options{Progress: bar.update})
	bar.done()
	if err != nil && !errors.Is(err, context.Canceled) {
		return notACapture(err)
	}
	rec.Close()
	for k, i := range at {
		if k < len(qs) {
			r.inputs[i].Quality = qs[k]
		}
	}
	for _, c := range asm.Conns() {
		if c.Input < len(at) {
			c.Input = at[c.Input]
		}
		r.countOpaque(c)
	}
	r.conns = append(r.conns, asm.Conns()...)
	other, _ := rec.Other()
	q := &r.inputs[at[0]].Quality
	q.NonMCPExchanges += other
	q.LimitCuts += asm.Cuts()
	for _, l := range asm.DamagedSecrets() {
		q.Notes = append(q.Notes, fmt.Sprintf("decryption secrets in the capture, line %d: %s", l.Line, l.Why))
	}
	r.warnDamage(at)
	return nil
}

// notACapture adds what to do about a file that cannot be read.
func notACapture(err error) error {
	var fe *pcap.FormatError
	if errors.As(err, &fe) {
		return hinted{err, "want a capture (pcap or pcapng, also gzip or zstd of it) or a recording made by mcptrace record"}
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

// keyLogs reads the key logs of the command line. Damaged lines are named and left out.
func (r *reader) keyLogs() (*tls.KeyLog, error) {
	keys := tls.NewKeyLog()
	for _, path := range r.flags.keylogs {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, pathError(path, err)
		}
		for i, l := range keys.Add(text) {
			if i == 10 {
				fmt.Fprintf(r.s.err, "mcptrace: warning: %s: more damaged lines follow\n", path)
				break
			}
			fmt.Fprintf(r.s.err, "mcptrace: warning: %s, line %d: %s; left out\n", path, l.Line, l.Why)
		}
	}
	return keys, nil
}

func (r *reader) readRecording(ctx context.Context, i int) error {
	db, err := store.Open(r.inputs[i].Path)
	if err != nil {
		return err
	}
	defer db.Close()
	q := &r.inputs[i].Quality
	for _, in := range db.Inputs() {
		q.Add(in.Quality)
	}
	if db.Unfinished() {
		q.Notes = append(q.Notes, "the recording was not finished: it holds what was written until then")
		fmt.Fprintf(r.s.err, "mcptrace: warning: %s: the recording was not finished; it holds what was written until then\n", r.inputs[i].Path)
	}
	conns, err := db.Conns()
	if err != nil {
		return err
	}
	for _, c := range conns {
		c.Input = i
	}
	r.conns = append(r.conns, conns...)
	failures, err := db.Failures()
	if err != nil {
		return err
	}
	for _, f := range failures {
		r.failed(f)
	}
	for ex, err := range db.Exchanges(ctx) {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.plain != nil {
			r.plain(ex)
			continue
		}
		r.out(ex, capture.Read(ex))
	}
	return nil
}
