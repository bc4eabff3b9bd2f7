package main

import (
	"encoding/json"
	"io"

	"mcptrace/replay"
)

// replayJSON is what mcptrace replay --format json writes. Times are nanoseconds since the exchange's start; absent moments
// are null. Offsets of steps count the decoded body, those of cuts the body before content coding is taken off.
type replayJSON struct {
	Schema    string         `json:"schema"`
	Exchanges []replayedJSON `json:"exchanges"`
}

type replayedJSON struct {
	ID        int            `json:"id"`
	Name      string         `json:"name"`
	Client    clientJSON     `json:"client"`
	BodyBytes int64          `json:"body_bytes"`
	Cut       *cutJSON       `json:"cut"`
	Steps     []stepJSON     `json:"steps"`
	Outcomes  []outcomeJSON  `json:"outcomes"`
	Landmarks []landmarkJSON `json:"landmarks,omitempty"`
	Sweep     []sweptJSON    `json:"sweep,omitempty"`
}

// clientJSON is what the recorded client says of itself, and the policy that models it.
type clientJSON struct {
	Name      *string    `json:"name"`
	Version   *string    `json:"version"`
	UserAgent *string    `json:"user_agent"`
	Model     *modelJSON `json:"model"`
}

type modelJSON struct {
	Policy  string  `json:"policy"`
	Sure    bool    `json:"sure"`
	By      string  `json:"by"`
	Differs *string `json:"differs"`
}

type cutJSON struct {
	Offset int64  `json:"offset"`
	End    string `json:"end"`
}

type stepJSON struct {
	Offset *int64 `json:"offset"`
	At     *int64 `json:"at_ns"`
	What   string `json:"what"`
	Answer bool   `json:"answer"`
}

type outcomeJSON struct {
	Policy   string `json:"policy"`
	Verdict  string `json:"verdict"`
	Ran      bool   `json:"ran,omitempty"`
	Returned *int64 `json:"returned_ns"`
	Held     int64  `json:"held_ns"`
	Censored bool   `json:"censored,omitempty"`
	Next     string `json:"next"`
	Why      string `json:"why"`
}

type landmarkJSON struct {
	Offset int64  `json:"offset"`
	Name   string `json:"name"`
	Answer bool   `json:"answer"`
}

type sweptJSON struct {
	Policy  string      `json:"policy"`
	End     string      `json:"end"`
	Sampled bool        `json:"sampled"`
	Ranges  []rangeJSON `json:"ranges"`
}

type rangeJSON struct {
	From     int64  `json:"from"`
	To       int64  `json:"to"`
	Verdict  string `json:"verdict"`
	Ran      bool   `json:"ran,omitempty"` // of reissued: the call is known to have run
	Returned *int64 `json:"returned_ns"`   // at from
	Next     string `json:"next"`
	Why      string `json:"why"`
}

func writeReplayJSON(w io.Writer, plays []*play) error {
	out := replayJSON{Schema: "mcptrace.replay/1", Exchanges: []replayedJSON{}}
	for _, p := range plays {
		x := replayedJSON{ID: p.c.ID, Name: p.c.Name(), Client: clientOf(p), BodyBytes: p.total, Steps: []stepJSON{}, Outcomes: []outcomeJSON{}}
		outs := p.recorded
		if p.cut >= 0 {
			x.Cut, outs = &cutJSON{p.cut, string(p.how)}, p.cuts
		}
		for _, s := range p.steps {
			x.Steps = append(x.Steps, stepJSON{known(s.Offset), known(int64(s.At)), s.What, s.Answer})
		}
		for _, o := range outs {
			x.Outcomes = append(x.Outcomes, outcomeJSON{o.Policy, string(o.Verdict), o.Ran, known(int64(o.Returned)), int64(o.Held), o.Censored, string(o.Next), o.Why})
		}
		for _, l := range p.landmarks {
			x.Landmarks = append(x.Landmarks, landmarkJSON{l.At, l.Name, l.Answer})
		}
		for _, s := range p.swept {
			x.Sweep = append(x.Sweep, sweptOf(s))
		}
		out.Exchanges = append(out.Exchanges, x)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func clientOf(p *play) clientJSON {
	name, version := p.c.ClientInfo()
	j := clientJSON{Name: given(name), Version: given(version), UserAgent: given(p.c.UserAgent())}
	if m := &p.model; m.known {
		j.Model = &modelJSON{m.Policy.Name, m.Sure(), m.Sign.String(), given(m.differs)}
	}
	return j
}

// given returns s, or null where it is empty.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func sweptOf(s replay.Swept) sweptJSON {
	out := sweptJSON{Policy: s.Policy.Name, End: string(s.How), Sampled: s.Sampled, Ranges: []rangeJSON{}}
	for _, r := range s.Merged() {
		o := r.Outcome
		out.Ranges = append(out.Ranges, rangeJSON{r.From, r.To, string(o.Verdict), o.Ran, known(int64(o.Returned)), string(o.Next), o.Why})
	}
	return out
}

// known returns n, or null where it is negative.
func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}
