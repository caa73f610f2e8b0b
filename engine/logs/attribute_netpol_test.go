package logs

import (
	"fmt"
	"strings"
	"testing"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/test/changing"
	"rung/test/given"
)

// Names of 63 characters do not tell the rule of a NetworkPolicy or of an
// EgressFirewall, nor the default deny of a namespace: the packet does, or nobody.
func TestAttributionOfCutNamesOfTier2(t *testing.T) {
	long := strings.Repeat("n", 63)
	space := fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", long)
	pod := func(name, ip string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, labels: {app: %s}}\nspec: {nodeName: worker, containers: [{name: c}]}\n"+
			"status: {phase: Running, podIPs: [{ip: %s}]}\n", name, long, name, ip)
	}
	w := changing.New(t, space, pod("web", "10.244.1.1"), pod("db", "10.244.1.2"), pod("cron", "10.244.1.3"),
		given.NP(long, "one", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}], ports: [{port: 80}]}, {from: [{ipBlock: {cidr: 10.9.0.0/16}}]}]}"),
		given.NP(long, "two", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}], ports: [{port: 443}]}, {from: [{podSelector: {matchLabels: {app: cron}}}]}]}"),
		given.NP(long, "three", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: cron}}}]}]}"),
		given.EF(long, "{type: Allow, to: {cidrSelector: 1.2.3.0/24}}", "{type: Deny, to: {cidrSelector: 1.2.0.0/16}}", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}"))
	name := logline.ACLName(given.NPKey(long, "one"), model.Ingress, 0)
	firewall := logline.ACLName(model.PolicyKey{Kind: model.KindEF, Namespace: long, Name: "default"}, model.Egress, 0)
	if len(name) != logline.MaxACLName || name != logline.ACLName(given.NPKey(long, ""), model.Ingress, -1) || len(firewall) != logline.MaxACLName {
		t.Fatalf("the names are not cut: %q %q", name, firewall)
	}
	l := logWorld(t, w, 100)
	in := "NP " + long + "/"
	for _, c := range []struct {
		what string
		line logline.Line
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
		l.takeArrival(arrival{line: c.line})
		e := newest(l)
		if e.Attributed != (c.want != "") || e.Attributed && e.RuleText() != c.want {
			t.Errorf("%s: %v %s, want %s", c.what, e.Attributed, e.RuleText(), c.want)
		}
	}
}

// Lines with names of OVN-Kubernetes before 2023 lead to the rule. Lines of policies and rules that
// were deleted say so.
func TestOldNamesAndGoneRules(t *testing.T) {
	w := changing.New(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
		given.NP("shop", "deny-all", "{podSelector: {}}"),
		given.NP("shop", "out", "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 1.2.3.0/24}}]}]}"),
		given.NP("shop", "web", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}"))
	l := logWorld(t, w, 100)
	for name, c := range map[string]struct{ verdict, direction, want string }{
		"shop_ingressDefaultDeny": {"drop", "", "the default deny of shop, ingress: no NetworkPolicy allows it"},
		"shop_deny-all":           {"drop", nb.ToLport, "NP shop/deny-all ingress"},
		"shop_web_0":              {"allow", "", "NP shop/web ingress 0"},
		"shop_out_0":              {"allow", nb.FromLport, "NP shop/out egress 0"},
		"shop_web_7":              {"allow", nb.ToLport, "NP shop/web ingress 7 (this rule does not exist now)"},
		"shop_old_1":              {"allow", "", "NP shop/old rule 1 (this policy does not exist now)"},
		"NP:shop:web:Ingress:0":   {"allow", nb.ToLport, "NP shop/web ingress 0"},
		"NP:shop:web:Ingress:3":   {"allow", nb.ToLport, "NP shop/web ingress 3 (this rule does not exist now)"},
		"ANP:old:Ingress:0":       {"drop", nb.ToLport, "old ingress 0 (this policy does not exist now)"},
	} {
		l.takeArrival(arrival{line: line(w, name, c.verdict, c.direction, "tcp", "10.244.1.2", "10.244.1.1", 80)})
		if got := newest(l).RuleText(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
