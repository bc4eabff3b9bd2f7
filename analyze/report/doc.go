// Package report writes what an analysis found: as text for a terminal, as JSON for programs.
//
// The words it owns: a [Format] is one form of the report. All text from the wire is escaped here, whatever the form.
// It computes nothing: every number in it stands in the analysis.
package report
