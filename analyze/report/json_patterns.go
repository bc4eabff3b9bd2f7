package report

import (
	"mcptrace/analyze"
)

type jsonCut struct {
	Kind       string `json:"kind"`
	Server     string `json:"server"`
	Path       string `json:"path"`
	Clock      string `json:"clock"`
	Typical    int64  `json:"typical_ns"`
	Spread     int64  `json:"spread_ns"`
	Count      int    `json:"count"`
	Of         int    `json:"of"`
	Commented  int    `json:"with_comments"`
	Outlived   int    `json:"outlived"`
	Confidence string `json:"confidence"`
	Exchanges  []int  `json:"exchanges"`
	Summary    string `json:"summary"`
}

func cutOf(k *analyze.Cut) jsonCut {
	return jsonCut{string(k.Kind), k.Server, k.Path, string(k.Clock), int64(k.Typical), int64(k.Spread), len(k.Cases), k.Of, k.Commented, k.Outlived,
		k.Confidence, ids(k.Cases), k.String()}
}

type jsonLatency struct {
	Method   string  `json:"method"`
	Name     *string `json:"name"`
	Calls    int     `json:"calls"`
	Answered int     `json:"answered"`
	Errors   int     `json:"errors"`
	P50      *int64  `json:"p50_ns"`
	P95      *int64  `json:"p95_ns"`
	Max      *int64  `json:"max_ns"`
}

func latencyOf(l analyze.Latency) jsonLatency {
	j := jsonLatency{Method: l.Method, Name: text(l.Name), Calls: l.Calls, Answered: l.Answered, Errors: l.Errors}
	if l.Answered > 0 {
		j.P50, j.P95, j.Max = since(l.P50), since(l.P95), since(l.Max)
	}
	return j
}
