package report

import (
	"bufio"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"mcptrace/analyze"
)

var htmlFormat = Format{Name: "html", Doc: "the incident report as one page that needs nothing else", Write: writeHTML}

//go:embed html
var htmlFiles embed.FS

var htmlPage = template.Must(template.New("").Funcs(template.FuncMap{
	"show":  shown2000,
	"lines": safeLines,
	"long":  func(s string) bool { return len(s) > 30 }, // may be broken anywhere
	"style": func() (template.CSS, error) {
		b, err := htmlFiles.ReadFile("html/style.css")
		return template.CSS(b), err
	},
	"dataURL": func(s string) template.URL {
		return template.URL("data:text/csv;charset=utf-8;base64," + base64.StdEncoding.EncodeToString([]byte(s)))
	},
}).ParseFS(htmlFiles, "html/report.gohtml"))

// writeHTML writes the document as one page: no script, no request, light and dark, fit to print.
func writeHTML(w io.Writer, a *analyze.Analyzer, o Options) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := htmlPage.ExecuteTemplate(b, "page", newDocument(a, o)); err != nil {
		return err
	}
	return b.Flush()
}

// shown2000 makes text harmless and cuts it to what a person reads.
func shown2000(s string) string { return safe(clip(s, 2000)) }

// safeLines makes text harmless but keeps its lines.
func safeLines(s string) string {
	ls := strings.Split(s, "\n")
	for i := range ls {
		ls[i] = safe(strings.TrimSuffix(ls[i], "\r"))
	}
	return strings.Join(ls, "\n")
}
