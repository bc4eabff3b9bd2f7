package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mcptrace/analyze"
)

// next says what to do next: the command that shows more of what matters most, and whom to ask about what the capture does
// not tell.
func (t *textReport) next(k *callers) {
	var lines []string
	if c := t.worst(k); c != nil {
		lines = append(lines, t.showCommand(c.ID))
	}
	if c := openCase(t.a, k); c != nil {
		lines = append(lines, t.ask(c))
	}
	label := "NEXT"
	for _, l := range lines {
		t.printf("%-13s %s\n", label, l)
		label = ""
	}
}

// worst returns the exchange to look at first; nil where none needs it.
func (t *textReport) worst(k *callers) *analyze.Case {
	if cs := t.a.Reissues(); len(cs) > 0 {
		return cs[0].Reissue.Of
	}
	if len(k.lost) > 0 {
		return k.lost[0].First()
	}
	if len(k.guessed) > 0 {
		return k.guessed[0].Reissue.Of
	}
	w := writer{a: t.a}
	if cs := w.broken(); len(cs) > 0 {
		return cs[0]
	}
	if cs := t.a.HeldOpen(); len(cs) > 0 {
		return cs[0]
	}
	return nil
}

// openCase returns the first attempt of which the capture does not tell enough; nil where there is none.
func openCase(a *analyze.Analyzer, k *callers) *analyze.Case {
	if len(k.unknown) > 0 {
		return undecided(k.unknown[0])
	}
	for _, c := range a.Fates("unknown") {
		if c.Story != nil && c.Story.Outcome == analyze.Answered && c != c.Story.By {
			return c
		}
	}
	return nil
}

// ask says whose log to ask about an attempt, and what stands there.
func (t *textReport) ask(c *analyze.Case) string {
	return fmt.Sprintf("#%d %s, sent %s: %s; %s", c.ID, safe(clip(c.Name(), 48)), t.clock(c.Start), whyUnknown(c), whoKnows(c))
}

// mostNamed is how many characters of file names a suggested command may have.
const mostNamed = 300

// showCommand returns the command that shows the exchange with that number: of the same inputs, read with the same flags, so that it has the same number.
func (t *textReport) showCommand(id int) string {
	words := []string{"mcptrace", "show"}
	for _, f := range t.o.Flags {
		words = append(words, shellWord(f))
	}
	var files []string
	for _, in := range t.o.Inputs {
		if in != "-" {
			in = fileWord(in)
		} else {
			in = "FILE"
		}
		files = append(files, in)
	}
	names, note := strings.Join(files, " "), ""
	switch {
	case len(files) == 0:
		names = "INPUT"
	case slices.Contains(t.o.Inputs, "-"):
		note = "  # save standard input to FILE first"
	case len(files) > 4 && utf8.RuneCountInString(names) > mostNamed:
		names, note = "FILES", "  # FILES: the same files in the same order"
	}
	return strings.Join(append(words, names), " ") + fmt.Sprintf(" --exchange %d", id) + note
}

// fileWord writes a file name so that a shell, and then mcptrace, take it for one.
func fileWord(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return shellWord(name)
}

// plainInShell are the characters, beside letters and digits, that mean themselves in every shell.
const plainInShell = "%+,-./:=@_"

// shellWord quotes s for a shell if it has to be. What must not reach a terminal stands in the form $'…' as octal bytes.
func shellWord(s string) string {
	switch {
	case safe(s) != s:
		var b strings.Builder
		for _, c := range []byte(s) {
			if c < ' ' || c > '~' || c == '\'' || c == '\\' {
				fmt.Fprintf(&b, `\%03o`, c)
				continue
			}
			b.WriteByte(c)
		}
		return "$'" + b.String() + "'"
	case s != "" && strings.IndexFunc(s, special) < 0:
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func special(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(plainInShell, r))
}
