//go:build unix

package journey_test

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rung/test/install"
	"rung/test/wait"
)

// crowded are the priorities of the policies of the plan's journey: 24 of them
// with a pair, a triple and more ties, and next to no room.
var crowded = []int{0, 1, 1, 2, 3, 3, 3, 7, 8, 9, 9, 20, 21, 22, 22, 40, 41, 42, 43, 43, 60, 61, 62, 98}

// crowd writes a cluster of three nodes with those policies.
func crowd(t *testing.T) (path string, start map[string]int) {
	t.Helper()
	var b strings.Builder
	b.WriteString(nodes())
	start = map[string]int{}
	for i, p := range crowded {
		name := fmt.Sprintf("p%02d", i)
		start[name] = p
		b.WriteString("---\n" + policyText(name, p))
	}
	path = filepath.Join(short(t), "crowd.yaml")
	write(t, path, b.String())
	return path, start
}

// nodes are three of them, with three pods each.
func nodes() string {
	var b strings.Builder
	for i := range 3 {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node%d\n", i)
	}
	for i, ns := range []string{"blue", "monitoring", "red"} {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n  labels:\n    kubernetes.io/metadata.name: %s\n", ns, ns)
		for j := range 3 {
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-%d\n  namespace: %s\nspec:\n  nodeName: node%d\n"+
				"  containers:\n  - name: c\n    image: registry.example/c\nstatus:\n  phase: Running\n  podIP: 10.244.%d.%d\n  podIPs:\n  - ip: 10.244.%d.%d\n", j, ns, j, j, i+2, j, i+2)
		}
	}
	return b.String()
}

// TestPlan: re-space a crowded ladder with one zone's server stopped on the way:
// the plan waits for the zone and says so, goes on when the server does, and at
// no moment does any zone hold two policies the wrong way round.
func TestPlan(t *testing.T) {
	t.Parallel()
	server, client := install.Server(t, "ovsdb-server"), install.Server(t, "ovsdb-client")
	path, start := crowd(t)
	c := open(t, setup{files: []string{path}, args: []string{"--traffic", "0", "--sandbox-ovsdb", server}, h: 44}).ready()
	sockets := c.sockets()
	if len(sockets) != 3 {
		t.Fatalf("zones %v, want three", sockets)
	}
	var watches []*watch
	for zone, socket := range sockets {
		w := follow(t, client, zone, socket, start)
		defer w.stop()
		watches = append(watches, w)
	}

	c.planned("5 5", 24).does("a", "[ n no ]").answers("[ n no ]", "y")
	c.sees("running", "2 of ")
	pid := serverOf(t, sockets["node1"])
	signal(t, pid, syscall.SIGSTOP)
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	c.sees("○ running", "waiting for node1 (", "it continues by itself")
	stands := progress(c.Frame())
	for _, w := range watches[1:] {
		// One of them may not have been told of the last step yet.
		ahead := 0
		if !wait.Poll(wait.Patience, func() bool { ahead = apart(watches[0].now(), w.now()); return ahead <= 1 }) {
			t.Fatalf("%d policies stand differently in zones %s and %s: the plan went on without one of them", ahead, watches[0].zone, w.zone)
		}
	}
	c.t.Logf("paused with %s done", stands)
	signal(t, pid, syscall.SIGCONT)
	c.sees("✓ finished")

	final := map[string]int{}
	slot, last := 0, -1
	for i, p := range crowded {
		if p != last {
			slot, last = slot+5, p
		}
		final[fmt.Sprintf("p%02d", i)] = slot
	}
	for _, w := range watches {
		w.reaches(final)
		t.Log(w.stop())
	}
	c.press("esc").at("Ladder").pick("p01", "10").sees("= 10 shared by 2")
	c.quits()
}

// progress is "k of n" of the plan on the screen.
func progress(f *frame) string {
	for y := range f.Height {
		if before, _, ok := strings.Cut(f.Line(y), " done"); ok {
			fields := strings.Fields(before)
			return strings.Join(fields[max(0, len(fields)-3):], " ")
		}
	}
	return ""
}

// apart counts the policies that decide at different priorities.
func apart(a, b map[string]int) (n int) {
	for name, p := range a {
		if b[name] != p {
			n++
		}
	}
	return n
}

// serverOf is the process that serves a socket.
func serverOf(t *testing.T, socket string) int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,args=").Output()
	if err != nil {
		t.Fatalf("listing processes: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "punix:"+socket) {
			pid, err := strconv.Atoi(strings.Fields(line)[0])
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("no process serves %s", socket)
	return 0
}

// maxOVNPriority is what AdminNetworkPolicy priorities count down from, 100 for
// each.
const maxOVNPriority = 30000

// judge holds what one zone's ACLs say about the order of the policies.
type judge struct {
	start map[string]int            // priorities before the plan
	rows  map[string]map[string]int // policy → row → OVN priority
}

// at is the priority each policy decides at; bad tells rows of one policy that
// do not agree.
func (j *judge) at() (at map[string]int, bad string) {
	at = map[string]int{}
	for policy, rows := range j.rows {
		for _, p := range rows {
			prio := (maxOVNPriority - p) / 100
			if old, ok := at[policy]; ok && old != prio {
				return nil, fmt.Sprintf("%s decides at %d and at %d", policy, old, prio)
			}
			at[policy] = prio
		}
	}
	return at, ""
}

// wrong names a pair that is the wrong way round, or tied though it was apart.
func (j *judge) wrong() string {
	at, bad := j.at()
	if bad != "" {
		return bad
	}
	names := slices.Sorted(maps.Keys(at))
	for _, a := range names {
		for _, b := range names {
			if j.start[a] < j.start[b] && at[a] >= at[b] {
				return fmt.Sprintf("%s (was %d) is at %d, %s (was %d) at %d", a, j.start[a], at[a], b, j.start[b], at[b])
			}
		}
	}
	return ""
}
