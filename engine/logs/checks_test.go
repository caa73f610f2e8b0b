package logs

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/changing"
	"rung/test/given"
)

const (
	levels  = "    k8s.ovn.org/acl-logging: '{\"deny\":\"alert\"}'\n"
	quieter = "    k8s.ovn.org/acl-logging: '{\"deny\":\"warning\"}'\n"
)

// annotated is a policy with a logging annotation.
func annotated(policy, annotation string) string {
	return strings.Replace(policy, "  name: control\n", "  name: control\n  annotations:\n"+annotation, 1)
}

// storeOf is a store that follows a world and took so many lines of a rule of it in.
func storeOf(t *testing.T, w *changing.World, lines int) *Store {
	l := New(w.Current, w.Clock, 100)
	var objects []model.Change
	for o := range w.Current().Cluster.Objects() {
		objects = append(objects, model.Change{New: o})
	}
	l.Observe(objects)
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	for range lines {
		l.Offer(logline.Line{At: w.Clock(), Zone: "worker", Name: "ANP:control:Ingress:0", Verdict: "drop", Direction: nb.ToLport,
			Proto: "tcp", Src: netip.MustParseAddr("10.244.0.3"), Dst: netip.MustParseAddr("10.244.0.4"), DstPort: 80})
	}
	for l.LastNumber() < uint64(lines) {
		time.Sleep(time.Millisecond)
	}
	end()
	running.Wait()
	return l
}

// Every step of the way to a line, as it is said and mended.
func TestWhy(t *testing.T) {
	deny := given.ANP("control", 34, "", "in deny *", "out allow *")
	sandbox := revision.Mode{Name: "files", Sandbox: true, Simulated: true}
	cluster := revision.Mode{Name: revision.ClusterMode}
	for _, c := range []struct {
		what    string
		policy  string
		mode    revision.Mode
		streams []logline.Stream
		about   Subject
		lines   int
		want    []string
	}{
		{"no annotation", deny, sandbox, nil, Subject{}, 0,
			[]string{"✗ annotation  ANP control has no log level, so none of its rules logs. → rung log-level control --deny alert --allow info"}},
		{"a policy that is gone", given.ANP("other", 5, "", "in deny *"), sandbox, nil, Subject{}, 0,
			[]string{"✗ annotation  ANP control no longer exists."}},
		{"a rule that is gone", annotated(deny, levels), sandbox, nil, Subject{Dir: model.Ingress, Rule: 7}, 0,
			[]string{"✓ annotation  Its annotation sets deny=alert.", "✗ level       ingress 7 no longer exists."}},
		{"a level that is off", annotated(deny, levels), sandbox, nil, Subject{}, 0, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✓ level       1 of its 2 rules logs.",
			"◇ level       Allow rules do not log: no level is set for them.",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"? traffic     Traffic is simulated: connections between running pods, at a fixed rate."}},
		{"the rule whose level is off", annotated(deny, levels), sandbox, nil, Subject{Dir: model.Egress, Rule: 0}, 0, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✗ level       egress 0 says Allow, and Allow is not logged. → rung log-level control --deny alert --allow info",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"? traffic     Traffic is simulated: connections between running pods, at a fixed rate."}},
		{"levels of which no rule has one", annotated(given.ANP("control", 34, "", "in allow *", "out allow *"), levels), sandbox, nil, Subject{}, 0, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"? level       Deny is set to alert, but it has no Deny rule.",
			"✗ level       Allow rules do not log. → rung log-level control --deny alert --allow info",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"? traffic     Traffic is simulated: connections between running pods, at a fixed rate."}},
		{"only what it has rules for", given.ANP("control", 34, "", "in allow *"), sandbox, nil, Subject{}, 0,
			[]string{"✗ annotation  ANP control has no log level, so none of its rules logs. → rung log-level control --allow info"}},
		{"levels that are set stay", annotated(given.ANP("control", 34, "", "in deny tenant=blue", "in pass *"), quieter), sandbox, nil, Subject{Dir: model.Ingress, Rule: 1}, 0, []string{
			"✓ annotation  Its annotation sets deny=warning.",
			"✗ level       ingress 1 says Pass, and Pass is not logged. → rung log-level control --deny warning --pass info",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"? traffic     Traffic is simulated: connections between running pods, at a fixed rate."}},
		{"a rule that logs, with lines", annotated(deny, levels), sandbox, nil, Subject{Dir: model.Ingress, Rule: 0}, 3, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✓ level       1 rule of it logs.",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"✓ traffic     3 lines since 12:00:00, the last at 12:00:00."}},
		{"at the limit", annotated(deny, levels), sandbox, nil, Subject{Dir: model.Ingress, Rule: 0}, 20, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✓ level       1 rule of it logs.",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✗ meter       control ingress 0 in zone worker is at the limit of 20 lines/s: lines are being lost, how many is unknown. → log fewer actions, or raise logging's rate limit (ovnkube-controller's --acl-logging-rate-limit)",
			"✓ traffic     20 lines since 12:00:00, the last at 12:00:00."}},
		{"a cluster that is not followed", annotated(deny, levels), cluster, nil, Subject{Dir: model.Ingress, Rule: 0}, 0, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✓ level       1 rule of it logs.",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"✗ stream      The nodes' logs are not followed yet: no node is known, or the cluster has not been read.",
			"? traffic     No line so far: perhaps it decided no new connection. → rung trace shows what decides a connection"}},
		{"streams", annotated(deny, levels), cluster, []logline.Stream{
			{Zone: "a", Namespace: "openshift-ovn-kubernetes", Container: "ovn-controller", State: logline.StreamOpen},
			{Zone: "b", Namespace: "ovn-kubernetes", Container: "ovn-controller", State: logline.StreamOpen, ACLs: 5, Unseen: 1200},
			{Zone: "c", State: logline.StreamDenied, Error: "no permission to get pods/log"},
		}, Subject{Dir: model.Ingress, Rule: 0}, 0, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✓ level       1 rule of it logs.",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"? container   The container with the ACL log was found on 2 of 3 nodes.",
			"✗ console     a: no container ovn-acl-logging, and OpenShift's ovn-controller prints no ACL lines: look for them in /var/log/ovn/acl-audit-log.log on the node. → oc adm node-logs NODE --path=ovn/acl-audit-log.log",
			"✗ stream      The log of c cannot be followed: no permission since 00:00:00: no permission to get pods/log.",
			"? stream      Numbers are missing in ovn-controller's lines of b (1,200): lines were lost on the way here, or went to another of its outputs. The meter leaves no such gap.",
			"? stream      1 node followed without an ACL line so far: a. A connection is logged on the node of the pod the policy applies to.",
			"? traffic     No line so far: perhaps it decided no new connection. → rung trace shows what decides a connection"}},
		{"files, one of something else", annotated(deny, levels), revision.Mode{Name: "files", Sandbox: true}, []logline.Stream{
			{File: "/var/log/acl.log", State: logline.StreamEnded, Lines: 9, ACLs: 5},
			{File: "/var/log/other.log", State: logline.StreamEnded, Lines: 3},
			{File: "/var/log/gone.log", State: logline.StreamFailed, Error: "permission denied"},
		}, Subject{Dir: model.Ingress, Rule: 0}, 0, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✓ level       1 rule of it logs.",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"✗ files       /var/log/gone.log cannot be read: permission denied.",
			"✓ files       5 ACL lines in 3 log files.",
			"? files       No ACL line so far in other.log, gone.log.",
			"? traffic     No line of it in the log files: it may not have logged then, or decided no new connection."}},
		{"a file of something else", annotated(deny, levels), revision.Mode{Name: "files", Sandbox: true}, []logline.Stream{
			{File: "/var/log/other.log", State: logline.StreamEnded, Lines: 3},
		}, Subject{Dir: model.Ingress, Rule: 0}, 0, []string{
			"✓ annotation  Its annotation sets deny=alert.",
			"✓ level       1 rule of it logs.",
			"? rows        No zone was read, so it is unknown whether rows have log=true.",
			"✓ meter       The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.",
			"✗ files       1 log file: 3 lines were read, but none is an ACL line. → use the log with ACL lines: acl-audit-log.log on OpenShift, otherwise ovn-controller's",
			"? traffic     No line of it in the log files: it may not have logged then, or decided no new connection."}},
	} {
		w := changing.New(t, c.policy)
		w.Rev.Mode = c.mode
		l := storeOf(t, w, c.lines)
		if c.streams != nil {
			l.ListStreamsWith(func() []logline.Stream { return c.streams })
		}
		c.about.Policy = given.ANPKey("control")
		var got []string
		for _, x := range CheckSteps(l, w.Current(), c.about) {
			got = append(got, x.TextLine())
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, d)
		}
	}
}

// What decides before a rule keeps its lines away: said with the rule that does, and how
// to see its lines.
func TestNeverComes(t *testing.T) {
	own := annotated(given.ANP("control", 9, "tenant=blue", "in deny tenant=green tcp:80", "in deny *"), levels)
	loud := strings.Replace(given.ANP("over", 5, "", "in deny tenant=green"), "  name: over\n", "  name: over\n  annotations:\n"+levels, 1)
	for _, c := range []struct {
		what     string
		policies []string
		want     []string
	}{
		{"nothing", []string{own}, nil},
		{"all of a rule, in silence, and part of another", []string{own, given.ANP("over", 5, "", "in deny tenant=green")}, []string{
			"✗ order       ingress 0 never applies: over ingress 0 matches all of it first and does not log. → rung log-level over --deny alert",
			"? order       ingress 1 decides only part of what it matches; rules before: over ingress 0 (does not log) and ingress 0 (logs at alert).",
		}},
		{"one that logs other actions", []string{own, strings.Replace(loud, `"deny":"alert"`, `"allow":"notice"`, 1)}, []string{
			"✗ order       ingress 0 never applies: over ingress 0 matches all of it first and does not log. → rung log-level over --deny alert --allow notice",
			"? order       ingress 1 decides only part of what it matches; rules before: over ingress 0 (does not log) and ingress 0 (logs at alert).",
		}},
		{"one that logs", []string{own, loud}, []string{
			"✗ order       ingress 0 never applies: over ingress 0 matches all of it first and logs at alert.",
			"? order       ingress 1 decides only part of what it matches; rules before: over ingress 0 (logs at alert) and ingress 0 (logs at alert).",
		}},
	} {
		w := changing.New(t, c.policies...)
		var got []string
		for _, x := range OverruledChecks(t.Context(), w.Current(), Subject{Policy: given.ANPKey("control")}) {
			got = append(got, x.TextLine())
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, d)
		}
	}
}
