package serve_test

import (
	"bufio"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptrace/capture/capturetest"
	"mcptrace/replay/serve"
)

const (
	crowd = 200                   // clients at once
	beats = 20                    // events each of them gets
	beat  = 50 * time.Millisecond // between two
)

// steady is a call that is answered with events at even distances.
func steady() *serve.Recording {
	k := capturetest.NewTalk(1).Ask(pay("7")).Answer(capturetest.Stream())
	for range beats - 1 {
		k.Wait(beat).Answer(capturetest.Chunk(capturetest.Event(capturetest.Note("notifications/message", `{"level":"info","data":"x"}`))))
	}
	return recordingOf(k.Wait(beat).Answer(capturetest.Chunk(capturetest.Event(capturetest.Text("7", "paid"))) + capturetest.LastChunk))
}

// listen asks with an id and returns when each event came.
func listen(c *client, id int) []time.Time {
	defer c.Close()
	c.ask(pay(strconv.Itoa(id)))
	var came []time.Time
	for in := bufio.NewReader(c); len(came) < beats; {
		line, err := in.ReadString('\n')
		if err != nil {
			c.t.Error(err)
			return nil
		}
		if strings.HasPrefix(line, "data:") {
			came = append(came, time.Now())
		}
	}
	return came
}

// gather plays to a crowd and returns how late each event came, in order, counted from the end of its request.
func gather(t *testing.T) []time.Duration {
	s := start(t, steady(), serve.Options{})
	came := make([][]time.Time, crowd)
	var wg sync.WaitGroup
	for id := range came {
		c := dial(t, s)
		wg.Go(func() { came[id] = listen(c, id) })
	}
	wg.Wait()
	s.Close()
	var late []time.Duration
	for _, p := range s.Plays() {
		id, _ := strconv.Atoi(p.ID)
		late = append(late, after(p.Start, came[id])...)
	}
	slices.Sort(late)
	return late
}

// nobody is a crowd of timers for the same moments: how well the machine keeps time.
func nobody() []time.Duration {
	var mu sync.Mutex
	var late []time.Duration
	var wg sync.WaitGroup
	for range crowd {
		wg.Go(func() {
			begun := time.Now()
			var came []time.Time
			for k := range beats {
				time.Sleep(time.Until(begun.Add(time.Duration(k+1) * beat)))
				came = append(came, time.Now())
			}
			mu.Lock()
			defer mu.Unlock()
			late = append(late, after(begun, came)...)
		})
	}
	wg.Wait()
	slices.Sort(late)
	return late
}

// after returns how much later than its beat each moment is.
func after(begun time.Time, came []time.Time) []time.Duration {
	out := make([]time.Duration, len(came))
	for k, at := range came {
		out[k] = at.Sub(begun) - time.Duration(k+1)*beat
	}
	return out
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestCrowd: two hundred clients at once get each event at its recorded moment, as far as the machine keeps time at all,
// and what they took is given back.
func TestCrowd(t *testing.T) {
	noise := nobody()
	gather(t)
	before := heap()
	late := gather(t)
	grown := heap() - before

	if n := len(late); n != crowd*beats {
		t.Fatalf("%d events, want %d", n, crowd*beats)
	}
	at := func(d []time.Duration, percent int) time.Duration {
		return d[len(d)*percent/100].Round(10 * time.Microsecond)
	}
	t.Logf("late by p50 %v, p99 %v; timers alone p50 %v, p99 %v; heap %+d KiB", at(late, 50), at(late, 99), at(noise, 50), at(noise, 99), grown>>10)
	if late[0] < 0 {
		t.Errorf("an event came %v before its moment", -late[0])
	}
	if at(late, 50) > at(noise, 50)+500*time.Millisecond {
		t.Errorf("half of the events are late by more than %v; timers alone by %v", at(late, 50), at(noise, 50))
	}
	if grown > 8<<20 {
		t.Errorf("a second crowd took %d KiB that it did not give back", grown>>10)
	}
}
