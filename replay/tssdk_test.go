package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mcptrace/replay"
)

// The TypeScript SDK itself, on Node. It is compared where both are installed: npm install in testdata/typescript.
func TestTypeScriptSDK(t *testing.T) {
	dir := "testdata/typescript"
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		t.Skip("the SDK is not installed: run npm install in replay/" + dir)
	}
	left := scripts(t)
	for round := 1; len(left) > 0; round++ {
		wrong := typescriptDiffers(t, node, dir, left)
		// A reset throws away what a client has not taken, and on a busy machine it may not have: that is tried again.
		left = nil
		for i := range wrong {
			if wrong[i].how == replay.RST && round < 3 {
				left = append(left, wrong[i].script)
				continue
			}
			t.Errorf("%s\n%.300q", wrong[i].says, wrong[i].wire)
		}
	}
}

// difference is a script of which the SDK made something else than its model.
type difference struct {
	script
	says string
}

// typescriptDiffers plays scripts to the SDK and its model.
func typescriptDiffers(t *testing.T, node, dir string, all []script) []difference {
	t.Helper()
	type server struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	var servers []server
	live := map[string]*scripted{}
	for _, s := range all {
		live[s.name] = serveScript(t, s.wire, s.how)
		servers = append(servers, server{s.name, live[s.name].url()})
	}
	in, _ := json.Marshal(servers)
	cmd := exec.CommandContext(t.Context(), node, "did.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, bytes.NewReader(in), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	did := map[string]string{}
	if err := json.Unmarshal(text, &did); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	var out []difference
	for _, s := range all {
		got := did[s.name]
		if len(live[s.name].gets) > 0 {
			got = "resumed"
		}
		o := modelSays(t, s.wire, s.how, "typescript-sdk")
		if got != word(o, s.how) {
			out = append(out, difference{s, fmt.Sprintf("%s: the SDK: %s; the model: %s (%s: %s)", s.name, got, word(o, s.how), o.Verdict, o.Why)})
		}
	}
	return out
}
