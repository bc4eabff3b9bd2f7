package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// floors is the house, from the ground up: a package imports from floors below its own. Packages of one floor do not
// know each other; a package and the folders within it do.
var floors = [][]string{
	{"capture/wire"},
	{"capture"},
	{"capture/source/feed", "store/secret"},
	{"capture/source", "capture/capturetest", "store", "replay"},
	{"replay/serve", "analyze"},
	{"analyze/report"},
	{"cmd", "tools"},
}

// doors says which package a dependency comes in by. Tests are free, and so are tools, which are no part of the program.
var doors = map[string]string{
	"github.com/google/gopacket":        "capture/source/pcap",
	"modernc.org/sqlite":                "store",
	"modernc.org/libc":                  "store", // what SQLite's C interface is called with
	"github.com/olekukonko/tablewriter": "analyze/report",
	"github.com/spf13/cobra":            "cmd/mcptrace",
	"github.com/spf13/pflag":            "cmd/mcptrace", // the flags of cobra, and the types of its errors
	"github.com/schollz/progressbar/v3": "cmd/mcptrace",
	"golang.org/x/term":                 "cmd/mcptrace",
}

// helpers are dependencies that any package may use: they add to the standard library and leave no mark on an interface.
var helpers = []string{"github.com/klauspost/compress", "github.com/andybalholm/brotli", "golang.org/x/net", "golang.org/x/crypto", "golang.org/x/sys"}

const module = "mcptrace/"

// TestLayout keeps the drawing in docs/design.md true.
func TestLayout(t *testing.T) {
	for path, imports := range packages(t) {
		pkg := strings.TrimPrefix(path, module)
		for _, i := range imports {
			switch {
			case strings.HasPrefix(i, module):
				if imported := strings.TrimPrefix(i, module); !mayImport(pkg, imported) {
					t.Errorf("%s (floor %d) imports %s (floor %d)", pkg, floor(pkg), imported, floor(imported))
				}
			case strings.Contains(strings.Split(i, "/")[0], "."):
				if !within(pkg, "tools") && !isDoor(pkg, i) {
					t.Errorf("%s imports %s: not by its door", pkg, i)
				}
			}
		}
		if f := floor(pkg); f < 0 {
			t.Errorf("%s stands on no floor", pkg)
		} else if f == 0 {
			groundFloor(t, pkg, imports)
		}
	}
}

// groundFloor: a parser has no clock and does no input or output of its own.
func groundFloor(t *testing.T, pkg string, imports []string) {
	for _, i := range imports {
		if i == "os" || i == "time" || i == "net" || strings.HasPrefix(i, "os/") || i == "net/http" {
			t.Errorf("%s imports %s", pkg, i)
		}
	}
}

func mayImport(pkg, imported string) bool {
	return floor(imported) >= 0 && floor(imported) < floor(pkg) || within(pkg, imported) || within(imported, pkg)
}

func within(inner, outer string) bool { return strings.HasPrefix(inner, outer+"/") }

// floor returns the floor of the longest entry that pkg is or lies within; -1: none.
func floor(pkg string) int {
	best, at := "", -1
	for i, entries := range floors {
		for _, e := range entries {
			if (pkg == e || within(pkg, e)) && len(e) > len(best) {
				best, at = e, i
			}
		}
	}
	return at
}

func isDoor(pkg, dependency string) bool {
	for _, h := range helpers {
		if dependency == h || within(dependency, h) {
			return true
		}
	}
	for d, p := range doors {
		if (dependency == d || within(dependency, d)) && (pkg == p || within(pkg, p)) {
			return true
		}
	}
	return false
}

// packages returns the imports of each package of the module, those of its tests aside.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not there")
	}
	out, err := exec.Command(goTool, "list", "-json=ImportPath,Imports", "mcptrace/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p.Imports
	}
	if len(all) < 10 {
		t.Fatalf("go list names %d packages only", len(all))
	}
	return all
}
