package report

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"mcptrace/analyze"
)

// Options change how a report looks.
type Options struct {
	Zone     *time.Location // of the times in text; nil: UTC
	Width    int            // columns of the terminal; 0: not known
	Inputs   []string       // the inputs as they were given, for suggested commands; - is standard input
	Flags    []string       // the flags, with their values, without which the inputs are read otherwise; for suggested commands
	Exchange int            // jsonl: this one only; 0: all
	Tracks   *Tracks        // the courses of exchanges, for pictures; nil: none
}

// Format is one form of the report.
type Format struct {
	Name  string
	Doc   string
	Write func(w io.Writer, a *analyze.Analyzer, o Options) error
}

// Formats returns all formats.
func Formats() []Format {
	fs := []Format{textFormat, jsonFormat, jsonlFormat, htmlFormat, markdownFormat}
	for i := range fs {
		fs[i].Write = whole(fs[i].Write)
	}
	return fs
}

// whole makes a format fail where what it wrote lacks exchanges that could not be read back.
func whole(write func(io.Writer, *analyze.Analyzer, Options) error) func(io.Writer, *analyze.Analyzer, Options) error {
	return func(w io.Writer, a *analyze.Analyzer, o Options) error {
		return cmp.Or(write(w, a, o), a.Err())
	}
}

// Find returns the format with that name.
func Find(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("no format %q: want text, json, jsonl, html or markdown", name)
}
