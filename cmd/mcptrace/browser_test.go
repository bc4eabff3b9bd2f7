package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// browser is a headless Chromium under remote control.
//
// Source: https://chromedevtools.github.io/devtools-protocol/
type browser struct {
	t    testing.TB
	ws   *websocket.Conn
	next int
	// what the page did since it was opened
	requests, complaints []string
}

// openBrowser starts a Chromium; the test skips where there is none.
func openBrowser(t testing.TB) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium")
	}
	// Not t.TempDir: helpers of the browser may write for a moment after it is gone, which must not fail the test.
	profile, err := os.MkdirTemp("", "mcptrace-browser-*")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-port=0", "--remote-allow-origins=*", "--user-data-dir="+profile, "about:blank")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		t.Skip("Chromium does not start:", err)
	}
	t.Cleanup(func() { cancel(); cmd.Wait(); os.RemoveAll(profile) })
	b := &browser{t: t}
	address := regexp.MustCompile(`ws://\S+`)
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			go func() {
				for lines.Scan() {
				}
			}()
			b.attach(url)
			return b
		}
	}
	t.Skip("Chromium does not start")
	return nil
}

// attach opens a page of its own.
func (b *browser) attach(url string) {
	b.dial(url)
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.ws.Close()
	host := strings.Split(strings.TrimPrefix(url, "ws://"), "/")[0]
	b.dial("ws://" + host + "/devtools/page/" + target.TargetID)
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
}

func (b *browser) dial(url string) {
	ws, err := websocket.Dial(url, "", "http://localhost")
	if err != nil {
		b.t.Fatal(err)
	}
	ws.MaxPayloadBytes = 64 << 20
	b.ws = ws
}

// call runs a command of the protocol and takes note of the events that come before its answer.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.next++
	if params == nil {
		params = map[string]any{}
	}
	if err := websocket.JSON.Send(b.ws, map[string]any{"id": b.next, "method": method, "params": params}); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.read()
		if m.ID != b.next {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

type message struct {
	ID                    int
	Method                string
	Params, Result, Error json.RawMessage
}

func (b *browser) read() message {
	b.t.Helper()
	var m message
	b.ws.SetReadDeadline(time.Now().Add(time.Minute))
	if err := websocket.JSON.Receive(b.ws, &m); err != nil {
		b.t.Fatal(err)
	}
	switch m.Method {
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		json.Unmarshal(m.Params, &p)
		b.requests = append(b.requests, p.Request.URL)
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		b.complaints = append(b.complaints, string(m.Params))
	}
	return m
}

// open loads a page at a width and waits until it is there.
func (b *browser) open(path string, width int) {
	b.t.Helper()
	b.requests, b.complaints = nil, nil
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for b.read().Method != "Page.loadEventFired" {
	}
}

// evaluate runs an expression in the page and returns its value as JSON.
func (b *browser) evaluate(expression string, value any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s", r.ExceptionDetails)
	}
	if err := json.Unmarshal(r.Result.Value, value); err != nil {
		b.t.Fatal(err)
	}
}

// misplaced lists what stands outside of the page or of what holds it, and texts of pictures that overlap.
const misplaced = `(() => {
  const out = [], wide = document.documentElement.clientWidth;
  document.querySelectorAll('details').forEach(d => d.open = true);
  if (document.documentElement.scrollWidth > wide) out.push('the page is ' + document.documentElement.scrollWidth + ' wide');
  for (const e of document.querySelectorAll('h1,h2,p,li,dt,dd,summary,pre,td,th,figcaption,caption')) {
    const r = e.getBoundingClientRect(), scrolls = e.closest('.grid');
    if (r.width && !scrolls && (r.right > wide + 1 || r.left < -1)) out.push(e.tagName + ' outside: ' + e.textContent.slice(0, 60));
    if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != 'inline' && e.clientWidth) out.push(e.tagName + ' cut off: ' + e.textContent.slice(0, 60));
  }
  for (const svg of document.querySelectorAll('svg')) {
    const box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    for (const [s, r] of texts) if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1) out.push('text outside of its picture: ' + s);
    for (let i = 0; i < texts.length; i++) for (let j = 0; j < i; j++) {
      const a = texts[i][1], b = texts[j][1];
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2) out.push('texts overlap: ' + texts[i][0] + ' / ' + texts[j][0]);
    }
  }
  return out.slice(0, 20);
})()`

// TestReportInBrowser: the page opens without a request and without a complaint, and nothing in it is cut off or covers
// something else, on a telephone and on a desk.
func TestReportInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	b := openBrowser(t)
	check := func(t *testing.T, input ...string) {
		path := filepath.Join(t.TempDir(), "r.html")
		if err := os.WriteFile(path, []byte(written(t, "r.html", input...)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{400, 1400} {
			b.open(path, width)
			var problems []string
			b.evaluate(misplaced, &problems)
			for _, p := range problems {
				t.Errorf("%d wide: %s", width, p)
			}
			if len(b.complaints) > 0 {
				t.Errorf("%d wide: the console says %s", width, b.complaints)
			}
			for _, r := range b.requests {
				if r != "file://"+path && !strings.HasPrefix(r, "data:") {
					t.Errorf("%d wide: a request for %s", width, r)
				}
			}
		}
	}
	corpus(t, func(t *testing.T, _ string, input []string) { check(t, input...) })
	t.Run("hostile", func(t *testing.T) {
		check(t, hostile(t), "--include-payload")
		var scripts int
		b.evaluate("document.scripts.length + document.images.length", &scripts)
		if scripts != 0 {
			t.Errorf("%d elements came off the wire", scripts)
		}
	})
	t.Run("crowd", func(t *testing.T) {
		start := time.Now()
		check(t, crowd(t))
		t.Log(fmt.Sprint("written, opened twice and measured in ", time.Since(start)))
	})
}
