package engine

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/nb"
)

// np writes a NetworkPolicy; spec is its spec in flow style.
func np(namespace, name, spec string) string {
	return fmt.Sprintf("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: %s, namespace: %s}\nspec: %s\n", name, namespace, spec)
}

// ef writes an EgressFirewall; rules are in flow style.
func ef(namespace string, rules ...string) string {
	return fmt.Sprintf("apiVersion: k8s.ovn.org/v1\nkind: EgressFirewall\nmetadata: {name: default, namespace: %s}\nspec: {egress: [%s]}\n",
		namespace, strings.Join(rules, ", "))
}

func npKey(namespace, name string) model.PolicyKey {
	return model.PolicyKey{Kind: model.KindNP, Namespace: namespace, Name: name}
}

// TestTouchesTier2: who is meant by the peers of NetworkPolicies and
// EgressFirewalls.
func TestTouchesTier2(t *testing.T) {
	w := newWorld(t,
		np("blue", "in", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}]}, {from: [{namespaceSelector: {matchLabels: {tenant: red}}}]}, {}]}"),
		np("green", "blocks", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.244.0.0/16, except: [10.244.0.6/32]}}]}]}"),
		ef("red", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}"))
	subnets := NewRevision(Facts{Cluster: w.rev.Cluster, Desired: compiler.Compile(w.cluster, compiler.Options{IPv4: true,
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
		pod := *w.rev.Cluster.Pod(ns, name)
		pod.HostNetwork = tt.host
		var got []string
		for _, x := range subnets.Touches(&pod) {
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
	pod := w.rev.Cluster.Pod("red", "web-0")
	touched := w.rev.Touches(pod)
	if last := touched[len(touched)-1]; !last.AsPeer || last.Network != "0.0.0.0/0" {
		t.Errorf("without cluster subnets a firewall means pods too: %+v", last)
	}
}

func TestIsolating(t *testing.T) {
	w := newWorld(t, np("blue", "b", "{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress, Egress]}"), np("blue", "a", "{podSelector: {}}"),
		np("green", "a", "{podSelector: {}, policyTypes: [Egress]}"))
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
			for _, k := range w.rev.Isolating(w.rev.Cluster.Pod(ns, name), dir) {
				labels = append(labels, k.Label())
			}
			got += fmt.Sprintf(" %s %v", dir.Lower(), labels)
		}
		if got[1:] != want {
			t.Errorf("%s: %s, want %s", pod, got[1:], want)
		}
	}
}

// Names of 63 characters do not tell the rule of a NetworkPolicy or of an
// EgressFirewall, nor the default deny of a namespace: the packet does, or nobody.
func TestAttributionOfCutNamesOfTier2(t *testing.T) {
	long := strings.Repeat("n", 63)
	space := fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", long)
	pod := func(name, ip string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, labels: {app: %s}}\nspec: {nodeName: worker, containers: [{name: c}]}\n"+
			"status: {phase: Running, podIPs: [{ip: %s}]}\n", name, long, name, ip)
	}
	w := newWorld(t, space, pod("web", "10.244.1.1"), pod("db", "10.244.1.2"), pod("cron", "10.244.1.3"),
		np(long, "one", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}], ports: [{port: 80}]}, {from: [{ipBlock: {cidr: 10.9.0.0/16}}]}]}"),
		np(long, "two", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}], ports: [{port: 443}]}, {from: [{podSelector: {matchLabels: {app: cron}}}]}]}"),
		np(long, "three", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: cron}}}]}]}"),
		ef(long, "{type: Allow, to: {cidrSelector: 1.2.3.0/24}}", "{type: Deny, to: {cidrSelector: 1.2.0.0/16}}", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}"))
	name := model.ACLName(npKey(long, "one"), model.Ingress, 0)
	firewall := model.ACLName(model.PolicyKey{Kind: model.KindEF, Namespace: long, Name: "default"}, model.Egress, 0)
	if len(name) != model.MaxACLName || name != model.ACLName(npKey(long, ""), model.Ingress, -1) || len(firewall) != model.MaxACLName {
		t.Fatalf("the names are not cut: %q %q", name, firewall)
	}
	l := logWorld(t, w, 100)
	in := "NP " + long + "/"
	for _, c := range []struct {
		what string
		line model.LogLine
		want string
	}{
		{"by port", line(w, name, "allow", nb.ToLport, "tcp", "10.244.1.2", "10.244.1.1", 80), in + "one ingress 0"},
		{"by port, the other", line(w, name, "allow", nb.ToLport, "tcp", "10.244.1.2", "10.244.1.1", 443), in + "two ingress 0"},
		{"by ip block", line(w, name, "allow", nb.ToLport, "tcp", "10.9.1.2", "10.244.1.1", 443), in + "one ingress 1"},
		{"two allow it", line(w, name, "allow", nb.ToLport, "tcp", "10.244.1.3", "10.244.1.1", 443), ""},
		{"by verdict", line(w, name, "drop", nb.ToLport, "tcp", "10.244.1.3", "10.244.1.1", 443), "the default deny of " + long + ", ingress: no NetworkPolicy allows it"},
		{"isolated by nobody", line(w, name, "allow", nb.ToLport, "tcp", "10.244.1.2", "10.244.1.3", 80), ""},
		{"firewall", line(w, firewall, "allow", nb.ToLport, "tcp", "10.244.1.1", "1.2.3.4", 80), "EF " + long + "/default egress 0"},
		{"firewall, the one that is asked first", line(w, firewall, "drop", nb.ToLport, "tcp", "10.244.1.1", "1.2.4.4", 80), "EF " + long + "/default egress 1"},
		{"firewall of another namespace", line(w, firewall, "drop", nb.ToLport, "tcp", "10.244.0.4", "1.2.4.4", 80), ""},
		{"a firewall's rows are no egress rows", line(w, firewall, "drop", nb.FromLport, "tcp", "10.244.1.1", "1.2.4.4", 80), ""},
	} {
		l.take(arrival{line: c.line})
		e := l.Entry(l.Last())
		if e.Attributed != (c.want != "") || e.Attributed && e.By() != c.want {
			t.Errorf("%s: %v %s, want %s", c.what, e.Attributed, e.By(), c.want)
		}
	}
}

// TestPreviewNetpol: with a NetworkPolicy come and go the rows that stand for
// several, each told once, and what that means for the pods.
func TestPreviewNetpol(t *testing.T) {
	web := np("blue", "web", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}], ports: [{port: 80}]}]}")
	deny := np("blue", "deny", "{podSelector: {}, policyTypes: [Ingress, Egress]}")
	defaultDeny := []string{
		"missing ACL blue:Egress:arpAllow", "missing ACL blue:Egress:defaultDeny", "missing Port_Group blue:Egress",
		"missing ACL blue:Ingress:arpAllow", "missing ACL blue:Ingress:defaultDeny", "missing Port_Group blue:Ingress",
	}
	set := "missing Address_Set blue_LS{ML:{app: db,},}:v4"
	hairpin := []string{"missing ACL allow-hairpinning:Egress", "missing ACL allow-hairpinning:Ingress"}
	own := []string{"missing ACL blue:web:Ingress:0:tcp:-1", "missing Port_Group blue:web"}
	goes := func(rows ...string) (out []string) {
		for _, r := range rows {
			out = append(out, strings.Replace(r, "missing", "extra", 1))
		}
		return out
	}
	isolates := func(n, dir string) string {
		return "isolates " + n + " of blue (" + dir + ") that no NetworkPolicy isolated before: what none allows is dropped, established connections too"
	}
	for _, c := range []struct {
		name        string
		world       []string
		m           Mutation
		rows, notes []string
	}{
		{"the first", nil, apply(web), slices.Concat(own, defaultDeny, []string{set}, hairpin), []string{"applies to 1 pod", isolates("1 pod", "ingress")}},
		{"two at once", nil, apply(web, deny), slices.Concat([]string{"missing Port_Group blue:deny"}, defaultDeny, hairpin, own, []string{set}),
			[]string{"applies to 2 pods", isolates("2 pods", "ingress"), isolates("2 pods", "egress"), "applies to 1 pod"}},
		{"another", []string{web}, apply(deny), []string{"missing Port_Group blue:deny",
			"different Port_Group blue:Egress ports 0→2 +blue_db-1,blue_web-0 -", "different Port_Group blue:Ingress ports 1→2 +blue_db-1 -"},
			[]string{"applies to 2 pods", isolates("1 pod", "ingress"), isolates("2 pods", "egress")}},
		{"another direction", []string{web}, apply(strings.Replace(web, "spec: {", "spec: {policyTypes: [Ingress, Egress], ", 1)),
			[]string{"different Port_Group blue:Egress ports 0→1 +blue_web-0 -"}, []string{"applies to 1 pod", isolates("1 pod", "egress")}},
		{"one of two goes", []string{web, deny}, Mutation{Op: OpDelete, Policy: npKey("blue", "web")}, goes(append(own, set)...), []string{"no longer applies to 1 pod"}},
		{"the last goes", []string{web}, Mutation{Op: OpDelete, Policy: npKey("blue", "web")}, goes(slices.Concat(own, defaultDeny, []string{set}, hairpin)...),
			[]string{"no longer applies to 1 pod", "1 pod of blue no longer isolated (ingress): what nothing else denies gets through"}},
		{"a firewall", nil, apply(ef("blue", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")), []string{"missing ACL blue:0"},
			[]string{"applies to 2 pods", "a new Deny also cuts established connections"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.world...)
			p, err := w.gate("").Preview(context.Background(), w.current(), c.m)
			if err != nil || p.Blocked != "" {
				t.Fatalf("%v %s", err, p.Blocked)
			}
			if diff := cmp.Diff([][]string{c.rows, c.notes}, [][]string{rowText(p.Rows), p.Notes}); diff != "" {
				t.Errorf("rows and notes (-want +got)\n%s", diff)
			}
		})
	}
}

// TestNamespaceLogging: the levels of tier 2 are the namespace's, and not Rung's to
// change.
func TestNamespaceLogging(t *testing.T) {
	w := newWorld(t, np("blue", "web", "{podSelector: {}}"), anp("one", 1, "tenant=blue", "in deny *"))
	w.edit("apiVersion: v1\nkind: Namespace\nmetadata: {name: blue, annotations: {k8s.ovn.org/acl-logging: '{\"deny\": \"alert\", \"allow\": \"loud\"}'}}\n")
	rev := w.current()
	got := rev.Logging(rev.Cluster.Policy(npKey("blue", "web")))
	want := Logging{Levels: model.LogLevels{Deny: "alert"}, Namespace: "blue", Problems: []string{`"loud" is no log level, allow is not logged`}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l := rev.Logging(rev.Cluster.Policy(anpKey("one"))); l.Namespace != "" || l.Levels.Any() {
		t.Errorf("%+v", l)
	}
	p := w.gate("").resolve(rev, Mutation{Op: OpLogLevel, Policy: npKey("blue", "web"), Levels: model.LogLevels{Deny: "info"}})
	if p.Blocked != "NP blue/web logs as the annotation of namespace blue says: Rung does not change namespaces" {
		t.Error(p.Blocked)
	}
	p = w.gate("").resolve(rev, Mutation{Op: OpMove, Policy: npKey("blue", "web"), Priority: 3})
	if p.Blocked != "NP blue/web has no priority: only AdminNetworkPolicies have one" || p.Title != "Move NP blue/web to 3" {
		t.Errorf("%q %q", p.Title, p.Blocked)
	}
	if c := NamespaceLogsCommand("blue", model.LogLevels{Deny: "alert"}); c != `kubectl annotate namespace blue --overwrite 'k8s.ovn.org/acl-logging={"deny":"alert"}'` {
		t.Error(c)
	}
}

// TestShowsDefaultDeny: a NetworkPolicy without rules shows once the default deny of
// its namespace does.
func TestShowsDefaultDeny(t *testing.T) {
	w := newWorld(t, np("blue", "deny", "{podSelector: {}}"))
	deny := npKey("blue", "deny")
	show := func(rows ...*nb.ACL) Shown {
		var changes []nb.RowChange
		for i, a := range rows {
			live := *a
			live.UUID = fmt.Sprint("acl-", i)
			changes = append(changes, nb.RowChange{New: &live})
		}
		w.zones = []*model.ZoneState{{Name: "worker", Conn: model.ConnSynced, SyncedAt: w.now, DB: (*nb.DB)(nil).Apply(changes)}}
		w.publish()
		return w.rev.Shows([]model.PolicyKey{deny}, nil)[0]
	}
	if s := show(); s.OK || s.Why != "2 of 2 ACLs to come" {
		t.Errorf("without rows: %+v", s)
	}
	both := append(w.rev.ACLs(DefaultDeny("blue", model.Ingress), "worker"), w.rev.ACLs(DefaultDeny("blue", model.Egress), "worker")...)
	if s := show(both...); !s.OK {
		t.Errorf("with the default deny: %+v", s)
	}
}
