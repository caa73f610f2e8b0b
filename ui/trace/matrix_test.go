package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/revision"
	"rung/test/made"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

func openMatrix(t testing.TB, p *revision.Facts, namespace, port string) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, p, nav.ToMatrix(namespace, port))
}

// many are facts with 30 namespaces more, whose names are long.
func many(t testing.TB) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	var more []model.Object
	for i := range 30 {
		ns := fmt.Sprintf("team-payments-and-settlement-service-%02d-integration-environment", i)
		pod := made.Pod(ns+"/worker", "", fmt.Sprintf("10.244.9.%d", i+1))
		pod.NodeName = "ovn-worker"
		more = append(more, made.NS(ns, "kubernetes.io/metadata.name="+ns), pod)
	}
	p.Cluster, _ = p.Cluster.Upsert(more, nil)
	p.Desired = nil
	return p
}

func TestMatrixGoldens(t *testing.T) {
	s := openMatrix(t, uitest.DemoFacts(t), "", "")
	s.Press("right", "right", "down", "down", "down", "space")
	s.Golden("namespaces")
	s.ResizeAll()
	s.Press("tab")
	s.Golden("swapped")

	s = openMatrix(t, uitest.DemoFacts(t), "monitoring", "TCP 9090")
	s.Press("down", "space", "right", "right")
	s.Golden("focus")
	s.ResizeAll()

	s = openMatrix(t, many(t), "", "TCP 8080")
	for range 20 {
		s.Press("right", "down")
	}
	s.Golden("many")
	s.ResizeAll()

	s = uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Page: nav.ToMatrix("", ""), Config: ui.Config{ASCII: true}})
	s.Press("right", "down")
	s.GoldenPlain("ascii", uitest.Sizes...)
}

// Columns have the numbers of the rows; columns without a row are named below. A mixed cell says which pods differ,
// shows a connection that is denied and one that is allowed, and leads to its trace.
func TestColumnsAndExamples(t *testing.T) {
	s := openMatrix(t, uitest.DemoFacts(t), "", "")
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		s.Resize(size[0], size[1])
		s.Want(" 1  2  3  4  5  6", " 10 11")
		s.WantNot("columns:")
	}
	s.Press("/")
	s.Type("mon")
	s.Press("enter")
	s.Want("columns: 1 blue", " 5 kube-system")
	s.Press("esc", "g")
	s.Resize(120, 34)
	s.Press("right", "right", "right", "right", "right") // blue → kube-system
	s.Want("blue → kube-system", "± mixed", "allow to kube-proxy-8l5xv", "deny to coredns-", "denied, for example blue/api-d0 → kube-system/", "allowed, for example blue/api-d0 → kube-system/")
	if denied, allowed := s.Line("denied, for example"), s.Line("allowed, for example"); strings.Fields(denied)[3] != strings.Fields(allowed)[3] {
		t.Errorf("of different ends:\n%s\n%s", denied, allowed)
	}
	s.Press("enter")
	s.Want("trace blue/api-d0 → kube-system/", "✗ denied by")
	wide := openMatrix(t, many(t), "", "TCP 8080")
	wide.Want(" 10 11 12 ")
}

// A cell leads to the trace of one of its connections, whose verdict is the cell's, and t
// asks about it; the name of a row leads to its namespace alone, that of a pod to the pod.
func TestLeadsOn(t *testing.T) {
	s := openMatrix(t, uitest.DemoFacts(t), "", "TCP 8080")
	s.Press("right", "down")
	s.Want("blue-dev → blue", "✗ deny: all 10 pairs", "for example blue-dev/api-g0 → blue/api-d0 tcp 8080")
	s.Press("enter")
	s.Want("trace blue-dev/api-g0 → blue/api-d0 tcp 8080", "✗ denied by")
	s.Press("esc")
	if l := s.Line("[✗]"); !strings.Contains(l, "▸  2 ▷ blue-dev") {
		t.Errorf("back on %q", l)
	}
	s.Press("t")
	s.Want("trace a connection", "blue-dev/api-g0", "blue/api-d0")
	s.Press("esc", "left", "enter")
	s.Want("matrix of blue-dev TCP 8080", "from it", "to it")
	s.Press("g", "space", "j")
	s.Want("api-d*")
	s.Press("space", "j", "enter")
	s.Want("› pod blue/api-d0")
}

// A policy that goes changes the cells; until the new ones are worked out the old ones stay.
func TestFollowsChanges(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := openMatrix(t, p, "", "TCP 8080")
	s.Press("right")
	s.Want("blue → blue", "✗ deny: all 20 pairs")
	q := *p
	q.Cluster, _ = p.Cluster.Upsert(nil, keysOf(p.Cluster))
	q.Desired = nil
	s.Console.Set(&q)
	s.Console.Advance(time.Minute)
	s.Refresh()
	s.Want("blue → blue", "✓ allow: all 20 pairs")
}

func keysOf(c *model.Cluster) (out []model.Key) {
	for p := range c.AllPolicies() {
		out = append(out, p.Key)
	}
	return out
}

// Ports are asked for, and a text that is none is said to be wrong.
func TestPorts(t *testing.T) {
	s := openMatrix(t, uitest.DemoFacts(t), "", "")
	s.Want("any port")
	s.Press("#")
	s.Type("icmp/80x")
	s.Press("enter")
	s.Want("■ ")
	for range 8 {
		s.Press("backspace")
	}
	s.Type("53/udp")
	s.Press("enter")
	s.Want("UDP 53 · from rows", "matrix UDP 53")
	s.Press("#")
	s.Type("any")
	s.Press("enter")
	s.Want("any port · from rows")
	openMatrix(t, uitest.DemoFacts(t), "", "TCP 99999").Want("cannot ask: port 99999: use 1 to 65535")
	openMatrix(t, uitest.DemoFacts(t), "gone", "").Want("namespace gone has no pods, or does not exist")
	p := uitest.DemoFacts(t)
	p.Cluster, p.Desired = nil, nil
	openMatrix(t, p, "", "").Want("no pods, so no connections")
}

// Only what is asked for is shown: other rows, columns and cells are not.
func TestOnlyAndFilter(t *testing.T) {
	s := openMatrix(t, uitest.DemoFacts(t), "", "TCP 8080")
	if l := s.Line("ingress-nginx"); strings.Count(l, "✓") == 0 {
		t.Fatalf("nothing is allowed in %q", l)
	}
	s.Press("V")
	s.Want("only deny")
	if l := s.Line("ingress-nginx"); strings.Contains(l, "✓") || !strings.Contains(l, "✗") {
		t.Errorf("only deny: %q", l)
	}
	s.Press("V", "V")
	s.Want("only undefined", "nothing here is undefined")
	s.Press("V", "V")
	s.WantNot("only undefined", "only unknown")
	s.Press("/")
	s.Type("mon")
	s.Press("enter")
	s.Want("monitoring", "1 of 11")
	s.WantNot("▸ restricted")
}

func TestMatrixCopies(t *testing.T) {
	s := openMatrix(t, uitest.DemoFacts(t), "", "TCP 8080")
	s.Press("right", "y")
	s.Want("rung trace command", "rung matrix command", "cell")
}

// Services and addresses outside are columns where that is wanted, and a cell leads to its trace.
func TestServicesAndOutside(t *testing.T) {
	s := openMatrix(t, uitest.DemoFacts(t), "blue", "")
	s.WantNot("service/", "8.8.8.8")
	s.Press("I")
	s.Want("service/kube-system/kube-dns")
	s.Press("/")
	s.Type("kube-dns")
	s.Press("enter", "right", "enter")
	s.Want("trace blue/", "service kube-system/kube-dns")
	s.Press("esc", "esc", "X")
	s.Want("service/kube-system/kube-dns")
	s.Press("G", "enter")
	s.Want("trace blue/")
	s.Press("esc", "I")
	s.WantNot("service/")
	s = openMatrix(t, uitest.DemoFacts(t), "", "")
	s.Press("X", "I")
	s.Want(" Services · ", " blocks outside · ")
	s.Golden("reached")
	s.ResizeAll()
	s.Press("tab", "G", "enter") // rows are where they go to; one of them is no page
	s.Want("nothing to open here")
}
