package export

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cell makes text from the wire fit for a table. Text with characters that a terminal would obey or not show is escaped
// as in Go's literals; before what a spreadsheet would take for a formula stands an apostrophe.
func cell(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(s) {
		quoted := strconv.QuoteToGraphic(s)
		s = quoted[1 : len(quoted)-1]
	}
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}
