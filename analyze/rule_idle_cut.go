package analyze

var idleCut = cutRule("idle-cut", Warn, IdleLimit,
	"Streams are cut after the same silence again and again",
	"Three or more breaks came after the same time without a byte (or, where comments do not help, without an event): the server, or something in between, has an idle limit. Send comments more often than that, or raise the limit.",
	"timing: silences within 2 % of each other; HTML 9.2.7 (comments against idle timeouts)")

// cutRule is the rule for one kind of habit that findCuts looks for.
func cutRule(code string, sev Severity, kind CutKind, title, text, source string) Rule {
	return Rule{Code: code, Severity: sev, Title: title, Text: text, Source: source,
		All: func(a *Analyzer) []Finding {
			var fs []Finding
			for _, k := range a.Cuts {
				if k.Kind != kind {
					continue
				}
				f := about(k.Cases[0], -1, -1, "At %s%s: %s.", k.Server, k.Path, k)
				f.Cases, f.Confidence = k.Cases, k.Confidence
				fs = append(fs, f)
			}
			return fs
		}}
}
