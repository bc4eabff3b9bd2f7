package analyze

import "fmt"

// answerClass sorts answers for alternating.
type answerClass int

const (
	neither answerClass = iota
	acceptedAnswer
	refusedAnswer
)

// alternateFrom is how often answers must change from accepted to refused or back: once there and back again. What has
// ended does not come back.
const alternateFrom = 2

// alternating reports whether equal credentials were accepted and refused in turn, and says how often each.
func alternating(cs []*Case, class func(*Case) answerClass) (Finding, bool) {
	var f Finding
	n := map[answerClass]int{}
	last, changes := neither, 0
	for _, c := range cs {
		k := class(c)
		if k == neither {
			continue
		}
		n[k]++
		if last != neither && k != last {
			changes++
		}
		last = k
		if k == refusedAnswer {
			f.Cases = append(f.Cases, c)
		}
	}
	if changes < alternateFrom || n[acceptedAnswer] < 2 {
		return f, false
	}
	f.Offset, f.At, f.Confidence = -1, -1, "medium"
	if changes > alternateFrom {
		f.Confidence = "high"
	}
	f.Message = fmt.Sprintf("refused %s and accepted %s, changing %s", plural(n[refusedAnswer], "time"), plural(n[acceptedAnswer], "time"), plural(changes, "time"))
	return f, true
}
