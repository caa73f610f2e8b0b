package revision

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/given"
)

// TestTouchesTier2: who is meant by the peers of NetworkPolicies and
// EgressFirewalls.
func TestTouchesTier2(t *testing.T) {
	r := revisionOf(t,
		given.NP("blue", "in", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}]}, {from: [{namespaceSelector: {matchLabels: {tenant: red}}}]}, {}]}"),
		given.NP("green", "blocks", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.244.0.0/16, except: [10.244.0.6/32]}}]}]}"),
		given.EF("red", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}"))
	subnets := New(Facts{Cluster: r.Cluster, Desired: compiler.Compile(r.Cluster, compiler.Options{IPv4: true,
		ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}})}, nil)
	for _, tt := range []struct {
		pod  string
		host bool
		want string
	}{
		{"blue/web-0", false, "[in Ingress 0 subject] [in Ingress 1 subject] [in Ingress 2 subject] [blocks Egress 0 peer 10.244.0.0/16]"},
		{"blue/db-1", false, "[in Ingress 0 peer ] [blocks Egress 0 peer 10.244.0.0/16]"},
		{"blue/db-1", true, "[in Ingress 0 peer ]"}, // its address is the node's
		{"green/web-0", false, "[blocks Egress 0 subject]"},
		{"red/web-0", false, "[in Ingress 1 peer ] [blocks Egress 0 peer 10.244.0.0/16] [default Egress 0 subject]"},
		{"red/web-0", true, ""}, // whole namespaces leave the host's network out
	} {
		ns, name, _ := strings.Cut(tt.pod, "/")
		pod := *r.Cluster.Pod(ns, name)
		pod.HostNetwork = tt.host
		var got []string
		for _, x := range RulesTouchingPod(subnets, &pod) {
			s := fmt.Sprintf("[%s %s %d", x.Policy.Name, x.Direction, x.Rule)
			if x.AsSubject {
				s += " subject"
			}
			if x.AsPeer {
				s += " peer " + x.Network
			}
			got = append(got, s+"]")
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s host %v: %s\nwant %s", tt.pod, tt.host, s, tt.want)
		}
	}
	pod := r.Cluster.Pod("red", "web-0")
	touched := RulesTouchingPod(r, pod)
	if last := touched[len(touched)-1]; !last.AsPeer || last.Network != "0.0.0.0/0" {
		t.Errorf("without cluster subnets a firewall means pods too: %+v", last)
	}
}

func TestIsolating(t *testing.T) {
	r := revisionOf(t, given.NP("blue", "b", "{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress, Egress]}"), given.NP("blue", "a", "{podSelector: {}}"),
		given.NP("green", "a", "{podSelector: {}, policyTypes: [Egress]}"))
	for pod, want := range map[string]string{
		"blue/web-0":  "ingress [NP blue/a NP blue/b] egress [NP blue/b]",
		"blue/db-1":   "ingress [NP blue/a] egress []",
		"green/web-0": "ingress [] egress [NP green/a]",
		"red/web-0":   "ingress [] egress []",
	} {
		ns, name, _ := strings.Cut(pod, "/")
		got := ""
		for _, dir := range []model.Direction{model.Ingress, model.Egress} {
			labels := []string{}
			for _, k := range IsolatingPolicies(r, r.Cluster.Pod(ns, name), dir) {
				labels = append(labels, k.Label())
			}
			got += fmt.Sprintf(" %s %v", dir.Lower(), labels)
		}
		if got[1:] != want {
			t.Errorf("%s: %s, want %s", pod, got[1:], want)
		}
	}
}

// TestNamespaceLogging: the levels of tier 2 are the namespace's, and not Rung's to
// change.
func TestNamespaceLogging(t *testing.T) {
	rev := revisionOf(t, given.NP("blue", "web", "{podSelector: {}}"), given.ANP("one", 1, "tenant=blue", "in deny *"))
	ns := *rev.Cluster.Namespace("blue")
	ns.Annotations = map[string]string{model.AnnotationLogging: `{"deny": "warning", "allow": "loud"}`}
	rev = rev.WithPolicies([]model.Object{&ns}, nil)
	got := PolicyLogging(rev, rev.Cluster.Policy(given.NPKey("blue", "web")))
	want := RuleLogging{Levels: model.LogLevels{Deny: "warning"}, Namespace: "blue", Problems: []string{`invalid log level "loud": allow is not logged`}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l := PolicyLogging(rev, rev.Cluster.Policy(given.ANPKey("one"))); l.Namespace != "" || l.Levels.IsOn() {
		t.Errorf("%+v", l)
	}
	rev.Mode.Kubectl.Flags = "'--context=my lab'" // what is copied asks the cluster that Rung asks
	const command = `kubectl '--context=my lab' annotate namespace blue 'k8s.ovn.org/acl-logging={"allow":"info","deny":"warning"}' --overwrite`
	if c := NamespaceLogsCommand(rev, "blue"); c != command {
		t.Error(c)
	}
}

// rung log-level sets all levels: what makes a policy log more leaves it those it has.
func TestLogLevelCommand(t *testing.T) {
	loud := strings.Replace(given.ANP("one", 1, "tenant=blue", "in deny *"), "  name: one\n",
		"  name: one\n  annotations: {k8s.ovn.org/acl-logging: '{\"deny\":\"notice\",\"allow\":\"debug\"}'}\n", 1)
	rev := revisionOf(t, loud, given.ANP("default", 2, "", "in deny *"), given.BANP("", "in deny *"))
	for _, c := range []struct {
		policy model.PolicyKey
		also   []model.Action
		want   string
	}{
		{given.ANPKey("one"), []model.Action{model.Pass, model.Deny}, "rung log-level one --deny notice --allow debug --pass info"},
		{given.ANPKey("one"), nil, "rung log-level one --deny notice --allow debug"},
		{given.ANPKey("default"), []model.Action{model.Deny}, "rung log-level ANP/default --deny alert"},
		{model.Key{Kind: model.KindBANP, Name: "default"}, []model.Action{model.Allow}, "rung log-level BANP/default --allow info"},
	} {
		if got := LogLevelCommand(rev, rev.Cluster.Policy(c.policy), c.also...); got != c.want {
			t.Errorf("%s: %s, want %s", c.policy, got, c.want)
		}
	}
}

// TestShowsDefaultDeny: a NetworkPolicy without rules shows once the default deny of
// its namespace does.
func TestShowsDefaultDeny(t *testing.T) {
	r := revisionOf(t, given.NP("blue", "deny", "{podSelector: {}}"))
	deny := given.NPKey("blue", "deny")
	show := func(rows ...*nb.ACL) ZoneShown {
		var changes []nb.RowChange
		for i, a := range rows {
			live := *a
			live.UUID = fmt.Sprint("acl-", i)
			changes = append(changes, nb.RowChange{New: &live})
		}
		live := withZones(r, &model.ZoneState{Name: "worker", Conn: model.ConnSynced, SyncedAt: given.Now, DB: (*nb.DB)(nil).Apply(changes)})
		return ZonesShowing(live, []model.PolicyKey{deny}, nil)[0]
	}
	if s := show(); s.OK || s.Why != "2 of 2 ACLs not live yet" {
		t.Errorf("without rows: %+v", s)
	}
	both := append(r.ACLs(DefaultDeny("blue", model.Ingress), "worker"), r.ACLs(DefaultDeny("blue", model.Egress), "worker")...)
	if s := show(both...); !s.OK {
		t.Errorf("with the default deny: %+v", s)
	}
}
