package report

import (
	"fmt"
	"slices"
	"strings"
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
	for i, k := range n {
		g.add(words(binLabel(i)), count(k))
	}
	return &picture{Title: "How long streams stayed open after their answers", Drawing: drawHistogram(640, n), Narrow: drawHistogram(narrow, n), Table: g,
		Words: fmt.Sprintf("A histogram of %s by the time their streams stayed open after the answer.", plural(len(holds), "answered exchange"))}
}

// binLabel says what a bar holds.
func binLabel(i int) string {
	if i == len(holdBins) {
		return "more"
	}
	return "to " + analyze.Dur(holdBins[i])
}

func drawHistogram(width float64, n []int) *drawing {
	d := &drawing{W: width, H: 210}
	most := slices.Max(n)
	left, right := 6.0, width-6
	bar := (right - left) / float64(len(n))
	for i, k := range n {
		x, h := left+float64(i)*bar, 140*float64(k)/float64(max(most, 1))
		d.rect("bar", x+4, 165-h, bar-8, h, fmt.Sprintf("%s: %d", binLabel(i), k))
		if k > 0 {
			d.text("tick", "middle", x+bar/2, 160-h, fmt.Sprint(k))
		}
		d.text("tick", "middle", x+bar/2, 181, strings.TrimPrefix(binLabel(i), "to "))
	}
	d.line("axis", left, 165, right, 165)
	d.text("tick", "end", right, 200, "open after the answer for at most")
	return d
}
