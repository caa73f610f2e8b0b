package timing

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/term"
)

// TestTimingFirstFrame: a frame with header, all rungs, priorities and marks
// within 150 ms of the start of the process, and within framesOfVersion times what `rung version` takes
// in turn with it, so that a slow machine does not hide what was added to every start.
func TestTimingFirstFrame(t *testing.T) {
	const framesOfVersion = 5
	slack := time.Duration(install.Timing(t))
	var took, version []time.Duration
	for range 7 {
		v := term.Start(t, term.Options{Path: install.Binary(t), Args: []string{"version"}, Width: 120, Height: 34, Watch: []string{"go1."}})
		version = append(version, v.WaitSeen("go1."))
		v.Close()
		d := term.Start(t, term.Options{Path: install.Binary(t), Args: []string{"demo"}, Width: 120, Height: 34, Watch: []string{"experimental"}})
		// What is written last; the rest is there by then, or comes with it.
		took = append(took, d.WaitSeen("experimental"))
		d.WaitFor("rung", "break-glass", "80", "┊", "experimental", "✗", "conflicts with", "overridden")
		d.Close()
	}
	slices.Sort(took)
	slices.Sort(version)
	m, v := took[len(took)/2], version[len(version)/2]
	t.Logf("first frame with all rungs: median %v, of %v; rung version: median %v, of %v", m, took, v, version)
	if m > slack*150*time.Millisecond {
		t.Errorf("median %v, more than %d × 150 ms", m, slack)
	}
	if m > slack*framesOfVersion*v {
		t.Errorf("median %v, more than %d × %d times that of rung version, %v", m, slack, framesOfVersion, v)
	}
}

// TestTimingFirstFrameOnOVN: with OVN behind it the first frame comes as fast.
func TestTimingFirstFrameOnOVN(t *testing.T) {
	slack := time.Duration(install.Timing(t))
	tools := install.OVN(t, sandbox.FindTools)
	place := cmp.Or(os.Getenv(install.OVNVar), "auto")
	took := map[string][]time.Duration{}
	for range 7 {
		for _, with := range []string{"off", place} {
			d := term.Start(t, term.Options{Path: install.Binary(t), Args: []string{"demo", "--sandbox-ovn", with}, Width: 120, Height: 34, Watch: []string{"experimental"}})
			took[with] = append(took[with], d.WaitSeen("experimental"))
			d.Close()
		}
	}
	median := func(with string) time.Duration {
		slices.Sort(took[with])
		return took[with][len(took[with])/2]
	}
	without, on := median("off"), median(place)
	t.Logf("first frame with all rungs: median %v without OVN, of %v; %v on %s, of %v", without, took["off"], on, tools.Describe(), took[place])
	if on > slack*150*time.Millisecond {
		t.Errorf("median %v, more than %d × 150 ms", on, slack)
	}
}

// TestTimingConsole: at 1,000 pods and 50 policies of 20 rules, with 50 pod
// events a second, a key shows within 16 ms at p99 on the ladder and a rule
// opens within 50 ms; the process stays under 130 MB.
func TestTimingConsole(t *testing.T) {
	slack := time.Duration(install.Timing(t))
	path := filepath.Join(t.TempDir(), "cluster.yaml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := workload.Write(f, workload.Console); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	d := term.Start(t, term.Options{Path: install.Binary(t), Args: []string{"-f", path, "--sandbox-ovn", "off", "--churn", "50", "--traffic", "10"}, Width: 120, Height: 34})
	// With 50 events a second there is always some row on its way.
	d.WaitUntil("the rows are there", func(f *term.Frame) bool {
		return strings.Count(f.Text(), "─ ") > 10 && !strings.Contains(f.Text(), "starting")
	})
	time.Sleep(2 * time.Second)

	var moves []time.Duration
	for i := range 1000 {
		key := "j"
		if i/12%2 == 1 {
			key = "k"
		}
		was := cursor(d.Terminal.Frame())
		took, err := d.LatencyUntil(key, "the cursor moves", func(f *term.Frame) bool { c := cursor(f); return c >= 0 && c != was }, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, took)
		time.Sleep(10 * time.Millisecond)
	}
	report(t, "a key on the ladder", moves, slack, 16*time.Millisecond)

	d.Press("enter").WaitFor("rules")
	var opens []time.Duration
	for range 60 {
		took, err := d.LatencyUntil("enter", "the rule opens", func(f *term.Frame) bool { return strings.Contains(f.Text(), "term by term") }, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		opens = append(opens, took)
		d.Press("esc")
		d.WaitGone("term by term")
		d.Press("j")
		time.Sleep(20 * time.Millisecond)
	}
	report(t, "opening a rule", opens, slack, 50*time.Millisecond)

	rss := memory(t, d.Pid())
	t.Logf("memory of the process: %d MB", rss>>20)
	most := 130 << 20
	if slack > 1 { // the collector ends later where others have the cores
		most += most / 4
	}
	if rss > most {
		t.Errorf("memory %d MB, more than %d", rss>>20, most>>20)
	}
}

// cursor is the line the cursor is on, -1 without one.
func cursor(f *term.Frame) int {
	for y := range f.Height {
		if strings.HasPrefix(f.Line(y), "▸") {
			return y
		}
	}
	return -1
}

// report holds the limit at p99 on a quiet machine. On one that does other work the
// slowest of 60 says how long that work had the cores, so p90 is held there.
func report(t *testing.T, what string, took []time.Duration, slack, limit time.Duration) {
	t.Helper()
	slices.Sort(took)
	p := func(q float64) time.Duration { return took[min(len(took)-1, int(q*float64(len(took))))] }
	t.Logf("%s: median %v, p90 %v, p99 %v, max %v", what, p(.5), p(.9), p(.99), took[len(took)-1])
	held := .99
	if slack > 1 {
		held = .9
	}
	if p(held) > slack*limit {
		t.Errorf("%s: p%.0f %v, more than %v", what, 100*held, p(held), slack*limit)
	}
}

// memory is the resident set of a process in bytes.
func memory(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("the memory of a process cannot be read here: %v", err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
