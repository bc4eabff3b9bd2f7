package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcptrace/capture/source/feed"
	"mcptrace/capture/source/proxy"
	"mcptrace/store"
)

// proxyFlags are the flags of mcptrace record proxy.
type proxyFlags struct {
	upstream, output, host, ca string
	listen                     address
	allowHosts, endpoints      []string
	rotateSize                 size
	rotateAge                  time.Duration
	keep                       int
	keepSecrets, quiet         bool
}

func recordProxyCommand(s *streams) *cobra.Command {
	f := &proxyFlags{}
	cmd := &cobra.Command{
		Use:   "proxy --upstream URL",
		Short: "Record MCP exchanges as a reverse proxy that changes nothing",
		Long: `Record proxy stands between MCP clients and one server, forwards every byte as it comes, passes endings on as
what they were, and records the MCP exchanges with the times at both sides. It listens on this machine only
unless --listen says otherwise. Ctrl-C ends it and prints what mcptrace analyze says of the recording.`,
		Example: `  mcptrace record proxy --upstream http://127.0.0.1:3000
  mcptrace record proxy --upstream https://mcp.example.com --listen 127.0.0.1:8808 -o incident.db
  mcptrace record proxy --upstream http://127.0.0.1:3000 --rotate-size 500M --keep 20 -o mcp.db`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			stayLow()
			return f.run(cmd.Context(), s)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.upstream, "upstream", "", "the server: an http or https URL; the path of requests is left as it is")
	f.listen = "127.0.0.1:8808"
	fl.Var(&f.listen, "listen", "address to listen on")
	fl.StringVarP(&f.output, "output", "o", "", "the recording (default: mcptrace-TIME.db)")
	fl.StringVar(&f.host, "host-header", "auto", "Host towards the server: keep, upstream, a name, or auto (upstream where the server has a name of its own)")
	fl.StringVar(&f.ca, "upstream-ca", "", "PEM file with the certificates to trust for an https server (default: the system's)")
	fl.StringArrayVar(&f.allowHosts, "allow-host", nil, "a name by which clients may call the proxy (* for any); may be repeated")
	fl.StringArrayVar(&f.endpoints, "endpoint", nil, "treat this URL or path as MCP without proof; may be repeated")
	fl.Var(&f.rotateSize, "rotate-size", "begin a new file at this size, such as 500M")
	fl.DurationVar(&f.rotateAge, "rotate-age", 0, "begin a new file after this time, such as 24h")
	fl.IntVar(&f.keep, "keep", 0, "with rotation: how many files to keep (default: all)")
	fl.BoolVar(&f.keepSecrets, "keep-secrets", false, "keep credentials, cookies and session ids as they are")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "show nothing but warnings")
	requireFlag(cmd, "upstream", "name the server: --upstream http://127.0.0.1:3000")
	cmd.MarkFlagFilename("upstream-ca")
	return cmd
}

func (f *proxyFlags) run(ctx context.Context, s *streams) error {
	u, err := url.Parse(f.upstream)
	if err != nil {
		return f.noUpstream(err)
	}
	files, err := f.files()
	if err != nil {
		return usageError{err}
	}
	view := newLiveView(s.err, f.quiet, nil)
	opt := proxy.Options{Upstream: u, AllowHosts: f.allowHosts, Host: hostHeader(f.host, u), Notice: view.notice}
	if opt.TLS, err = trust(f.ca); err != nil {
		return err
	}
	queue := feed.New(0)
	p, err := proxy.New(opt, queue)
	if err != nil {
		return f.noUpstream(err)
	}
	view.stats = p.Stats
	l, err := net.Listen("tcp", string(f.listen))
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.listen, err)
	}
	defer l.Close()
	if u.Path != "" && u.Path != "/" {
		f.endpoints = append(f.endpoints, u.Path)
	}
	rec, err := newLive(files, store.Input{Path: u.String(), Kind: "proxy"}, f.keepSecrets, queue)
	if err != nil {
		return err
	}
	rec.fromHTTP(f.endpoints)
	rec.notify, rec.settled = view.notice, view.exchange
	f.announce(s, l.Addr(), u, files)
	return f.serve(ctx, s, p, l, queue, rec, view)
}

// serve forwards and records until ctx is done.
func (f *proxyFlags) serve(ctx context.Context, s *streams, p *proxy.Proxy, l net.Listener, queue *feed.Feed, rec *live, view *liveView) error {
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		queue.Run(rec, flushEvery, func() { rec.batch(); view.tick() })
	}()
	failure := p.Serve(ctx, l)
	queue.Close()
	<-recorded
	err := rec.close()
	view.done()
	if st := p.Stats(); st.Refused+st.Failed+st.Turned > 0 {
		fmt.Fprintf(s.err, "mcptrace: %d requests refused, %d attempts to reach the upstream failed, %d connections turned away\n", st.Refused, st.Failed, st.Turned)
	}
	fmt.Fprintf(s.err, "mcptrace: %d exchanges recorded in %s\n", rec.total, rec.files.current())
	if err = errors.Join(failure, err); err != nil || f.quiet || rec.total == 0 {
		return err
	}
	if rec.files.bytes() > summaryMost {
		fmt.Fprintf(s.err, "mcptrace: hint: mcptrace analyze %s says what happened\n", strings.Join(rec.files.paths, " "))
		return nil
	}
	return (&analyzeFlags{format: "text", zone: "UTC"}).run(context.WithoutCancel(ctx), s, rec.files.paths)
}

// summaryMost is how much is analysed at the end without being asked for: nobody wants to wait for Ctrl-C.
const summaryMost = 256 << 20

func (f *proxyFlags) announce(s *streams, at net.Addr, u *url.URL, files *recordingFiles) {
	if a, ok := at.(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		fmt.Fprintf(s.err, "mcptrace: warning: %s can be reached from other machines, and through it the upstream\n", at)
	}
	if f.keepSecrets {
		fmt.Fprintln(s.err, "mcptrace: warning: the recording will hold credentials and session ids as they are")
	}
	if !f.quiet {
		fmt.Fprintf(s.err, "mcptrace: recording into %s; clients connect to %s\n", files.current(), clientURL(at, u))
	}
}

// clientURL is where a client on this machine finds the proxy: with the path of the upstream, or a word on it.
func clientURL(at net.Addr, u *url.URL) string {
	if a, ok := at.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		at = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: a.Port}
	}
	if u.Path == "" || u.Path == "/" {
		return fmt.Sprintf("http://%s and the path of the server's endpoint, such as /mcp", at)
	}
	return fmt.Sprintf("http://%s%s", at, u.EscapedPath())
}

// noUpstream says what is wrong with --upstream.
func (f *proxyFlags) noUpstream(err error) error {
	if !strings.Contains(f.upstream, "://") {
		return usageError{hinted{fmt.Errorf("--upstream %q is no URL", f.upstream), "write http://" + f.upstream}}
	}
	return usagef("--upstream %q: %v", f.upstream, err)
}

// leastRotation keeps an empty recording, which has its tables already, from being followed by another at once.
const leastRotation = 1 << 20

// files says where to record.
func (f *proxyFlags) files() (*recordingFiles, error) {
	files := &recordingFiles{base: f.output, size: int64(f.rotateSize), age: f.rotateAge, keep: f.keep}
	if files.base == "" {
		files.base = "mcptrace.db"
		if !files.rotating() {
			files.base = files.next()
		}
	}
	if f.rotateAge < 0 || f.keep < 0 {
		return nil, errors.New("--rotate-age and --keep must not be negative")
	}
	if files.size > 0 && files.size < leastRotation {
		return nil, fmt.Errorf("--rotate-size %s: want at least 1M", f.rotateSize.String())
	}
	if f.keep > 0 && !files.rotating() {
		return nil, errors.New("--keep needs --rotate-size or --rotate-age")
	}
	return files, nil
}

// hostHeader returns what is sent as Host; "": what the client sent. A server that is reached by a name may need it; one
// that is reached by an address has no name to need.
func hostHeader(flag string, u *url.URL) string {
	switch flag {
	case "keep":
		return ""
	case "upstream":
		return u.Host
	case "auto":
		if net.ParseIP(u.Hostname()) != nil || u.Hostname() == "localhost" {
			return ""
		}
		return u.Host
	}
	return flag
}

// trust returns the settings of TLS with the certificates of a PEM file; nil: the system's.
func trust(path string) (*tls.Config, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: no certificate in it", path)
	}
	return &tls.Config{RootCAs: pool}, nil
}
