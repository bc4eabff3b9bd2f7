package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptrace/store"
)

// recordingFiles names the files of a recording that runs on and says when the next is due. Without rotation there is
// one, named as asked; with it each bears the time it was begun: NAME-20261130T195104.788Z.db.
type recordingFiles struct {
	base string // as asked
	size int64  // bytes from which on a file is followed by another; 0: none
	age  time.Duration
	keep int // files that stay, those of earlier runs with this name included; 0: all

	paths []string // of this run, oldest first
}

const fileTime = "20060102T150405.000Z"

func (f *recordingFiles) rotating() bool { return f.size > 0 || f.age > 0 }

// stem returns base without its extension, and the extension.
func (f *recordingFiles) stem() (string, string) {
	ext := filepath.Ext(f.base)
	return strings.TrimSuffix(f.base, ext), ext
}

func (f *recordingFiles) first() string {
	if f.rotating() {
		return f.next()
	}
	return f.base
}

func (f *recordingFiles) next() string {
	stem, ext := f.stem()
	return stem + "-" + time.Now().UTC().Format(fileTime) + ext
}

// made notes a file that was begun.
func (f *recordingFiles) made(path string) { f.paths = append(f.paths, path) }

// current returns the newest file, "" before the first.
func (f *recordingFiles) current() string {
	if len(f.paths) == 0 {
		return ""
	}
	return f.paths[len(f.paths)-1]
}

// due reports whether the newest file, begun at born, is large or old enough.
func (f *recordingFiles) due(now, born time.Time) bool {
	if f.age > 0 && now.Sub(born) >= f.age {
		return true
	}
	return f.size > 0 && fileSize(f.current())+fileSize(f.current()+"-wal") >= f.size
}

// bytes returns the size of the files of this run.
func (f *recordingFiles) bytes() (n int64) {
	for _, path := range f.paths {
		n += fileSize(path)
	}
	return n
}

func fileSize(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}

// expire removes the oldest recordings of this name until no more than keep are there, and returns those that it removed.
// Only files with a time in their names that are recordings count.
func (f *recordingFiles) expire() []string {
	if f.keep <= 0 {
		return nil
	}
	stem, ext := f.stem()
	entries, err := os.ReadDir(filepath.Dir(stem))
	if err != nil {
		return nil
	}
	var mine []string
	for _, e := range entries {
		path := filepath.Join(filepath.Dir(stem), e.Name())
		at, ok := strings.CutPrefix(e.Name(), filepath.Base(stem)+"-")
		if _, err := time.Parse(fileTime, strings.TrimSuffix(at, ext)); ok && err == nil && isRecordingFile(path) {
			mine = append(mine, path)
		}
	}
	slices.Sort(mine)
	var gone []string
	for len(mine) > f.keep && mine[0] != f.current() {
		if os.Remove(mine[0]) == nil {
			gone = append(gone, mine[0])
		}
		mine = mine[1:]
	}
	f.paths = slices.DeleteFunc(f.paths, func(p string) bool { return slices.Contains(gone, filepath.Clean(p)) || slices.Contains(gone, p) })
	return gone
}

func isRecordingFile(path string) bool {
	r, err := os.Open(path)
	if err != nil {
		return false
	}
	defer r.Close()
	head := make([]byte, store.PrefixLen)
	_, err = io.ReadFull(r, head)
	return err == nil && store.IsRecording(head)
}

// parseSize reads a number of bytes with an optional unit: 500M, 2GB, 64KiB.
func parseSize(s string) (int64, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(s)), "B"), "I")
	shift := 0
	if n := len(text); n > 0 {
		if i := strings.IndexByte("KMGT", text[n-1]); i >= 0 {
			text, shift = text[:n-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("%q is no size: want a number with an optional unit, such as 500M", s)
	}
	return n << shift, nil
}
