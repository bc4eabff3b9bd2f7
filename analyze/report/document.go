package report

import (
	"fmt"
	"slices"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// document is a report as blocks, whatever form it is written in. All text in it is as it came: the forms escape it.
type document struct {
	Title string
	From  []string // what was read, a line each
	Lead  []string // what happened, how bad it is, how sure that is
	Facts []fact
	Parts []part
}

// fact is a number that matters, with its place in the JSON report.
type fact struct {
	Label, Text string
	Key         string // path in the JSON report, "" if it has none there
	Raw         int64  // the number as it stands there
}

type part struct {
	ID, Title string
	Blocks    []block
}

// block is one of a paragraph, text to copy, a table, a picture, or blocks folded away under a title.
type block struct {
	ID      string
	Text    string
	Code    string
	Table   *grid
	Picture *picture
	Fold    string
	File    string // name under which Code may be saved
	Inner   []block
}

// grid is a table.
type grid struct {
	Caption string
	Head    []string
	Right   map[int]bool // columns of numbers
	Rows    [][]cell
}

// cell is one entry of a grid.
type cell struct {
	Text string
	Ref  int    // an exchange that is described further down; 0: none
	Key  string // see fact
	Raw  int64
}

// picture is a drawing, for wide and for narrow screens, with what it shows in words, and in numbers where a sentence does
// not do.
type picture struct {
	Title   string
	Drawing *drawing
	Narrow  *drawing
	Words   string
	Table   *grid
}

func para(format string, args ...any) block { return block{Text: fmt.Sprintf(format, args...)} }

func words(s string) cell { return cell{Text: s} }

func count(n int) cell { return cell{Text: fmt.Sprint(n)} }

func span3(d time.Duration) cell { return cell{Text: analyze.Dur(d)} }

// ref names an exchange.
func ref(c *analyze.Case) cell { return cell{Text: fmt.Sprintf("#%d", c.ID), Ref: c.ID} }

// withoutEmpty leaves out the columns called names in which nothing stands.
func (g *grid) withoutEmpty(names ...string) *grid {
	for _, name := range names {
		i := slices.Index(g.Head, name)
		if slices.ContainsFunc(g.Rows, func(row []cell) bool { return row[i].Text != "" }) {
			continue
		}
		g.Head = slices.Delete(g.Head, i, i+1)
		for k := range g.Rows {
			g.Rows[k] = slices.Delete(g.Rows[k], i, i+1)
		}
	}
	return g
}

func (g *grid) add(cells ...cell) { g.Rows = append(g.Rows, cells) }

// Limits of a document for people. What they leave out is said where it is missing.
const (
	maxRanTwice  = 500 // rows of the table of calls that ran twice; the CSV has all
	maxGridRows  = 100
	maxDetailed  = 200 // findings with their evidence
	maxWaterfall = 60  // exchanges with a picture of their own
)

// left says how many rows are not shown.
func left(n int, what string) block {
	return para("%d more %s are left out here; the JSON report (mcptrace analyze --format json) has them all.", n, what)
}

// writer builds the document of one analysis.
type writer struct {
	a       *analyze.Analyzer
	callers callers
	tracks  *Tracks
	zone    *time.Location
	replay  map[*analyze.Case][]outcome
	shown   []*analyze.Case        // exchanges described one by one, in order of their numbers
	refs    map[*analyze.Case]bool // the same
	models  []analyze.Model        // of the recorded clients
}

// newDocument makes the document. tracks may be nil.
func newDocument(a *analyze.Analyzer, o Options) *document {
	w := &writer{a: a, tracks: o.Tracks, zone: time.UTC}
	d := &document{Title: "What happened to the calls", From: w.from()}
	if why := a.Diagnosis(); len(why) > 0 {
		d.Lead = append([]string{"Nothing to judge."}, why...)
		d.Parts = []part{w.quality(), w.method()}
		return d
	}
	w.callers = callersOf(a)
	w.play()
	w.choose()
	d.Lead, d.Facts = w.lead(), w.facts()
	d.Parts = []part{
		w.ranTwice(), w.cannotShow(), w.recommend(), w.timeline(),
		w.duplicates(), w.lost(), w.stories(), w.held(), w.breaks(), w.whatIf(),
		w.findings(), w.exchanges(), w.quality(), w.method(),
	}
	for i := range d.Parts {
		w.settle(d.Parts[i].Blocks)
	}
	return d
}

// settle takes references to exchanges off that are not described.
func (w *writer) settle(bs []block) {
	for i := range bs {
		for _, g := range []*grid{bs[i].Table, pictureTable(bs[i].Picture)} {
			if g == nil {
				continue
			}
			for _, row := range g.Rows {
				for k := range row {
					if row[k].Ref != 0 && !w.described(row[k].Ref) {
						row[k].Ref = 0
					}
				}
			}
		}
		w.settle(bs[i].Inner)
	}
}

func pictureTable(p *picture) *grid {
	if p == nil {
		return nil
	}
	return p.Table
}

func (w *writer) described(id int) bool {
	for _, c := range w.shown {
		if c.ID == id {
			return true
		}
	}
	return false
}

// moment writes an absolute time.
func (w *writer) moment(i capture.Instant) string {
	return i.Time().In(w.zone).Format("2006-01-02 15:04:05.000")
}

// session names the session of c, or its stand-in.
func session(c *analyze.Case) string {
	if c.Group == nil {
		return ""
	}
	return c.Group.Label
}
