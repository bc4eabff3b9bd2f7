package main

import (
	"fmt"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
	"mcptrace/capture/source/stdio"
	"mcptrace/store"
)

const (
	flushEvery = 500 * time.Millisecond // what a crash costs at most
	retryEvery = 30 * time.Second       // after a failure of the file
	mostBytes  = 1 << 30                // kept of one message
)

// live records traffic while it passes. Unless said otherwise its methods are called from the recorder's goroutine.
type live struct {
	files  *recordingFiles
	meta   store.Meta
	opt    store.Options
	input  store.Input // how the traffic is named in the recording
	notify func(string)
	// settled is told of each exchange once it is over, before it is written. May be nil.
	settled func(*capture.Exchange, *capture.Reading)

	asm   assembly
	rec   *capture.Recognizer
	feed  *feed.Feed
	conns map[*capture.Conn]*liveConn // those that are not over
	over  []*capture.Conn             // those that are, which are known still; oldest first
	known map[capture.Endpoint]bool   // endpoints that proved to be MCP
	gaps  int                         // places where the feed had no room

	w        *store.Writer // nil: the file failed
	failure  error
	retry    time.Time
	flushed  time.Time
	marks    map[int64]openMark // by Exchange.Seq, of those written while open
	recorded int                // exchanges in this file
	total    int                // exchanges recorded
	dropped  int                // exchanges that no file could take
	told     counts             // what earlier files have told of already
}

// counts are what a file tells of the time it covers.
type counts struct {
	other, cuts, dropped, gaps int
	lost                       feed.Lost
}

// assembly turns what the feed hands on into exchanges.
type assembly interface {
	capture.Recorder
	Conns() []*capture.Conn
	Cuts() int
	Forget(over func(*capture.Conn) bool)
}

// newLive begins the first file. The caller sets asm before anything is recorded.
func newLive(files *recordingFiles, input store.Input, keepSecrets bool, f *feed.Feed) (*live, error) {
	l := &live{files: files, input: input, opt: store.Options{Live: true, KeepSecrets: keepSecrets}, feed: f, notify: func(string) {},
		meta: store.Meta{Tool: "mcptrace " + versionText(), Source: input.Kind}, rec: &capture.Recognizer{},
		conns: map[*capture.Conn]*liveConn{}, known: map[capture.Endpoint]bool{}}
	return l, l.begin(files.first())
}

// fromHTTP has HTTP connections recorded, as far as they carry MCP.
func (l *live) fromHTTP(endpoints []string) {
	l.rec = &capture.Recognizer{Out: l.add, Endpoints: endpoints, Trusted: true}
	l.asm = &capture.Assembly{Sink: l.rec.Add, Failed: l.fails, MaxMessage: mostBytes}
}

// fromStdio has conversations over stdio recorded.
func (l *live) fromStdio() {
	l.asm = &stdio.Assembly{Sink: func(ex *capture.Exchange) { l.add(ex, capture.Read(ex)) }}
}

// begin makes a file.
func (l *live) begin(path string) error {
	l.meta.Created = time.Now().UTC()
	w, err := store.Create(path, l.meta, l.opt)
	if err != nil {
		return err
	}
	l.files.made(path)
	l.w, l.recorded, l.marks = w, 0, map[int64]openMark{}
	l.input.First = capture.Instant(l.meta.Created.UnixNano())
	return nil
}

// ConnectFailure implements capture.Recorder.
func (l *live) ConnectFailure(f capture.ConnectFailure) { l.asm.ConnectFailure(f) }

// Secrets implements capture.Recorder.
func (l *live) Secrets(keylog []byte) { l.asm.Secrets(keylog) }

func (l *live) fails(f capture.ConnectFailure) {
	if l.w != nil {
		l.check(l.w.ConnectFailure(f))
	}
}

// add writes an exchange that is over.
func (l *live) add(ex *capture.Exchange, rd *capture.Reading) {
	defer ex.Release()
	if len(l.known) < mostKnown {
		l.known[capture.EndpointOf(ex)] = true
	}
	delete(l.marks, ex.Seq)
	if l.settled != nil {
		l.settled(ex, rd)
	}
	if l.w == nil {
		l.dropped++
		return
	}
	l.check(l.w.AddWith(ex, hints(rd)))
	if l.w == nil {
		l.dropped++
		return
	}
	l.recorded++
	l.total++
}

// batch is called after each run of what the feed hands on, and at least every flushEvery.
func (l *live) batch() {
	now := time.Now()
	if now.Sub(l.flushed) < flushEvery {
		return
	}
	l.flushed = now
	l.letGo()
	if l.w == nil {
		if now.After(l.retry) {
			l.resume(now)
		}
		return
	}
	if !l.files.rotating() {
		l.addOpen(now)
	}
	if l.w != nil {
		l.check(l.w.Flush())
	}
	if l.w != nil && l.recorded > 0 && l.files.due(now, l.meta.Created) {
		l.next()
	}
}

// next ends this file and begins another.
func (l *live) next() {
	if err := l.finish(); err != nil {
		l.check(err)
		return
	}
	l.w = nil
	if err := l.begin(l.files.next()); err != nil {
		l.stopped(err)
		return
	}
	for _, path := range l.files.expire() {
		l.notify("removed the recording " + path + " (--keep)")
	}
}

// finish completes the file with what is known of the connections.
func (l *live) finish() error {
	in := l.input
	in.Last = capture.Instant(time.Now().UnixNano())
	in.Quality = l.quality(in.Quality)
	err := l.w.Finish([]store.Input{in}, l.asm.Conns())
	if e := l.w.Close(); err == nil {
		err = e
	}
	l.asm.Forget(func(c *capture.Conn) bool { return l.conns[c] == nil })
	l.over = nil
	return err
}

// quality says what this file lacks.
func (l *live) quality(q capture.Quality) capture.Quality {
	other, _ := l.rec.Other()
	now := counts{other, l.asm.Cuts() + l.rec.Cuts(), l.dropped, l.gaps, l.feed.Lost()}
	q.NonMCPExchanges = now.other - l.told.other
	q.LimitCuts = now.cuts - l.told.cuts
	q.GapBytes = now.lost.Bytes - l.told.lost.Bytes
	q.TCPGaps = now.gaps - l.told.gaps
	if n := now.lost.Bytes - l.told.lost.Bytes; n > 0 {
		q.Notes = append(q.Notes, fmt.Sprintf("the recorder could not follow the traffic: %d bytes were forwarded and not kept", n))
	}
	if n := now.lost.Connections - l.told.lost.Connections; n > 0 {
		q.Notes = append(q.Notes, fmt.Sprintf("the recorder could not follow the traffic: %d connections were forwarded and not kept", n))
	}
	if n := now.dropped - l.told.dropped; n > 0 {
		q.Notes = append(q.Notes, fmt.Sprintf("%d exchanges before this file were not recorded: %v", n, l.failure))
	}
	l.told = now
	return q
}

// check stops recording, but not the traffic, where err says that the file cannot be written any more.
func (l *live) check(err error) {
	if err == nil || l.w == nil {
		return
	}
	if l.w.Flush() == nil {
		l.notify(err.Error()) // one exchange could not be read back: the file is good
		return
	}
	l.w.Close()
	l.stopped(err)
}

func (l *live) stopped(err error) {
	l.w, l.failure, l.retry = nil, err, time.Now().Add(retryEvery)
	l.notify("recording has stopped, traffic goes on: " + err.Error())
}

// resume tries a new file after a failure.
func (l *live) resume(now time.Time) {
	if err := l.begin(l.files.next()); err != nil {
		l.retry = now.Add(retryEvery)
		return
	}
	l.notify("recording goes on in " + l.files.current())
}

// close ends the recording. The feed must have run dry.
func (l *live) close() error {
	l.rec.Close()
	if l.w == nil {
		return fmt.Errorf("%d exchanges were not recorded: %w", l.dropped, l.failure)
	}
	return l.finish()
}
