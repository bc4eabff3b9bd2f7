package report

import (
	"slices"

	"mcptrace/analyze"
	"mcptrace/replay"
)

// jsonModel is the policy that models the recorded client, where it was played.
type jsonModel struct {
	Policy  string  `json:"policy"`
	Sure    bool    `json:"sure"`
	By      string  `json:"by"`
	Differs *string `json:"differs"`
}

// playedOf returns what the policies make of an exchange, that of the recorded client's model first.
func playedOf(a *analyze.Analyzer, c *analyze.Case) (*jsonModel, []jsonOutcome) {
	outs := a.Outcomes(c)
	if !slices.ContainsFunc(a.Policies(), replay.Policy.NeedsBytes) {
		return nil, outcomesOf(outs)
	}
	r, ok := c.Recognise()
	k := slices.IndexFunc(outs, func(o replay.Outcome) bool { return ok && o.Policy == r.Policy.Name })
	if k < 0 {
		return nil, outcomesOf(outs)
	}
	own := outs[k]
	outs = slices.Concat([]replay.Outcome{own}, outs[:k], outs[k+1:])
	return &jsonModel{r.Policy.Name, r.Sure(), r.Sign.String(), text(a.Contrast(c, own))}, outcomesOf(outs)
}
