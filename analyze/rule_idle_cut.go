package analyze

import (
	"cmp"
	"slices"
	"time"
)

var idleCut = Rule{
	Code: "idle-cut", Severity: Warn,
	Title:  "Streams are cut after the same silence again and again",
	Text:   "Three or more breaks came after the same time without a byte: something in between has an idle limit. Send comments more often than that, or raise the limit.",
	Source: "timing",
	All: func(a *Analyzer) []Finding {
		var cut []*Case
		for _, c := range a.cases {
			if c.Break != nil && c.R.SSE && c.LastByte >= 0 && c.silence() > time.Second && c.End.By != "client" {
				cut = append(cut, c)
			}
		}
		slices.SortFunc(cut, func(x, y *Case) int { return cmp.Compare(x.silence(), y.silence()) })
		var fs []Finding
		for i := 0; i < len(cut); {
			j := i
			for j < len(cut) && cut[j].silence() <= cut[i].silence()*26/25 {
				j++
			}
			if j-i >= 3 {
				mid := cut[(i+j)/2]
				f := about(cut[i], -1, -1, "%d of %d breaks came %s after the last byte: an idle limit in between.", j-i, len(cut), dur(mid.silence()))
				f.Cases = append([]*Case(nil), cut[i:j]...)
				f.Confidence = "medium"
				fs = append(fs, f)
			}
			i = j
		}
		return fs
	},
}

// silence returns how long nothing had come when the response ended.
func (c *Case) silence() time.Duration { return c.End.At - c.LastByte }
