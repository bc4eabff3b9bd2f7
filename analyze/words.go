package analyze

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptrace/store/secret"
)

// quote makes text from the wire safe to stand in a sentence: quoted, escaped, cut.
func quote(s string) string { return strconv.Quote(clip(s, 60)) }

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

// dur writes a duration as a person would: 0.12 s, 10.1 s, 350 ms.
func dur(d time.Duration) string {
	switch {
	case d < 0:
		return "?"
	case d == 0:
		return "0 s"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	case d < 100*time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// maskTarget hides the values of query parameters that may be secrets: session ids and tokens stand there.
func maskTarget(t string) string {
	path, query, ok := strings.Cut(t, "?")
	if !ok {
		return t
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, value, ok := strings.Cut(p, "=")
		if ok && secret.Parameter(name, value) {
			parts[i] = name + "=" + strings.Repeat("*", len(value))
		}
	}
	return path + "?" + strings.Join(parts, "&")
}

// MaskTarget hides the values of query parameters that may be secrets, keeping their lengths.
func MaskTarget(t string) string { return maskTarget(t) }

// Count writes a count with its noun: 1 call, 2 calls.
func Count(n int, noun string) string { return plural(n, noun) }

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "s") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Dur writes a duration as a person would: 350 ms, 0.12 s, 10.1 s.
func Dur(d time.Duration) string { return dur(d) }
