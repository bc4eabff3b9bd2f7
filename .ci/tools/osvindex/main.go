// Osvindex makes a database that govulncheck can read of a folder of OSV reports.
//
//	osvindex FROM TO
//
// The form is that of https://go.dev/security/vuln/database.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"time"
)

// report is what the index needs to know of an OSV report.
type report struct {
	ID       string
	Modified time.Time
	Affected []struct {
		Package struct{ Name string }
	}
}

// module is an entry of the index: a module and the reports that concern it.
type module struct {
	Path  string `json:"path"`
	Vulns []vuln `json:"vulns"`
}

type vuln struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: osvindex FROM TO")
		os.Exit(2)
	}
	if err := index(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "osvindex:", err)
		os.Exit(1)
	}
}

func index(from, to string) error {
	names, err := filepath.Glob(filepath.Join(from, "*.json"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no reports in %s", from)
	}
	modules := map[string][]vuln{}
	var newest time.Time
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if r.Modified.After(newest) {
			newest = r.Modified
		}
		for _, path := range paths(r) {
			modules[path] = append(modules[path], vuln{r.ID, r.Modified})
		}
		if err := write(filepath.Join(to, "ID", r.ID+".json"), json.RawMessage(text)); err != nil {
			return err
		}
	}
	list := make([]module, 0, len(modules))
	for path, vulns := range modules {
		list = append(list, module{path, vulns})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	if err := write(filepath.Join(to, "index", "modules.json"), list); err != nil {
		return err
	}
	return write(filepath.Join(to, "index", "db.json"), map[string]time.Time{"modified": newest})
}

// paths returns the modules that a report concerns, each once.
func paths(r report) []string {
	var out []string
	seen := map[string]bool{}
	for _, a := range r.Affected {
		if !seen[a.Package.Name] {
			seen[a.Package.Name] = true
			out = append(out, a.Package.Name)
		}
	}
	return out
}

func write(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
