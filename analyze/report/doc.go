// Package report writes what an analysis found: as text for a terminal, as JSON for programs, as a page or Markdown for
// all who were not there.
//
// The words it owns: a [Format] is one form of the report. All text from the wire is escaped here, whatever the form.
// It judges nothing: every number in it stands in the analysis or is a sum of such.
package report
