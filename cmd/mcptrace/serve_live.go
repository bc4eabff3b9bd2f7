package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"mcptrace/analyze"
	"mcptrace/replay/serve"
)

// runServer serves until it is interrupted, or the command has ended.
func (f *serveFlags) runServer(ctx context.Context, s *streams, rec *recording, o serve.Options, command []string) error {
	var mu sync.Mutex
	o.Done = func(p serve.Play) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(s.err, playLine(&p))
	}
	srv, err := serve.Start(rec.Recording, o)
	if errors.Is(err, serve.ErrCut) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	defer srv.Close()
	if err := f.writeCertificate(srv); err != nil {
		return err
	}
	fmt.Fprintln(s.out, srv.URL())
	if len(command) == 0 { // else it is the command's to know
		rec.announce(s)
	}
	plays := f.playedTo(ctx, s, srv, command)
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

// playedTo returns what was played until the command has ended, or, without one, until ctx does.
func (f *serveFlags) playedTo(ctx context.Context, s *streams, srv *serve.Server, command []string) []serve.Play {
	if len(command) == 0 {
		<-ctx.Done()
		srv.Close()
		return srv.Plays()
	}
	err := f.client(s, command, s.err)(ctx, srv)
	plays := srv.Outcome(err == nil)
	srv.Close()
	if err != nil {
		fmt.Fprintf(s.err, "mcptrace: %s: %s\n", command[0], oneLine(err.Error()))
	}
	if len(plays) == 0 {
		hintUnreached(s, command)
	}
	return plays
}

// hintUnreached says how a command that sent no request would find the server.
func hintUnreached(s *streams, command []string) {
	fmt.Fprintf(s.err, "mcptrace: hint: %s sent no request: the URL is in MCPTRACE_URL and in place of {url} in its arguments\n", oneLine(command[0]))
}

// writeCertificate writes the certificate where --certificate says.
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

// playLine says in one line what became of a request.
func playLine(p *serve.Play) string {
	var b strings.Builder
	if p.Number > 0 {
		fmt.Fprintf(&b, "#%d ", p.Number)
	}
	b.WriteString(oneLine(shown(p.Request)))
	if p.ID != "" {
		fmt.Fprintf(&b, " (id %s)", oneLine(p.ID))
	}
	fmt.Fprintf(&b, ": %s", oneLine(p.Did))
	return b.String()
}

// shown hides the values in the target of a request that may be secrets. The target is its second word.
func shown(request string) string {
	method, rest, _ := strings.Cut(request, " ")
	target, message, more := strings.Cut(rest, " ")
	if more {
		message = " " + message
	}
	return method + " " + analyze.MaskTarget(target) + message
}
