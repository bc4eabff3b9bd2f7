package report

import (
	"fmt"
	"slices"
	"time"

	"mcptrace/analyze"
)

// holdBins are the upper bounds of the histogram's bars.
var holdBins = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute}

// histogram shows how long streams stayed open after their answers.
func histogram(holds []time.Duration) *picture {
	n := make([]int, len(holdBins)+1)
	for _, h := range holds {
		i, _ := slices.BinarySearch(holdBins, h)
		n[i]++
	}
	g := &grid{Head: []string{"open after the answer for", "streams"}, Right: map[int]bool{1: true}}
	d := &drawing{W: 640, H: 210}
	most := slices.Max(n)
	width := 560.0 / float64(len(n))
	for i, k := range n {
		label := "over " + analyze.Dur(holdBins[len(holdBins)-1])
		if i < len(holdBins) {
			label = "to " + analyze.Dur(holdBins[i])
		}
		g.add(words(label), count(k))
		x, h := 50+float64(i)*width, 140*float64(k)/float64(max(most, 1))
		d.rect("bar", x+4, 165-h, width-8, h, fmt.Sprintf("%s: %d", label, k))
		if k > 0 {
			d.text("tick", "middle", x+width/2, 160-h, fmt.Sprint(k))
		}
		d.text("tick", "middle", x+width/2, 181, label)
	}
	d.line("axis", 50, 165, 610, 165)
	d.text("tick", "end", 610, 200, "time open after the answer")
	return &picture{Title: "How long streams stayed open after their answers", Drawing: d, Table: g,
		Words: fmt.Sprintf("A histogram of %s by the time their streams stayed open after the answer.", plural(len(holds), "answered exchange"))}
}
