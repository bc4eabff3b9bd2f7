package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// update rewrites what the tests compare with: the expected facts of the captures and the outputs in the scripts.
var update = flag.Bool("update", false, "rewrite the expected results")

// TestMain lets scripts run mcptrace as a command of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcptrace": main})
}

// TestScript runs testdata/script/*.txtar, one behaviour each. In them $PCAPS is the folder of the captures.
func TestScript(t *testing.T) {
	pcaps, err := filepath.Abs(pcapDir)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PCAPS", pcaps)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			return cond == "root" && os.Getuid() == 0, nil
		},
	})
}

// result is what one run of the program did.
type result struct {
	code     int
	out, err string
}

// invoke runs the program in this process, with nothing on standard input.
func invoke(args ...string) result {
	var out, errs bytes.Buffer
	code := run(context.Background(), args, bytes.NewReader(nil), &out, &errs)
	return result{code, out.String(), errs.String()}
}

// mustInvoke is invoke for a run that has to succeed.
func mustInvoke(t testing.TB, args ...string) result {
	t.Helper()
	r := invoke(args...)
	if r.code != exitOK {
		t.Fatalf("mcptrace %q: exit code %d\n%s", args, r.code, r.err)
	}
	return r
}
