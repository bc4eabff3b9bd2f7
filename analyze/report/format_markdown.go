package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"mcptrace/analyze"
)

var markdownFormat = Format{Name: "markdown", Doc: "the incident report for an issue or a wiki (GitHub's Markdown); pictures as tables", Write: writeMarkdown}

// writeMarkdown writes the document in GitHub Flavored Markdown. It returns the writer's error.
//
// Source: https://github.github.com/gfm/
func writeMarkdown(w io.Writer, a *analyze.Analyzer, o Options) error {
	m := &markdown{out: &sticky{w: bufio.NewWriter(w)}}
	d := newDocument(a, o)
	m.printf("# %s\n\n", inline(d.Title))
	for _, s := range d.From {
		m.printf("- %s\n", inline(s))
	}
	m.printf("\n")
	for _, s := range d.Lead {
		m.printf("**%s**\n\n", inline(s))
	}
	if len(d.Facts) > 0 {
		m.printf("| what | number |\n| --- | ---: |\n")
		for _, f := range d.Facts {
			m.printf("| %s | %s |\n", inline(f.Label), inline(f.Text))
		}
		m.printf("\n")
	}
	for _, p := range d.Parts {
		m.printf("<a id=\"%s\"></a>\n\n## %s\n\n", p.ID, inline(p.Title))
		for i := range p.Blocks {
			m.block(&p.Blocks[i])
		}
	}
	return m.out.flush()
}

// markdown writes blocks.
type markdown struct{ out *sticky }

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(m.out, format, args...) }

func (m *markdown) block(b *block) {
	switch {
	case b.Fold != "":
		if b.ID != "" {
			m.printf("<a id=\"%s\"></a>\n\n", b.ID)
		}
		m.printf("<details><summary>%s</summary>\n\n", htmlText(b.Fold))
		for i := range b.Inner {
			m.block(&b.Inner[i])
		}
		m.printf("</details>\n\n")
	case b.Code != "":
		m.code(b.Code)
	case b.Table != nil:
		m.grid(b.Table)
	case b.Picture != nil:
		m.printf("%s. %s\n\n", inline(b.Picture.Title), inline(b.Picture.Words))
		if b.Picture.Table != nil {
			m.printf("<details><summary>In numbers</summary>\n\n")
			m.grid(b.Picture.Table)
			m.printf("</details>\n\n")
		}
	default:
		m.printf("%s\n\n", inline(b.Text))
	}
}

// code writes text in a fence longer than any run of backticks in it.
func (m *markdown) code(s string) {
	s = strings.TrimSuffix(safeLines(s), "\n")
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	m.printf("%s\n%s\n%s\n\n", fence, s, fence)
}

func (m *markdown) grid(g *grid) {
	if g.Caption != "" {
		m.printf("%s:\n\n", inline(g.Caption))
	}
	m.printf("|")
	for _, h := range g.Head {
		m.printf(" %s |", inline(h))
	}
	m.printf("\n|")
	for i := range g.Head {
		m.printf("%s", map[bool]string{true: " ---: |", false: " --- |"}[g.Right[i]])
	}
	m.printf("\n")
	for _, row := range g.Rows {
		m.printf("|")
		for _, c := range row {
			text := inline(c.Text)
			if c.Ref != 0 {
				text = fmt.Sprintf("[%s](#x%d)", text, c.Ref)
			}
			m.printf(" %s |", text)
		}
		m.printf("\n")
	}
	m.printf("\n")
}

// inline makes text stand as it is in a line of Markdown or a cell of a table: nothing in it is markup, a mention, an
// issue, a link or an emoji.
func inline(s string) string {
	s = shown2000(s)
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case c == '&':
			b.WriteString("&amp;")
		case c == '@':
			b.WriteString("&#64;")
		case c == '#':
			b.WriteString("&#35;")
		case c == ':' && i+1 < len(s) && s[i+1] != ' ' && !(i > 0 && digit(s[i-1]) && digit(s[i+1])): // :name: and ://
			b.WriteString("&#58;")
		case strings.IndexByte("\\`*_[]|~$", c) >= 0, i == 0 && strings.IndexByte("-+=", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			b.WriteString("&#46;")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// htmlText makes text stand as it is inside an HTML element of Markdown.
func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&#34;", "@", "&#64;", "#", "&#35;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;", "~", "&#126;", "$", "&#36;", ":", "&#58;", "\\", "&#92;", "|", "&#124;").Replace(shown2000(s))
}
