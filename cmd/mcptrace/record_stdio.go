package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
	"mcptrace/capture/source/stdio"
	"mcptrace/store"
)

// childExit ends the program with the exit code of the server that it ran.
type childExit int

// Error implements error.
func (c childExit) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// stdioFlags are the flags of mcptrace record stdio.
type stdioFlags struct {
	output      string
	keepSecrets bool
}

func recordStdioCommand(s *streams) *cobra.Command {
	f := &stdioFlags{}
	cmd := &cobra.Command{
		Use:   "stdio [-o FILE.db] -- COMMAND ARG...",
		Short: "Run a stdio server and record what passes between it and its client",
		Long: `Record stdio runs an MCP server that speaks over standard input and output. Its three streams, the signals it
gets and its exit code are passed on unchanged; both directions are recorded. Put it in front of the command
in the client's configuration.`,
		Example: `  mcptrace record stdio -o incident.db -- npx -y @modelcontextprotocol/server-everything stdio
  mcptrace analyze incident.db`,
		Args: someCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			stayLow()
			return f.run(s, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "the recording (default: COMMAND-TIME.db)")
	cmd.Flags().BoolVar(&f.keepSecrets, "keep-secrets", false, "keep what looks like credentials as it is")
	return cmd
}

// someCommand asks for the command of a server.
func someCommand(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("nothing to run: name the command of the server")
	}
	return nil
}

func (f *stdioFlags) run(s *streams, args []string) error {
	in, isIn := s.in.(*os.File)
	out, isOut := s.out.(*os.File)
	errw, isErr := s.err.(*os.File)
	if !isIn || !isOut || !isErr {
		return errors.New("record stdio needs the streams of a process")
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return fmt.Errorf("cannot run %s: %w", args[0], lookupError(err))
	}
	files := &recordingFiles{base: f.output}
	if f.output == "" {
		files.base = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0])) + ".db"
		files.base = files.next()
		fmt.Fprintf(s.err, "mcptrace: recording into %s\n", files.base)
	}
	queue := feed.New(0)
	rec, err := newLive(files, store.Input{Path: strings.Join(args, " "), Kind: "stdio"}, f.keepSecrets, queue)
	if err != nil {
		return err
	}
	rec.fromStdio()
	rec.notify = func(text string) { fmt.Fprintf(s.err, "mcptrace: warning: %s\n", oneLine(text)) }
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		queue.Run(rec, flushEvery, rec.batch)
	}()
	code, failure := stdio.Run(stdio.Options{Command: args, In: in, Out: out, Err: errw}, queue)
	queue.Close()
	<-recorded
	err = rec.close()
	switch {
	case failure != nil:
		os.Remove(files.current())
		return failure
	case err != nil:
		fmt.Fprintf(s.err, "mcptrace: warning: %s\n", oneLine(err.Error()))
	}
	if code != 0 {
		return childExit(code)
	}
	return nil
}

// lookupError takes the name of the program off an error: the caller names it.
func lookupError(err error) error {
	var ee *exec.Error
	if errors.As(err, &ee) {
		return ee.Err
	}
	return err
}

// readLog reads a log of a conversation over stdio.
func (r *reader) readLog(i int, src source) error {
	asm := &stdio.Assembly{Sink: func(ex *capture.Exchange) {
		ex.Conn.Input = i
		if r.plain != nil {
			ex.Release() // it is no HTTP
			return
		}
		r.spilled(ex)
		r.out(ex, capture.Read(ex))
	}}
	in := src.r
	if in == nil {
		f, err := os.Open(src.path)
		if err != nil {
			return pathError(src.path, err)
		}
		defer f.Close()
		in = f
	}
	q, err := stdio.ReadLog(in, asm)
	q.LimitCuts += asm.Cuts()
	r.inputs[i].Quality = q
	r.conns = append(r.conns, asm.Conns()...)
	if errors.Is(err, stdio.ErrNotLog) {
		return hinted{pathError(src.path, err), wantInput + ", or a log of a stdio conversation"}
	}
	if err != nil {
		return pathError(src.path, err)
	}
	return nil
}
