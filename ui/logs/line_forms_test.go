package logs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// mixed feeds lines with long names, one namespace on both sides, and every verdict.
func (w *tail) mixed() {
	const control, dns = "cluster-control", "kube-system/coredns-5d78c9869d-bx7k1"
	for _, x := range []struct {
		policy   string
		dir      model.Direction
		rule     int
		src, dst string
		port     uint16
		verdict  string
	}{
		{control, model.Egress, 5, "red/web-f1", "blue/api-d0", 8080, "drop"},
		{control, model.Ingress, 4, "restricted/vault-j0", dns, 5353, "drop"},
		{control, model.Egress, 5, "blue/web-g0", "blue/db-g0", 5432, "drop"},
		{control, model.Egress, 4, "green/api-c1", "restricted/vault-j1", 443, "pass"},
		{"multi-tenant-isolation", model.Egress, 0, "monitoring/prometheus-0", "ingress-nginx/ingress-nginx-controller-7d4c-9h2fj", 10254, "drop"},
		{"break-glass", model.Ingress, 0, "blue/web-g0", "monitoring/prometheus-0", 0, "allow"},
		{control, model.Egress, 5, "red/web-f0", "8.8.8.8", 443, "drop"},
	} {
		w.line(x.policy, x.dir, x.rule, x.src, x.dst, x.port, x.verdict)
	}
}

var logLine = regexp.MustCompile(`^[ ▸] \d\d:\d\d:\d\d`)

// TestLineForms: a line keeps its verdict, the rule's number and both ends in 80 columns, and
// says more where there is more room. Only a namespace that both ends have is left out.
func TestLineForms(t *testing.T) {
	w := newTail(t, 0)
	w.mixed()
	s := w.open(nav.NewPage(nav.Logs))
	s.GoldenAt("forms", [2]int{80, 24}, [2]int{100, 30}, [2]int{120, 34}, [2]int{160, 40})
	s.Resize(80, 24)
	s.Want("red/web-f1 → blue/api-d0", "✗ cluster-control eg5", "✗ cluster-control in4", "blue/web-g0 → blue/db-g0", "» cluster-control eg4", "✗ multi-tenan…ation eg0",
		"✓ break-glass in0", "red/web-f0 → 8.8.8.8 ")
	n := 0
	for _, l := range strings.Split(s.PlainFrame(), "\n") {
		if !logLine.MatchString(l) {
			continue
		}
		n++
		if !regexp.MustCompile(`[✓✗»] \S+ (in|eg)\d$`).MatchString(strings.TrimSpace(l)) {
			t.Errorf("no verdict, decider and rule: %q", l)
		}
	}
	if n != 7 {
		t.Errorf("%d lines:\n%s", n, s.PlainFrame())
	}
	s.Want("rest…/vault-j0 → kube…/coredn…bx7k1", "moni…/prome…us-0 → ingr…/ingre…h2fj", "green/api-c1 → restricted/vault-j1")
	// Whatever the width, an end without a namespace is in that of the other.
	for width := 60; width < 130; width++ {
		s.Resize(width, 24)
		for _, l := range strings.Split(s.PlainFrame(), "\n") {
			from, to, ok := strings.Cut(l, " → ")
			if !ok || !logLine.MatchString(l) || strings.Contains(l, "db-g0") {
				continue
			}
			if !strings.Contains(from, "/") || !strings.Contains(to, "/") && !strings.HasPrefix(to, "8.8.8.8") {
				t.Errorf("no namespace in %d columns: %q", width, l)
			}
		}
	}
	s.Resize(120, 34)
	s.Want("kube-system/coredns-5d78c9869d-bx7k1", "monitoring/prometheus-0")
	s.Resize(160, 40)
	s.Want("dropped by cluster-control egress 5", "ovn-worker2", "/ingress-nginx-controller-7d4c-9h2fj")
	for width := 24; width < 200; width += 3 {
		s.Resize(width, 20)
		s.WantFits()
	}
	// The whole of the line under the cursor stands below, at any width.
	s.Resize(80, 24)
	s.Want("red/web-f0 → 8.8.8.8 (outside) tcp 443", `dropped by cluster-control egress 5 "default-deny"`)
	// Signs have plain twins.
	s = uitest.OpenWith(t, w.f, ui.Options{Page: nav.NewPage(nav.Logs), StateDir: w.state, Config: ui.Config{ASCII: true}})
	s.Resize(80, 24)
	s.Want("X cluster-control eg5", "V break-glass in0", "P cluster-control eg4")
	for _, r := range s.PlainFrame() {
		if r > 0x7e {
			t.Errorf("%q is no ASCII", r)
		}
	}
}

// TestCountsOfWhatIsShown: with a filter the counts by rule are of the lines it shows,
// beside those of all that came.
func TestCountsOfWhatIsShown(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Want("── by rule, simulated traffic ─", `quarantine ingress 0 "deny-all-pods": 12 ▁`, `break-glass ingress 0 "allow-from-support": 3 ▁`)
	s.Press("/")
	s.Type("node:worker2")
	s.Press("enter")
	s.Want("9 of 19 match", "── by rule, lines shown of all received, simulated traffic ─", `quarantine ingress 0 "deny-all-pods": 7 of 12 ▁`, `quarantine egress 0 "deny-all-pods": 2 of 4 ▁`)
	s.WantNot(`"allow-from-support"`)
	// On a pod's page other pods' lines of a rule are nobody's business.
	s = w.open(nav.Page{Kind: nav.Logs, Key: model.Key{Kind: model.KindPod, Namespace: "monitoring", Name: "prometheus-0"}})
	s.Want(`break-glass ingress 0 "allow-from-support": 3 ▁`)
	s.WantNot(`"deny-all-pods"`, "3 of ")
	// A filter of a policy's log counts among its lines, not among all.
	s = w.open(nav.Page{Kind: nav.Logs, Key: anp("quarantine")})
	s.Press("/")
	s.Type("port:443")
	s.Press("enter")
	s.Want("4 of 16 match", `egress 0 "deny-all-pods": 4 ▁`)
	s.WantNot(`ingress 0 "deny-all-pods": 12`)
	// What is paused stands still.
	s.Press("space")
	w.some()
	w.tick(s)
	s.Want("4 of 16 match", "○ paused · 4 new, G to follow", `egress 0 "deny-all-pods": 4 of 8`)
	s.Press("G")
	s.Want("8 of 32 match", `egress 0 "deny-all-pods": 8 ▁`)
	// Cleared lines are counted all the same.
	s.Press("esc", "ctrl+l")
	s.Want(`ingress 0 "deny-all-pods": 0 of 24`)
}

// TestGroupsStandByTheirLastTime: the line that came last is the last one, however
// early it came first.
func TestGroupsStandByTheirLastTime(t *testing.T) {
	w := newTail(t, 0)
	say := func(port uint16) { // every other line is of the same node
		w.line("quarantine", model.Ingress, 0, "blue/web-g0", "red/web-f0", port, "drop")
	}
	for _, port := range []uint16{1001, 1002, 1003, 1002} {
		say(port)
	}
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("z")
	order := func() (out []string) {
		for _, l := range strings.Split(s.PlainFrame(), "\n") {
			if m := regexp.MustCompile(`tcp (100\d) `).FindStringSubmatch(l); m != nil && logLine.MatchString(l) {
				out = append(out, m[1])
			}
		}
		return out
	}
	if got := fmt.Sprint(order()); got != "[1001 1003 1002]" {
		t.Errorf("order %v:\n%s", got, s.PlainFrame())
	}
	say(1001)
	w.tick(s)
	if got := fmt.Sprint(order()); got != "[1003 1002 1001]" || !strings.Contains(s.Line("▸"), "×2") {
		t.Errorf("order %v:\n%s", got, s.PlainFrame())
	}
}

// TestWhyRulesAbove: a log that is empty because rules above decide first says which, and
// leads there.
func TestWhyRulesAbove(t *testing.T) {
	w := newTail(t, 0)
	key := anp("multi-tenant-isolation")
	p := *w.parts.Cluster.Policy(key)
	p.Logging, p.HasLogging = `{"deny": "info"}`, true
	w.parts.Cluster, _ = w.parts.Cluster.Upsert([]model.Object{&p}, nil)
	w.f.Set(w.parts)
	s := w.open(nav.Page{Kind: nav.Logs, Key: key})
	s.Want("No lines yet. Why?", "egress 0 never applies: cluster-control egress 5 matches all of it first and logs at alert.")
	s.Want("⏎ opens cluster-control ingress 4")
	s.Press("enter")
	s.Want(`cluster-control ingress 4 "default-deny"`)
	s.Press("esc", "h")
	s.Want("why no lines", "⏎ goes to a rule that decides first", "cluster-control egress 5", "Deny, logs at alert")
	s.Resize(80, 24)
	s.WantFits()
	s.Want("cluster-control egress 5", "more · pgdown")
	s.Press("j", "enter")
	s.Want(`cluster-control egress 5 "default-deny"`)

	// One rule's log is about that rule alone.
	s = w.open(nav.Page{Kind: nav.Logs, Key: key, Dir: model.Egress, Rule: 0})
	s.Want("egress 0 never applies")
	s.WantNot("ingress 0 never applies")
	s = w.open(nav.Page{Kind: nav.Logs, Key: anp("cluster-control"), Dir: model.Ingress, Rule: 3})
	s.Want("ingress 3 says Pass, and Pass is not logged. L changes it.")
	s.WantNot("Allow rules")
	// What logs is about itself and has nothing above.
	s = w.open(nav.Page{Kind: nav.Logs, Key: anp("break-glass")})
	s.WantNot("never applies", "applies only partly")
}

// The whole of the line under the cursor keeps both pods' own ends and the port at 80.
func TestWholeLineKeepsPort(t *testing.T) {
	w := newTail(t, 0)
	w.line("cluster-control", model.Egress, 5, "ingress-nginx/ingress-nginx-controller-7d4c-9h2fj", "kube-system/coredns-5d78c9869d-bx7k1", 5353, "drop")
	s := w.open(nav.NewPage(nav.Logs))
	s.Resize(80, 24)
	l := s.Line(" → kube-system/")
	for _, want := range []string{"ingress-nginx/", "9h2fj → ", "bx7k1 "} {
		if !strings.Contains(l, want) {
			t.Errorf("no %q in %q", want, l)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(l), " 5353") {
		t.Errorf("no port in %q", l)
	}
}
