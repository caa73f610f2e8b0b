package kube_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/term"
	"rung/test/wait"
)

// scale is the size of the test: zones are real ovsdb-servers for the first
// nodes, and replayed for the others.
type scale struct {
	workload.Size
	real    int   // zones with an ovsdb-server of their own
	altered int   // replayed zones in which one row reads otherwise
	written []int // how many zones are written while the way of pods is measured
	pods    int   // that come then, each time
	// patience bounds the wait for every zone to be read.
	patience time.Duration
	// slack is how much longer than its goal a time may be: other tests and people
	// share the machine with the small form.
	slack time.Duration
}

// The whole is 10,000 pods under 50 × 40 × 3 on 500 nodes; RUNG_SCALE=1 asks for
// it. What `make e2e` runs takes the same way in a minute or two.
var (
	wholeScale = scale{Size: workload.Size{Nodes: 500, Namespaces: 200, Pods: 10000, Policies: 50, Rules: 40, Peers: 3, Seed: 2},
		real: 20, altered: 5, written: []int{1, 3, 10}, pods: 40, patience: 5 * time.Minute, slack: 1}
	smallScale = scale{Size: workload.Size{Nodes: 60, Namespaces: 50, Pods: 1000, Policies: 50, Rules: 10, Peers: 2, Seed: 2},
		real: 4, altered: 5, written: []int{1, 3}, pods: 12, patience: time.Minute, slack: 3}
)

// Goals of the whole (performance.md#on-a-cluster). namedWithin is from the read of a
// zone with a row that reads otherwise to its name on screen.
const (
	ladderWithin = 2 * time.Second
	namedWithin  = 5 * time.Second
	mostMemory   = 600.0 // MB, Rung's process at its peak
)

// followed is how many zones Rung follows (zones.DefaultFollow), by name.
const followed = 20

// A large cluster: a real API server, real databases, and many that are replayed.
func TestScale(t *testing.T) {
	s := smallScale
	if os.Getenv("RUNG_SCALE") == "1" {
		s = wholeScale
	}
	f := newFleet(t, s)
	defer f.print(t) // what is known when a step fails, too
	f.reconcileAll(t)
	f.console(t)
	for _, n := range s.written {
		f.latency(t, n)
	}
}

// console measures the console on all zones.
func (f *fleet) console(t *testing.T) {
	args := on(f.c, cluster.Viewer)
	for i, node := range f.nodes {
		addr := f.replay.Addr(node)
		if i < len(f.servers) {
			addr = f.servers[i].Addr()
		}
		args = append(args, "--nb", node+"="+addr)
	}
	if dir := os.Getenv("RUNG_SCALE_PROFILE"); dir != "" {
		args = append(args, "--profile", dir)
	}
	altered := f.alter()
	began := time.Now()
	d := term.Start(t, term.Options{Path: install.Binary(t), Args: args, Width: 200, Height: 90})
	ladder := d.WaitUntil("shows every policy", func(f *term.Frame) bool {
		text := f.Text()
		for i := range workloadPolicies {
			if !strings.Contains(text, fmt.Sprintf("policy-%02d", i)) {
				return false
			}
		}
		return true
	})
	f.row("start to a ladder with every policy", ladder, ladderWithin)
	f.named(t, d, began, altered)
	replayed := f.nodes[len(f.servers):]
	var last time.Time
	wait.Within(t, f.patience, "every zone was read", func() bool {
		for _, node := range replayed {
			at := f.replay.Sent(node)
			if at.IsZero() {
				return false
			}
			if at.After(last) {
				last = at
			}
		}
		return true
	})
	f.row(fmt.Sprintf("start to all %d replayed zones read", len(replayed)), last.Sub(began), 0)
	if took := d.Latency("?"); took > time.Second {
		t.Errorf("a key took %v", took)
	}
	peak := memoryPeak(t, d.Pid())
	f.rows = append(f.rows, fmt.Sprintf("%10.0f MB  memory of rung at its peak, %d zones (goal: %.0f MB)", peak, len(f.nodes), mostMemory))
	if peak > mostMemory {
		t.Errorf("rung took %.0f MB at its peak", peak)
	}
	d.WaitFor("keys on this page")
	d.Press("csi esc").WaitGone("keys on this page") // a lone ESC before the next key would be alt
	d.Press("ctrl+c").WaitExit(0)
}

// named waits until the ladder has named every altered zone.
func (f *fleet) named(t *testing.T, d *term.Driver, began time.Time, altered []string) {
	t.Helper()
	left := slices.Clone(altered)
	var slowest time.Duration
	end := time.Now().Add(f.patience)
	for len(left) > 0 {
		at, err := d.Terminal.WaitUntil("names one of "+strings.Join(left, " "), func(frame *term.Frame) bool {
			return slices.ContainsFunc(left, func(zone string) bool { return namedOn(frame, zone) })
		}, time.Until(end))
		must(t, err)
		frame := d.Frame()
		left = slices.DeleteFunc(left, func(zone string) bool {
			if !namedOn(frame, zone) {
				return false
			}
			slowest = max(slowest, began.Add(at).Sub(f.replay.Sent(zone)))
			return true
		})
	}
	f.row(fmt.Sprintf("a zone was read to its name on screen, slowest of %d", len(altered)), slowest, namedWithin)
}

// namedOn says whether a frame says of a zone that it is behind: the ladder does at
// the policy, before its findings.
func namedOn(f *term.Frame, zone string) bool {
	text := f.Text() + "\n"
	return strings.Contains(text, "behind "+zone+"\n") || strings.Contains(text, "behind "+zone+" ")
}

// alter makes one row read otherwise in some of the replayed zones, which it
// returns.
func (f *fleet) alter() []string {
	// Not among those that Rung follows from the start: there a difference has to
	// stand for model.SettleTime first, which is the 5 s.
	replayed := f.nodes[max(len(f.servers), followed):]
	var out []string
	for i := range f.altered {
		zone := replayed[(2*i+1)*len(replayed)/(2*f.altered)]
		f.replay.Alter(zone, f.acls[(i+1)*len(f.acls)/(f.altered+2)])
		out = append(out, zone)
	}
	return out
}

// row notes a time, and fails the test where it misses its goal (0: there is
// none).
func (f *fleet) row(what string, took, goal time.Duration) {
	text := fmt.Sprintf("%10.2f s   %s", took.Seconds(), what)
	if goal > 0 {
		text += fmt.Sprintf(" (goal: %v)", goal)
		if took > goal*f.slack {
			f.t.Errorf("%s took %v, not %v", what, took, goal)
		}
	}
	f.rows = append(f.rows, text)
}

func (f *fleet) print(t *testing.T) {
	t.Logf("\n%d pods, %d namespaces, %d nodes, %d policies × %d rules × %d peers; %d zones with a real ovsdb-server, %d replayed\n%s",
		f.Pods, f.Namespaces, f.Nodes, f.Policies, f.Rules, f.Peers, len(f.servers), len(f.nodes)-len(f.servers), strings.Join(f.rows, "\n"))
}
