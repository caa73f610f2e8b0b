package verdicts

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	antreademo "rung/examples-antrea"
	"rung/model"
	"rung/model/verdict"
	"rung/sources/manifests"
	"rung/test/made"
)

// antreaExamples are the objects of Antrea's documentation, read once.
var antreaExamples = sync.OnceValues(func() (*manifests.Result, error) {
	return manifests.Read(context.Background(), manifests.Options{FS: antreademo.Files, Paths: []string{"."}})
})

// documented is the cluster of the demo with some of its policies, by name, and what more
// is written.
func documented(t *testing.T, policies []string, more string) *verdict.Index {
	t.Helper()
	res, err := antreaExamples()
	if err != nil {
		t.Fatal(err)
	}
	var objects []model.Object
	found := map[string]bool{}
	for _, o := range res.Objects {
		p, is := o.(*model.Policy)
		if !is || slices.Contains(policies, p.Name) {
			objects = append(objects, o)
		}
		if is {
			found[p.Name] = true
		}
	}
	for _, name := range policies {
		if !found[name] {
			t.Errorf("there is no policy %s", name)
		}
	}
	if more != "" {
		added := manifests.Parse("more.yaml", []byte(more), manifests.Options{})
		if len(added.Broken) > 0 {
			t.Fatalf("%+v", added.Broken)
		}
		objects = append(objects, added.Objects...)
	}
	return onAntrea(t, made.Cluster(objects...))
}

// ask reads "ns/pod → ns/pod tcp 80": an end may also be an address, node/NAME or
// service/ns/name.
func ask(t *testing.T, x *verdict.Index, text string) verdict.Answer {
	t.Helper()
	w := strings.Fields(text)
	end := func(s string) verdict.Endpoint {
		if a, err := netip.ParseAddr(s); err == nil {
			return verdict.AddrEnd(a)
		}
		p := strings.Split(s, "/")
		switch p[0] {
		case "node":
			return verdict.NodeEnd(p[1])
		case "service":
			return verdict.ServiceEnd(p[1], p[2])
		}
		return verdict.PodEnd(p[0], p[1])
	}
	q := verdict.Connection{From: end(w[0]), To: end(w[2]), Protocol: verdict.Protocol(strings.ToUpper(w[3]))}
	if len(w) > 4 {
		n, _ := strconv.Atoi(w[4])
		q.Port = uint16(n)
	}
	a, err := verdict.FromPolicies(x, q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// who says what becomes of a connection and by which rule: "deny Drop ACNP x 0".
func who(a *verdict.Answer) string {
	out := string(a.Verdict)
	if a.Reason != "" {
		return out + ": " + a.Reason
	}
	told := false
	for _, p := range a.Paths {
		for _, s := range p.Stages {
			if s.Verdict == a.Verdict && s.Decided != nil && !told {
				told = a.Verdict == verdict.Deny
				d := s.Decided
				out += fmt.Sprintf(" %s %s %d", d.Word, d.Policy.Label(), d.Rule)
				for _, pass := range s.Passed {
					out += fmt.Sprintf(" after %s %d", pass.Policy.Label(), pass.Rule)
				}
			}
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(out, "  ", " "), " -1", "")
}

// TestAntreaDocument: what the policies of Antrea's documentation decide, sentence by
// sentence.
func TestAntreaDocument(t *testing.T) {
	annp := func(rules string) string {
		return "apiVersion: crd.antrea.io/v1beta1\nkind: NetworkPolicy\nmetadata: {name: more, namespace: default}\nspec:\n  tier: emergency\n  priority: 5\n" + rules
	}
	acnp := func(rules string) string {
		return "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: more}\nspec:\n" + rules
	}
	tests := []struct {
		name     string
		policies []string
		more     string
		asked    map[string]string
	}{
		{"appliedTo: pods of all namespaces with the label, and all pods of namespaces with theirs", []string{"acnp-with-stand-alone-selectors"}, "", map[string]string{
			"data/frontend-0 → default/db-0 tcp 8500":   "allow Allow ACNP acnp-with-stand-alone-selectors 0",
			"data/nondb-0 → shop/server-0 tcp 6379":     "allow Allow ACNP acnp-with-stand-alone-selectors 0",
			"default/client-0 → default/db-0 tcp 8500":  "allow",
			"data/frontend-0 → default/db-0 tcp 9001":   "allow",
			"data/frontend-0 → default/db-0 udp 8500":   "allow",
			"data/frontend-0 → default/web-0 tcp 8500":  "allow",
			"default/db-0 → 10.0.10.7 tcp 5978":         "deny Drop ACNP acnp-with-stand-alone-selectors 0",
			"default/db-0 → 10.0.11.7 tcp 5978":         "allow",
			"default/frontend-0 → 10.0.10.7 tcp 5978":   "allow",
			"default/db-0 → 10.0.10.7 tcp 5979":         "allow",
			"shop/server-0 → 10.0.10.255 tcp 5978":      "deny Drop ACNP acnp-with-stand-alone-selectors 0",
			"172.18.0.4 → default/db-0 tcp 6379":        "allow",
			"default/frontend-0 → shop/client-0 udp 53": "allow",
		}},
		{"groups in place of selectors", []string{"acnp-with-cluster-groups"}, "", map[string]string{
			"data/frontend-0 → shop/db-0 tcp 9000": "allow Allow ACNP acnp-with-cluster-groups 0",
			"shop/db-0 → 10.0.10.7 tcp 5978":       "deny Drop ACNP acnp-with-cluster-groups 0",
		}},
		{"an empty from and to are all sources and destinations", []string{"isolate-all-pods-in-namespace"}, "", map[string]string{
			"shop/client-0 → vault/safe-0 tcp 8200": "deny Drop ACNP isolate-all-pods-in-namespace 0",
			"8.8.8.8 → vault/safe-0 icmp":           "deny Drop ACNP isolate-all-pods-in-namespace 0",
			"vault/safe-0 → 8.8.8.8 udp 53":         "deny Drop ACNP isolate-all-pods-in-namespace 0",
			"vault/safe-0 → 2001:db8::1 udp 53":     "not applicable: the ends have no address family in common",
			"node/worker → vault/safe-0 tcp 8200":   "deny Drop ACNP isolate-all-pods-in-namespace 0",
			"node/worker2 → vault/safe-0 tcp 8200":  "allow node worker2 to its own pods",
			"172.18.0.4 → vault/safe-0 tcp 8200":    "allow node worker2 to its own pods",
		}},
		{"Self passes to the same namespace, all others are dropped", []string{"strict-ns-isolation"}, "", map[string]string{
			"x/a → x/b tcp 8080":                    "allow",
			"x/a → y/b tcp 8080":                    "deny Drop ACNP strict-ns-isolation 1",
			"kube-system/coredns-0 → x/b tcp 80":    "deny Drop ACNP strict-ns-isolation 1",
			"x/b → 8.8.8.8 tcp 80":                  "allow",
			"kube-system/coredns-0 → 8.8.8.8 tcp 1": "allow",
		}},
		{"Pass delegates to NetworkPolicies", []string{"strict-ns-isolation", "allow-web"}, "", map[string]string{
			"default/frontend-0 → default/web-0 tcp 8080": "allow NP default/allow-web 0 after ACNP strict-ns-isolation 0",
			"default/client-0 → default/web-0 tcp 8080":   "deny default deny of default, ingress after ACNP strict-ns-isolation 0",
			"x/a → default/web-0 tcp 8080":                "deny Drop ACNP strict-ns-isolation 1",
		}},
		{"baseline decides where no NetworkPolicy does", []string{"default-cluster-deny", "allow-web"}, "", map[string]string{
			"x/a → x/b tcp 8080":                          "deny Drop ACNP default-cluster-deny 0",
			"default/frontend-0 → default/web-0 tcp 8080": "deny Drop ACNP default-cluster-deny 0", // its egress
			"8.8.8.8 → x/b tcp 80":                        "deny Drop ACNP default-cluster-deny 0",
			"8.8.8.8 → default/web-0 tcp 80":              "deny default deny of default, ingress",
		}},
		{"after a Pass baseline is tested where no NetworkPolicy matches", []string{"strict-ns-isolation", "default-cluster-deny"}, "", map[string]string{
			"x/a → x/b tcp 8080": "deny Drop ACNP default-cluster-deny 0 after ACNP strict-ns-isolation 0",
		}},
		{"baseline cannot allow what isolation denies", []string{"allow-web"}, acnp("  tier: baseline\n  priority: 1\n  appliedTo: [{podSelector: {}}]\n  ingress: [{action: Allow}]\n"), map[string]string{
			"default/client-0 → default/web-0 tcp 8080": "deny default deny of default, ingress",
			"default/client-0 → default/db-0 tcp 8080":  "allow Allow ACNP more 0",
		}},
		{"toServices matches the cluster IP, not the endpoints", nil, acnp("  tier: securityops\n  priority: 5\n  appliedTo: [{podSelector: {matchLabels: {role: client}}}]\n  egress: [{action: Drop, toServices: [{name: test-service, namespace: default}]}]\n"), map[string]string{
			"shop/client-0 → service/default/test-service tcp 80":    "deny Drop ACNP more 0",
			"shop/client-0 → default/web-0 tcp 8080":                 "allow",
			"shop/server-0 → service/default/test-service tcp 80":    "allow",
			"shop/client-0 → service/kube-system/kube-dns udp 53":    "allow",
			"shop/client-0 → service/kube-system/kube-dns sctp 8080": "not applicable: service kube-system/kube-dns has no SCTP port 8080; it has UDP 53 and TCP 53",
		}},
		{"ICMP of one type", []string{"acnp-reject-ping-request"}, "", map[string]string{
			"shop/server-0 → x/a icmp":   "unknown: icmp type 8 code 0: the ICMP type is unknown",
			"shop/server-0 → x/a tcp 80": "allow",
		}},
		{"IGMP and multicast", []string{"acnp-with-igmp-drop", "acnp-with-multicast-traffic-drop"}, "", map[string]string{
			"default/mcjoin6 → 225.1.2.3 udp 5000": "deny Drop ACNP acnp-with-multicast-traffic-drop 0",
			"default/mcjoin6 → 225.1.2.4 udp 5000": "allow",
			"x/a → default/mcjoin6 udp 5000":       "allow",
		}},
		{"Pass and Reject are not for multicast", nil, acnp("  priority: 5\n  appliedTo: [{podSelector: {}}]\n  egress: [{action: Reject, to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]\n"), map[string]string{
			"x/a → 225.1.2.3 udp 5000": "unknown: Pass and Reject are not supported for multicast",
		}},
		{"layer 7 drops all else, and no later rule is asked", []string{"ingress-allow-http-request-to-api-v2"}, "", map[string]string{
			"default/client-0 → default/web-0 tcp 80": "unknown: l7 http GET foo.bar.com/api/v2/*: the content of the request decides",
			"default/client-0 → default/web-0 udp 80": "deny Drop ANNP default/ingress-allow-http-request-to-api-v2 0",
			"x/a → default/web-0 tcp 80":              "deny Drop ANNP default/ingress-allow-http-request-to-api-v2 1",
			"x/a → dev/app-0 tcp 80":                  "allow",
		}},
		{"layer 7 after DNS is allowed", []string{"allow-web-access-to-internal-domain"}, "", map[string]string{
			"default/restricted-0 → kube-system/coredns-0 udp 53": "allow Allow ACNP allow-web-access-to-internal-domain 0",
			"default/restricted-0 → 8.8.8.8 icmp":                 "deny Drop ACNP allow-web-access-to-internal-domain 1",
			"default/restricted-0 → 8.8.8.8 tcp 443":              "unknown: l7 http *.bar.com: the content of the request decides",
		}},
		{"policies of nodes are not about pods", []string{"acnp-node-egress-traffic-drop", "acnp-node-ingress-traffic-drop"}, "", map[string]string{
			"x/a → 192.168.1.7 tcp 80":         "allow",
			"192.168.1.7 → x/a tcp 22":         "allow",
			"node/worker → 192.168.1.7 tcp 80": "not applicable: no pod policy applies; Rung does not judge how ACNP acnp-node-egress-traffic-drop, ACNP acnp-node-ingress-traffic-drop affects a node's own connections",
			"node/worker → x/a tcp 80":         "allow",
		}},
		{"a policy of nodes that may be about a pod", nil, acnp("  priority: 5\n  appliedTo: [{nodeSelector: {matchLabels: {kubernetes.io/os: linux}}}]\n  egress: [{action: Drop, to: [{ipBlock: {cidr: 10.10.0.0/16}}]}]\n"), map[string]string{
			"node/worker → x/a tcp 80":  "unknown: ACNP more applies to nodes",
			"node/worker2 → x/a tcp 80": "allow node worker2 to its own pods",
			"x/c → x/a tcp 80":          "allow",
		}},
		{"appliedTo per rule", []string{"acnp-appliedto-per-rule"}, "", map[string]string{
			"default/client-east → default/db-west tcp 5432": "deny Drop ACNP acnp-appliedto-per-rule 0",
			"default/client-west → default/db-east tcp 5432": "deny Drop ACNP acnp-appliedto-per-rule 1",
			"default/client-east → default/db-east tcp 5432": "allow",
			"default/client-west → default/db-west tcp 5432": "allow",
		}},
		{"an ANNP is about its namespace", []string{"test-annp"}, "", map[string]string{
			"default/frontend-0 → default/db-0 tcp 8080": "allow Allow ANNP default/test-annp 0",
			"data/nondb-0 → default/db-0 tcp 8080":       "allow Allow ANNP default/test-annp 0",
			"data/frontend-0 → default/db-0 tcp 8080":    "allow",
			"default/db-0 → 10.0.10.7 tcp 5978":          "deny Drop ANNP default/test-annp 0",
			"shop/db-0 → 10.0.10.7 tcp 5978":             "allow",
		}},
		{"an ANNP with groups is the same", []string{"annp-with-groups"}, "", map[string]string{
			"default/frontend-0 → default/db-0 tcp 8080": "allow Allow ANNP default/annp-with-groups 0",
			"data/nondb-0 → default/db-0 tcp 8080":       "allow Allow ANNP default/annp-with-groups 0",
			"data/frontend-0 → default/db-0 tcp 8080":    "allow",
			"default/db-0 → 10.0.10.7 tcp 5978":          "deny Drop ANNP default/annp-with-groups 0",
			"shop/db-0 → 10.0.10.7 tcp 5978":             "allow",
		}},
		{"an ANNP is not applied to a Group with a namespaceSelector", nil, annp("  appliedTo: [{group: test-grp-nondb}]\n  egress: [{action: Drop}]\n"), map[string]string{
			"data/nondb-0 → x/a tcp 80": "allow",
		}},
		{"a policy applied to ipBlocks has no effect", nil, acnp("  priority: 5\n  appliedTo: [{group: test-cg-with-ip-block}]\n  egress: [{action: Drop}]\n"), map[string]string{
			"x/a → x/b tcp 80": "allow",
		}},
		{"a ClusterGroup of a Service and its children", nil, acnp("  priority: 5\n  appliedTo: [{group: test-cg-nested}]\n  egress: [{action: Drop}]\n"), map[string]string{
			"shop/db-0 → x/b tcp 80":     "deny Drop ACNP more 0",
			"default/web-0 → x/b tcp 80": "deny Drop ACNP more 0",
			"default/db-0 → x/b tcp 80":  "allow",
			"dev/app-0 → x/b tcp 80":     "allow",
		}},
		{"namespaces by name", []string{"test-annp-by-name"}, annp("  appliedTo: [{podSelector: {}}]\n  egress: [{action: Drop}]\n"), map[string]string{
			"default/web-0 → kube-system/coredns-0 udp 53": "deny Drop ANNP default/more 0", // its tier is first
		}},
		{"x/a, x/b and x/c reach each other, and nothing else", []string{"allow-self-ns"}, "", map[string]string{
			"x/a → x/c tcp 80":     "allow Allow ACNP allow-self-ns 0 Allow ACNP allow-self-ns 0",
			"x/a → y/c tcp 80":     "deny Deny ACNP allow-self-ns 1",
			"8.8.8.8 → z/c tcp 80": "deny Deny ACNP allow-self-ns 1",
			"z/c → 8.8.8.8 tcp 80": "deny Deny ACNP allow-self-ns 1",
		}},
		{"x/a reaches only x/c", []string{"allow-self-ns", "deny-self-ns-a-to-b"}, "", map[string]string{
			"x/a → x/b tcp 80": "deny Deny ACNP deny-self-ns-a-to-b 0",
			"z/a → z/b tcp 80": "deny Deny ACNP deny-self-ns-a-to-b 0",
			"x/a → x/c tcp 80": "allow Allow ACNP allow-self-ns 0 Allow ACNP allow-self-ns 0",
			"x/c → x/b tcp 80": "allow Allow ACNP allow-self-ns 0 Allow ACNP allow-self-ns 0",
		}},
		{"sameLabels is a no-op where a label is missing, its other rules too", []string{"isolation-based-on-org-and-env"}, "", map[string]string{
			"x/a → dev/app-0 tcp 80":     "deny Deny ACNP isolation-based-on-org-and-env 1",
			"8.8.8.8 → dev/app-0 tcp 80": "allow",
			"dev/app-0 → x/a tcp 80":     "allow",
			"x/a → shop/db-0 tcp 80":     "allow",
		}},
		{"fqdn", []string{"acnp-fqdn-all-foobar"}, "", map[string]string{
			"default/client-0 → 8.8.8.8 tcp 8080": "unknown: fqdn *foobar.com: its addresses depend on DNS",
			"default/client-0 → 8.8.8.8 tcp 8081": "deny Drop ACNP acnp-fqdn-all-foobar 1",
			"default/client-0 → x/a tcp 80":       "deny Drop ACNP acnp-fqdn-all-foobar 1",
			"default/db-0 → 8.8.8.8 tcp 8081":     "allow",
		}},
		{"nodeSelector means the addresses of nodes", []string{"egress-control-plane"}, "", map[string]string{
			"default/test-app-0 → node/control-plane tcp 6443": "deny Drop ACNP egress-control-plane 0",
			"default/test-app-0 → 172.18.0.2 tcp 6443":         "deny Drop ACNP egress-control-plane 0",
			"default/test-app-0 → node/worker2 tcp 6443":       "allow",
			"default/test-app-0 → node/control-plane tcp 6444": "allow",
			"default/web-0 → node/control-plane tcp 6443":      "allow",
		}},
		{"service accounts", []string{"acnp-service-account"}, "", map[string]string{
			"ns-1/app-0 → ns-2/app-0 tcp 80": "deny Drop ACNP acnp-service-account 0",
			"ns-2/app-0 → ns-1/app-0 tcp 80": "allow",
			"ns-1/app-0 → x/a tcp 80":        "allow",
		}},
		{"clients of a NodePort", []string{"acnp-deny-external-client-nodeport-svc-access"}, "", map[string]string{
			"1.1.1.5 → service/ns-1/svc-1 tcp 80": "unknown: ACNP acnp-deny-external-client-nodeport-svc-access applies to clients of the Service's NodePort: unknown whether this connection uses it",
			"1.1.2.5 → service/ns-1/svc-1 tcp 80": "allow",
			"1.1.1.5 → ns-1/app-0 tcp 8080":       "allow",
			"x/a → service/ns-1/svc-1 tcp 80":     "allow",
		}},
		{"hairpin traffic of a Service is let in", nil, acnp("  tier: emergency\n  priority: 1\n  appliedTo: [{podSelector: {matchLabels: {app: one}}}]\n  ingress: [{action: Drop}]\n"), map[string]string{
			"ns-1/app-0 → service/ns-1/svc-1 tcp 80": "allow hairpin traffic of a Service",
			"ns-2/app-0 → service/ns-1/svc-1 tcp 80": "deny Drop ACNP more 0",
		}},
		{"named ports", nil, annp("  appliedTo: [{podSelector: {}}]\n  ingress: [{action: Drop, ports: [{protocol: TCP, port: main}]}]\n"), map[string]string{
			"x/a → default/db-0 tcp 5432":     "deny Drop ANNP default/more 0",
			"x/a → default/db-0 tcp 8080":     "allow",
			"x/a → default/web-0 tcp 8080":    "deny Drop ANNP default/more 0",
			"x/a → default/client-0 tcp 8080": "allow",
		}},
		{"Reject denies", nil, annp("  appliedTo: [{podSelector: {}}]\n  egress: [{action: Reject}]\n"), map[string]string{
			"default/web-0 → x/a udp 1": "deny Reject ANNP default/more 0",
		}},
		{"a policy without a tier is of application, whatever its kind", nil,
			"apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: one}\nspec: {priority: 10, appliedTo: [{podSelector: {}}], ingress: [{action: Drop}]}\n---\n" +
				"apiVersion: crd.antrea.io/v1beta1\nkind: NetworkPolicy\nmetadata: {name: two, namespace: x}\nspec: {priority: 9.5, appliedTo: [{podSelector: {}}], ingress: [{action: Allow}]}\n---\n" +
				"apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: three}\nspec: {priority: 20, tier: emergency, appliedTo: [{podSelector: {matchLabels: {app: b}}}], ingress: [{action: Reject}]}\n", map[string]string{
				"y/a → x/a tcp 80": "allow Allow ANNP x/two 0",
				"y/a → x/b tcp 80": "deny Reject ACNP three 0",
				"y/a → z/a tcp 80": "deny Drop ACNP one 0",
			}},
		{"rules of one place that disagree are nondeterministic", nil,
			"apiVersion: crd.antrea.io/v1beta1\nkind: NetworkPolicy\nmetadata: {name: one, namespace: x}\nspec: {priority: 5, appliedTo: [{podSelector: {matchLabels: {app: c}}}], ingress: [{action: Drop, from: [{podSelector: {matchLabels: {app: a}}}]}]}\n---\n" +
				"apiVersion: crd.antrea.io/v1beta1\nkind: NetworkPolicy\nmetadata: {name: two, namespace: x}\nspec: {priority: 5, appliedTo: [{podSelector: {matchLabels: {app: c}}}], ingress: [{action: Allow, from: [{podSelector: {}}]}]}\n", map[string]string{
				"x/a → x/c tcp 80": "undefined Drop ANNP x/one 0",
				"x/b → x/c tcp 80": "allow Allow ANNP x/two 0",
			}},
	}
	for _, tt := range tests {
		x := documented(t, tt.policies, tt.more)
		for text, want := range tt.asked {
			a := ask(t, x, text)
			if got := who(&a); got != want {
				t.Errorf("%s: %s\n got %s\nwant %s", tt.name, text, got, want)
			}
		}
	}
}

// TestAntreaTenants: the tenants of the documentation, whichever labels they have in
// common, and whether or not appliedTo names the label.
func TestAntreaTenants(t *testing.T) {
	ns := func(name string) string { return strings.TrimPrefix(name, "ns/") }
	names := []string{"accounting1", "accounting2", "sales1", "sales2", "kube-system"}
	labels := map[string]string{"accounting1": "org=accounting,region=us-west", "accounting2": "org=accounting,region=us-east",
		"sales1": "org=sales,region=us-west", "sales2": "org=sales,region=us-east", "kube-system": ""}
	for _, of := range [][]string{{"org"}, {"org", "region"}} {
		for _, selector := range []string{"org", "*"} {
			same := model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), Match: &model.NamespaceMatch{SameLabels: of}}
			p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindACNP, Name: "isolation"}}, Tier: model.TierAdmin,
				Tiered: &model.TieredPolicy{Tier: "securityops", Priority: 1, AppliedTo: []model.AppliedTo{{Select: true, Namespaces: made.Sel(selector), Pods: model.SelectEverything()}}}}
			for _, d := range model.Directions {
				rules := []model.Rule{{Direction: d, Action: model.Allow, Peers: []model.Peer{same}, Tiered: &model.TieredRule{Action: "Allow"}},
					{Direction: d, Index: 1, Action: model.Deny, AnyPeer: true, Tiered: &model.TieredRule{Action: "Drop"}}}
				p.Egress = rules
				if d == model.Ingress {
					p.Ingress, p.Egress = rules, nil
				}
			}
			objects := []model.Object{p}
			for i, name := range names {
				objects = append(objects, made.NS(name, labels[name]), made.Pod(name+"/p", "", fmt.Sprintf("10.1.0.%d", i+1)))
			}
			x := onAntrea(t, made.Cluster(objects...))
			for _, a := range names {
				for _, b := range names {
					want := verdict.Deny
					if l, m := labels[ns(a)], labels[ns(b)]; l == "" && m == "" || l == m || len(of) == 1 && l != "" && m != "" && l[:7] == m[:7] {
						want = verdict.Allow
					}
					if a == b {
						continue
					}
					if got := ask(t, x, a+"/p → "+b+"/p tcp 80"); got.Verdict != want {
						t.Errorf("sameLabels %v of %s: %s → %s: %s, want %s", of, selector, a, b, got.Verdict, want)
					}
				}
			}
		}
	}
}
