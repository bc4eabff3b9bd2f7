package report

import (
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
	return []Format{textFormat, jsonFormat, jsonlFormat, htmlFormat, markdownFormat}
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
