package kube_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rung/test/kube/cluster"
	"rung/test/wait"
)

// Faults of each kind: in e2e, and where RUNG_SOAK is set, 9 kinds × 23 = 207.
const (
	fewFaults  = 2
	manyFaults = 23
)

// Whatever happens to the API server, etcd, databases and streams: no panic, no
// screen that hangs, nothing acknowledged is lost, no line of a log is lost in
// silence, and in the end the rows are those of the objects. RUNG_SEED repeats a
// run's choices; when things happen still differs.
func TestFaults(t *testing.T) {
	seed, each := seedOr(t, uint64(time.Now().UnixNano()%1_000_000)), fewFaults
	if os.Getenv("RUNG_SOAK") != "" {
		each = manyFaults
	}
	w := newFaultWorld(t)
	follower := followLogs(t, w.kubeconfig)
	editor, keys := newEditor(t, w.c, seed), newPresser(w.screen, seed)
	began := time.Now()

	ctx, quiet := context.WithCancel(t.Context())
	defer quiet()
	var background sync.WaitGroup
	background.Go(func() { w.kubelet.chatter(ctx, 100*time.Millisecond, smallNodes...) })
	follower.begun(t)
	must(t, w.recovered())
	background.Go(func() { keys.run(ctx) })
	editing, done := context.WithCancel(ctx)
	var editorDone sync.WaitGroup
	editorDone.Go(func() { editor.run(editing) })

	for _, o := range w.outages(ctx) {
		said, recovered, err := w.said(keys, o)
		t.Logf("%-22s said after %4.1fs, recovered after %4.1fs", o.what, said.Seconds(), recovered.Seconds())
		if err != nil {
			t.Errorf("%s: %v", o.what, err)
		}
	}
	counts := w.lanes(ctx, seed, each)

	done()
	editorDone.Wait()
	if err := w.recovered(); err != nil {
		t.Error(err)
	}
	quiet()
	background.Wait()
	editor.settle(t.Context())
	must(t, w.c.ReadPods(t.Context(), w.z))
	asCompiled(t, w.c, w.z, smallNodes...)
	keys.home()
	w.sameLadder(editor)
	lines, gaps := follower.check(t, w.kubelet)
	w.ends()

	for _, lost := range editor.lost {
		t.Errorf("lost: %s", lost)
	}
	for _, late := range keys.late {
		t.Errorf("the screen hung: %s", late)
	}
	if keys.ended != nil {
		t.Errorf("the console ended: %v", keys.ended)
	}
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		total += counts[kind]
		t.Logf("%4d × %s", counts[kind], kind)
		if counts[kind] < each {
			t.Errorf("%d faults are %s, want %d", counts[kind], kind, each)
		}
	}
	t.Logf("%4d faults in %v, seed %d", total, time.Since(began).Round(time.Second), seed)
	t.Logf("%4d keys, %d previews; slowest %v (%s)", keys.presses, keys.previews, keys.slowest.Round(time.Millisecond), keys.slowKey)
	t.Logf("%4d changes acknowledged, %d of them by rung; %d without an answer, %d refused", editor.acknowledged, editor.byRung, editor.unanswered, editor.refused)
	t.Logf("%4d log lines, each once; %d gaps told", lines, gaps)
	if keys.presses < 50*each || editor.acknowledged < 10*each {
		t.Errorf("too little happened beside the faults")
	}
}

// seedOr is RUNG_SEED's, or another one.
func seedOr(t *testing.T, seed uint64) uint64 {
	if s := os.Getenv("RUNG_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
	}
	t.Logf("RUNG_SEED=%d", seed)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to repeat: RUNG_SEED=%d", seed)
		}
	})
	return seed
}

// lanes makes so many faults of each kind, in a random order, and counts them.
func (w *faultWorld) lanes(ctx context.Context, seed uint64, each int) map[string]int {
	counts := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, lane := range faultLanes {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(10+i)))
			var plan []fault
			for range each {
				plan = append(plan, lane...)
			}
			r.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
			for n, f := range plan {
				if err := f.make(w, ctx, r); err != nil {
					w.t.Errorf("fault %d, %s: %v", n, f.kind, err)
					return
				}
				mu.Lock()
				counts[f.kind]++
				mu.Unlock()
				rest(ctx, r, 1500*time.Millisecond)
				if r.IntN(3) > 0 {
					continue
				}
				if err := w.recovered(); err != nil {
					w.t.Errorf("after fault %d, %s: %v", n, f.kind, err)
				}
			}
		})
	}
	all.Wait()
	return counts
}

// sameLadder compares the ladder on screen with `rung ladder -o json`: the same
// policies with the same priorities in the same order, and none that is gone.
func (w *faultWorld) sameLadder(e *randomEditor) {
	t := w.t
	t.Helper()
	var want, got []string
	if !wait.Poll(patience, func() bool {
		want, got = w.ladder(), w.shownLadder()
		return slices.Equal(want, got)
	}) {
		t.Errorf("rung ladder says %v, the screen %v\n%s", want, got, w.screen.Frame().Boxed())
	}
	if n := len(e.there(anps)) + 1; len(want) != n { // and guard-blue
		t.Errorf("rung ladder has %d policies of %d: %v", len(want), n, want)
	}
}

// ladder are tier 1's policies as "priority name".
func (w *faultWorld) ladder() (out []string) {
	r := rung(w.t, "", on(w.c, cluster.Admin, "ladder", "-o", "json")...)
	var l struct {
		Tiers []struct {
			Tier  int
			Rungs []struct {
				Priority int
				Policies []string
			}
		}
	}
	if err := json.Unmarshal([]byte(r.out), &l); err != nil {
		w.t.Fatalf("rung ladder: %v: %s", err, r.err)
	}
	for _, tier := range l.Tiers {
		for _, rung := range tier.Rungs {
			for _, name := range rung.Policies {
				if tier.Tier == 1 {
					out = append(out, fmt.Sprintf("%d %s", rung.Priority, name))
				}
			}
		}
	}
	return out
}

var ladderLine = regexp.MustCompile(`^[▸ ] +(\d+)\S* +\S+ (p-\d+|guard-blue) `)

// shownLadder is ladder as the screen shows it.
func (w *faultWorld) shownLadder() (out []string) {
	for line := range strings.Lines(w.screen.Screen()) {
		if m := ladderLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			out = append(out, m[1]+" "+m[2])
		}
	}
	return out
}

// ends lets the programs end in order and looks for what a panic leaves behind.
func (w *faultWorld) ends() {
	t := w.t
	t.Helper()
	if w.writer.running() {
		w.writer.signal(syscall.SIGTERM)
	}
	if !wait.Poll(20*time.Second, func() bool { return !w.writer.running() }) {
		t.Error("rung reconcile does not end")
	} else if code := w.writer.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("rung reconcile ended with %d", code)
	}
	if said, err := os.ReadFile(w.writer.log); err != nil || strings.Contains(string(said), "panic") || strings.Contains(string(said), "goroutine ") {
		t.Errorf("rung reconcile said (%v) %s", err, w.writer.said())
	}
	must(t, w.screen.Terminal.Press("q"))
	code, err := w.screen.Terminal.Wait(20 * time.Second)
	if err != nil || code != 0 {
		t.Errorf("the console ended with %d: %v", code, err)
	}
	for _, dir := range []string{w.state, w.screen.Home(), filepath.Dir(w.writer.log)} {
		must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(d.Name(), "error-") {
				text, _ := os.ReadFile(path)
				t.Errorf("an internal error was reported: %s", text)
			}
			return err
		}))
	}
}
