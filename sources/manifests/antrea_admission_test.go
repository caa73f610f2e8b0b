package manifests

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/antrea"
)

// acnpOf is a ClusterNetworkPolicy with this spec, after tier and priority.
func acnpOf(name, spec string) string {
	return "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: " + name + "}\nspec: {priority: 5, " + spec + "}\n"
}

func annpOf(name, spec string) string {
	return "apiVersion: crd.antrea.io/v1beta1\nkind: NetworkPolicy\nmetadata: {name: " + name + ", namespace: shop}\nspec: {priority: 5, " + spec + "}\n"
}

func tierOf(name string, priority int) string {
	return fmt.Sprintf("apiVersion: crd.antrea.io/v1beta1\nkind: Tier\nmetadata: {name: %s}\nspec: {priority: %d}\n", name, priority)
}

func groupOf(name, spec string) string {
	return "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterGroup\nmetadata: {name: " + name + "}\nspec: {" + spec + "}\n"
}

func serviceOf(name, spec string) string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: " + name + ", namespace: shop}\nspec: {" + spec + "}\n"
}

func manyTiers(n int) (out []string) {
	for i := range n {
		out = append(out, tierOf(fmt.Sprintf("t%d", i), i+1))
	}
	return out
}

const (
	toAll   = "appliedTo: [{podSelector: {}}]"
	dropAll = toAll + ", ingress: [{action: Drop}]"
	someNS  = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {env: prod}}\n"
	somePod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop, labels: {app: web}}\nspec: {nodeName: worker}\nstatus: {phase: Running, podIP: 10.0.0.1}\n"
)

func rules(n int) string {
	return strings.TrimSuffix(strings.Repeat("{action: Drop, from: [{ipBlock: {cidr: 10.N.0.0/24}}]}, ", n), ", ")
}

// manyRules are n rules that differ.
func manyRules(n int) string {
	text := rules(n)
	for i := range n {
		text = strings.Replace(text, "10.N.0.0/24", fmt.Sprintf("10.%d.%d.0/24", i/250, i%250), 1)
	}
	return text
}

// refusedByAntrea has, for each sentence of Antrea's documentation, objects that do otherwise,
// and what is said. good does not.
var refusedByAntrea = []struct {
	code    string
	objects []string
	says    string // of the finding, a part
}{
	{antrea.TierMissing, []string{acnpOf("p", "tier: gone, "+dropAll)}, "its tier gone does not exist"},
	{antrea.TierDeleted, []string{strings.TrimSuffix(acnpOf("p", "tier: gone, "+dropAll), "\n") + "\nstatus: {phase: Realized, currentNodesRealized: 2, desiredNodesRealized: 2}\n"}, "was deleted after Antrea accepted"},
	{antrea.TierTaken, []string{tierOf("a", 10), tierOf("b", 10)}, "is already used by tier a"},
	{antrea.TierReserved, []string{tierOf("late", 250)}, "250 is reserved"},
	{antrea.TierReserved, []string{tierOf("late", 252)}, "252 is reserved"},
	{antrea.TierReserved, []string{tierOf("twin", 100)}, "100 is reserved"},
	{antrea.TierStatic, []string{tierOf("emergency", 5)}, "is Antrea's own and has 50"},
	{antrea.TierLimit, manyTiers(15), "21 tiers"},
	{antrea.TiersMany, manyTiers(5), "11 tiers"},
	{antrea.BaselinePass, []string{acnpOf("p", "tier: baseline, "+toAll+", ingress: [{action: Pass}]")}, "Pass in the baseline tier"},
	{antrea.BaselineAllow, []string{acnpOf("p", "tier: baseline, "+toAll+", ingress: [{action: Allow}]")}, "Allow in the baseline tier"},
	{antrea.BaselineLimit, []string{acnpOf("p", "tier: baseline, "+toAll+", ingress: ["+manyRules(151)+"]")}, "has 151 rule priorities"},
	{antrea.PriorityRange, []string{strings.Replace(acnpOf("p", dropAll), "priority: 5", "priority: 0.5", 1)}, "priority 0.5: want 1.0 to 10000.0"},
	{antrea.PriorityRange, []string{strings.Replace(acnpOf("p", dropAll), "priority: 5", "priority: 10001", 1)}, "priority 10001"},
	{antrea.PriorityHigh, []string{strings.Replace(acnpOf("p", dropAll), "priority: 5", "priority: 101", 1)}, "priority 101 is above 100"},
	{antrea.PriorityTie, []string{someNS, somePod, acnpOf("a", dropAll), acnpOf("b", toAll+", ingress: [{action: Allow}]")}, "shares tier application and priority 5 with ACNP b"},
	{antrea.ActionDeny, []string{acnpOf("p", toAll+", ingress: [{action: Deny}]")}, "Antrea has no Deny"},
	{antrea.AppliedToBoth, []string{acnpOf("p", toAll+", ingress: [{action: Drop, "+toAll+"}]")}, "only one"},
	{antrea.AppliedToSome, []string{acnpOf("p", "ingress: [{action: Drop, "+toAll+"}, {action: Allow}]")}, "set for 1 of 2 rules"},
	{antrea.AppliedToNothing, []string{acnpOf("p", "ingress: [{action: Drop}]")}, "applies to nothing"},
	{antrea.AppliedToBlock, []string{acnpOf("p", "appliedTo: [{ipBlock: {cidr: 10.0.0.0/8}}], ingress: [{action: Drop}]")}, "cannot be in appliedTo"},
	{antrea.AppliedToForms, []string{acnpOf("p", "appliedTo: [{podSelector: {}, group: g}], ingress: [{action: Drop}]")}, "has several forms"},
	{antrea.AppliedToNetworks, []string{groupOf("g", "ipBlocks: [{cidr: 10.0.0.0/8}]"), acnpOf("p", "appliedTo: [{group: g}], ingress: [{action: Drop}]")}, "which appliedTo ignores"},
	{antrea.AppliedToNamespaces, []string{annpOf("p", "appliedTo: [{namespaceSelector: {}}], ingress: [{action: Drop}]")}, "is forbidden"},
	{antrea.AppliedToNamespaces, []string{strings.Replace(groupOf("g", "namespaceSelector: {}"), "ClusterGroup\nmetadata: {", "Group\nmetadata: {namespace: shop, ", 1), annpOf("p", "appliedTo: [{group: g}], ingress: [{action: Drop}]")}, "Group shop/g has a namespaceSelector"},
	{antrea.AccountAlone, []string{acnpOf("p", "appliedTo: [{serviceAccount: {name: a, namespace: b}, podSelector: {}}], ingress: [{action: Drop}]")}, "any other field"},
	{antrea.AccountAlone, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{serviceAccount: {name: a, namespace: b}, podSelector: {}}]}]")}, "any other field"},
	{antrea.AccountLabel, []string{someNS, strings.Replace(somePod, "app: web", "internal.antrea.io/service-account: x", 1)}, "which Antrea reserves"},
	{antrea.PeerForms, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{ipBlock: {cidr: 10.0.0.0/8}, podSelector: {}}]}]")}, "has several forms"},
	{antrea.PeerForms, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{}]}]")}, "selects nothing"},
	{antrea.NamespacesSelector, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{namespaces: {match: Self}, namespaceSelector: {}}]}]")}, "cannot be set with namespaceSelector"},
	{antrea.NamespacesANNP, []string{annpOf("p", toAll+", ingress: [{action: Drop, from: [{namespaces: {match: Self}}]}]")}, "is not allowed in an Antrea NetworkPolicy"},
	{antrea.SameLabelsNoMatch, []string{someNS, acnpOf("p", toAll+", ingress: [{action: Drop, from: [{namespaces: {sameLabels: [org]}}]}]")}, "no namespace has all of the labels org"},
	{antrea.IPBlockExcept, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{ipBlock: {cidr: 10.0.0.0/8, except: [11.1.0.0/16]}}]}]")}, "is not inside 10.0.0.0/8"},
	{antrea.FQDNIngress, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{fqdn: a.b}]}]")}, "egress only"},
	{antrea.FQDNDrop, []string{acnpOf("p", toAll+", egress: [{action: Drop, to: [{fqdn: a.b}]}]")}, "Drop of a.b"},
	{antrea.FQDNService, []string{serviceOf("web", "clusterIP: 10.96.0.1, selector: {app: web}"), acnpOf("p", toAll+", egress: [{action: Allow, to: [{fqdn: web.shop.svc.cluster.local}]}]")}, "fqdn does not match it"},
	{antrea.EndPort, []string{acnpOf("p", toAll+", ingress: [{action: Drop, ports: [{protocol: TCP, endPort: 90}]}]")}, "needs port as a number"},
	{antrea.EndPort, []string{acnpOf("p", toAll+", ingress: [{action: Drop, ports: [{protocol: TCP, port: http, endPort: 90}]}]")}, "needs port as a number"},
	{antrea.EndPort, []string{acnpOf("p", toAll+", ingress: [{action: Drop, ports: [{protocol: TCP, port: 100, endPort: 90}]}]")}, "want port (100)"},
	{antrea.IGMPAlone, []string{acnpOf("p", toAll+", egress: [{action: Drop, protocols: [{igmp: {igmpType: 0x16}}, {icmp: {icmpType: 8}}]}]")}, "cannot be used with ICMP"},
	{antrea.IGMPAlone, []string{acnpOf("p", toAll+", egress: [{action: Drop, protocols: [{igmp: {igmpType: 0x16}}], ports: [{port: 5}]}]")}, "cannot be used with ICMP"},
	{antrea.IGMPType, []string{acnpOf("p", toAll+", ingress: [{action: Drop, protocols: [{igmp: {igmpType: 0x16}}]}]")}, "0x16 is not an IGMP type for ingress rules"},
	{antrea.IGMPGroup, []string{acnpOf("p", toAll+", ingress: [{action: Drop, protocols: [{igmp: {igmpType: 0x11, groupAddress: 225.1.2.3}}]}]")}, "only queries to 224.0.0.1"},
	{antrea.MulticastAction, []string{acnpOf("p", toAll+", egress: [{action: Reject, to: [{ipBlock: {cidr: 225.1.2.3/32}}]}]")}, "Reject is not supported for multicast"},
	{antrea.MulticastAction, []string{acnpOf("p", toAll+", egress: [{action: Pass, protocols: [{igmp: {igmpType: 0x16}}]}]")}, "Pass is not supported for multicast"},
	{antrea.MulticastIngress, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{ipBlock: {cidr: 225.1.2.3/32}}]}]")}, "is multicast"},
	{antrea.RuleNames, []string{acnpOf("p", toAll+", ingress: [{action: Drop, name: a}, {action: Allow, name: a}]")}, `name "a" is also used by ingress 0`},
	{antrea.RuleNames, []string{acnpOf("p", toAll+", ingress: [{action: Drop}, {action: Drop}]")}, "is the same rule as ingress 0"},
	{antrea.NotJudged, []string{acnpOf("p", "appliedTo: [{externalEntitySelector: {}}], ingress: [{action: Drop}]")}, "machines outside the cluster"},
	{antrea.NotJudged, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{externalEntitySelector: {matchLabels: {a: b}}}]}]")}, "machines outside the cluster"},
	{antrea.NotJudged, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{podSelector: {}, scope: ClusterSet}]}]")}, "other clusters"},
	{antrea.NotJudged, []string{serviceOf("web", "clusterIP: 10.96.0.1"), acnpOf("p", toAll+", egress: [{action: Drop, toServices: [{name: web, namespace: shop, scope: ClusterSet}]}]")}, "other clusters"},
	{antrea.NotJudged, []string{acnpOf("p", toAll+", ingress: [{action: Drop, ports: [{port: 80, sourcePort: 1000, sourceEndPort: 2000}]}]")}, "source ports"},
	{antrea.NotJudged, []string{groupOf("g", "externalEntitySelector: {}"), acnpOf("p", "appliedTo: [{group: g}], ingress: [{action: Drop}]")}, "machines outside the cluster"},
	{antrea.ToServicesMixed, []string{serviceOf("web", "clusterIP: 10.96.0.1"), acnpOf("p", toAll+", egress: [{action: Drop, toServices: [{name: web, namespace: shop}], ports: [{port: 80}]}]")}, "cannot be used with to or ports"},
	{antrea.ToServicesIngress, []string{acnpOf("p", toAll+", ingress: [{action: Drop, toServices: [{name: web, namespace: shop}]}]")}, "is for egress rules only"},
	{antrea.ToServicesHeadless, []string{serviceOf("web", "clusterIP: None"), acnpOf("p", toAll+", egress: [{action: Drop, toServices: [{name: web, namespace: shop}]}]")}, "is headless"},
	{antrea.ToServicesMissing, []string{acnpOf("p", toAll+", egress: [{action: Drop, toServices: [{name: web, namespace: shop}]}]")}, "Service shop/web does not exist"},
	{antrea.ServiceAlone, []string{acnpOf("p", "appliedTo: [{service: {name: web, namespace: shop}, podSelector: {}}], ingress: [{action: Drop}]")}, "any other field"},
	{antrea.ServiceMixed, []string{acnpOf("p", "appliedTo: [{service: {name: web, namespace: shop}}, {podSelector: {}}], ingress: [{action: Drop}]")}, "only one"},
	{antrea.ServiceEgress, []string{acnpOf("p", "appliedTo: [{service: {name: web, namespace: shop}}], egress: [{action: Drop}]")}, "only ingress rules"},
	{antrea.ServicePeers, []string{acnpOf("p", "appliedTo: [{service: {name: web, namespace: shop}}], ingress: [{action: Drop, from: [{podSelector: {}}]}]")}, "must be an ipBlock"},
	{antrea.ServiceType, []string{serviceOf("web", "clusterIP: 10.96.0.1"), acnpOf("p", "appliedTo: [{service: {name: web, namespace: shop}}], ingress: [{action: Drop}]")}, "has type ClusterIP, not NodePort"},
	{antrea.GroupForms, []string{groupOf("g", "podSelector: {}, childGroups: [a]")}, "only one is allowed"},
	{antrea.GroupForms, []string{groupOf("g", "ipBlock: {cidr: 10.0.0.0/8}, ipBlocks: [{cidr: 10.1.0.0/16}]")}, "only one is allowed"},
	{antrea.GroupForms, []string{groupOf("g", "childGroups: []")}, "selects nothing"},
	{antrea.GroupMissing, []string{groupOf("g", "childGroups: [h]")}, "ClusterGroup h does not exist"},
	{antrea.GroupNested, []string{groupOf("g", "childGroups: [h]"), groupOf("h", "childGroups: [i]"), groupOf("i", "podSelector: {}")}, "child ClusterGroup h has childGroups too"},
	{antrea.GroupCycle, []string{groupOf("g", "childGroups: [h]"), groupOf("h", "childGroups: [g]")}, "is its own child: g → h → g"},
	{antrea.GroupRefused, []string{groupOf("g", "podSelector: {}, childGroups: [a]"), acnpOf("p", "appliedTo: [{group: g}], ingress: [{action: Drop}]")}, "ClusterGroup g selects nothing"},
	{antrea.IPBlockPods, []string{someNS, somePod, acnpOf("p", toAll+", egress: [{action: Drop, to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]")}, "10.0.0.0/8 contains addresses of 1 pod"},
	{antrea.FQDNPass, []string{acnpOf("p", toAll+", egress: [{action: Pass, to: [{fqdn: a.b}]}]")}, "Pass of a.b"},
	{antrea.FQDNFallback, []string{someNS, somePod, acnpOf("p", toAll+", egress: [{action: Allow, to: [{fqdn: a.b}]}]")}, "no rule drops other egress traffic"},
	{antrea.FQDNKubernetes, []string{acnpOf("p", toAll+", egress: [{action: Drop, to: [{fqdn: db.shop.svc.cluster.local}]}]")}, "is a DNS name of Kubernetes"},
	{antrea.NameLabel, []string{someNS, acnpOf("p", toAll+", egress: [{action: Drop, to: [{namespaceSelector: {matchLabels: {antrea.io/metadata.name: shop}}}]}]")}, "no namespace has the label antrea.io/metadata.name"},
	{antrea.GroupBlock, []string{groupOf("g", "ipBlock: {cidr: 10.0.0.0/8}")}, "in favour of ipBlocks"},
	{antrea.AccountLabel, []string{strings.Replace(someNS, "env: prod", "internal.antrea.io/service-account: x", 1)}, "namespace shop has the label"},
	{antrea.GroupMissing, []string{groupOf("g", "podSelector: {}"), annpOf("p", "appliedTo: [{group: g}], ingress: [{action: Drop}]")}, "ClusterGroup g exists, but only for ClusterNetworkPolicies"},
	{antrea.RuleNames, []string{acnpOf("p", toAll+", ingress: [{action: Drop}, {action: Allow, name: ingress-drop-b9ba700}]")}, "is also used by ingress 0"},
	{antrea.IGMPType, []string{acnpOf("p", toAll+", egress: [{action: Drop, protocols: [{igmp: {igmpType: 0x11}}]}]")}, "0x11 is not an IGMP type for egress rules"},
	{antrea.MulticastAction, []string{groupOf("g", "ipBlocks: [{cidr: 225.1.2.3/32}]"), groupOf("all", "podSelector: {}"), acnpOf("p", "appliedTo: [{group: all}], egress: [{action: Reject, to: [{group: g}]}]")}, "group g contains 225.1.2.3/32: Reject is not supported"},
	{antrea.MulticastIngress, []string{groupOf("g", "ipBlocks: [{cidr: 225.1.2.3/32}]"), groupOf("all", "podSelector: {}"), acnpOf("p", "appliedTo: [{group: all}], ingress: [{action: Drop, from: [{group: g}]}]")}, "group g contains 225.1.2.3/32: ingress rules cannot match multicast"},
	{antrea.ServiceMixed, []string{acnpOf("p", "ingress: [{action: Drop, appliedTo: [{service: {name: web, namespace: shop}}]}, {action: Drop, appliedTo: [{podSelector: {}}]}]")}, "rules for NodePort Services with other rules"},
	{antrea.AccountLabel, []string{acnpOf("p", "appliedTo: [{podSelector: {matchLabels: {internal.antrea.io/service-account: a}}}], ingress: [{action: Drop}]")}, "selects by the label"},
	{antrea.AccountLabel, []string{acnpOf("p", toAll+", ingress: [{action: Drop, from: [{podSelector: {matchExpressions: [{key: internal.antrea.io/service-account, operator: Exists}]}}]}]")}, "selects by the label"},
	{antrea.AccountLabel, []string{groupOf("g", "podSelector: {matchLabels: {internal.antrea.io/service-account: a}}")}, "selects by the label"},
	{antrea.ServiceSelectorless, []string{serviceOf("web", "clusterIP: 10.96.0.1"), groupOf("g", "serviceReference: {name: web, namespace: shop}")}, "has no selector"},
	{antrea.ServiceMissing, []string{groupOf("g", "serviceReference: {name: web, namespace: shop}")}, "Service shop/web does not exist"},
}

// checkAntrea reads objects and says what Antrea would.
func checkAntrea(t *testing.T, objects ...string) []model.Finding {
	t.Helper()
	res, err := Read(t.Context(), Options{FS: mapFiles(map[string]string{"x.yaml": strings.Join(objects, "---\n")}), Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range res.Broken {
		if b.Severity == model.SeverityError {
			t.Errorf("not read: %s", b)
		}
	}
	c, _ := (&model.Cluster{}).Upsert(res.Objects, nil)
	return antrea.CheckCluster(c)
}

// Each sentence of the documentation has objects that do otherwise, and its finding says
// so with the severity of its table.
func TestAntreaAdmission(t *testing.T) {
	severity, seen := map[string]model.Severity{}, map[string]bool{antrea.PrioritiesLimit: true} // 10,000 policies: see model/antrea
	for _, s := range antrea.DocumentedRules {
		severity[s.Code] = s.Severity
	}
	for _, tt := range refusedByAntrea {
		t.Run(tt.code+" "+tt.says, func(t *testing.T) {
			seen[tt.code] = true
			var said []string
			for _, f := range checkAntrea(t, tt.objects...) {
				if f.Code == tt.code && strings.Contains(f.Message, tt.says) {
					if f.Severity != severity[tt.code] {
						t.Errorf("severity %s, the table has %s", f.Severity, severity[tt.code])
					}
					if f.Policy.Name == "" && !strings.HasPrefix(tt.code, "antrea-tier") {
						t.Errorf("about nothing: %+v", f)
					}
					return
				}
				said = append(said, f.Code+": "+f.Message)
			}
			t.Errorf("not said; but %q", said)
		})
	}
	for code := range severity {
		if !seen[code] {
			t.Errorf("%s has no example", code)
		}
	}
	if found := checkAntrea(t, someNS, somePod, tierOf("mine", 10), groupOf("g", "podSelector: {}"), acnpOf("p", "tier: mine, "+dropAll),
		acnpOf("q", "tier: baseline, appliedTo: [{group: g}], egress: [{action: Drop, to: [{group: g}]}]")); len(found) > 0 {
		t.Errorf("of what is right: %+v", found)
	}
}

// The list of docs/antrea.md is that of the code.
func TestAntreaSentencesDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/antrea.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile("(?m)^- `(antrea-[a-z-]+)`, (error|warning|info): (.*)$").FindAllStringSubmatch(string(text), -1) {
		got = append(got, m[3]+" "+m[1]+" "+m[2])
	}
	var want []string
	for _, s := range antrea.DocumentedRules {
		want = append(want, s.Meaning+" "+s.Code+" "+string(s.Severity))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/antrea.md (-want +got):\n%s", diff)
	}
	if slices.ContainsFunc(antrea.DocumentedRules, func(s antrea.DocumentedRule) bool { return s.Meaning == "" }) {
		t.Error("a code without a sentence")
	}
}

// Bad input is said at the object and field, and what stands beside it is read.
func TestAntreaBadInput(t *testing.T) {
	good := "---\n" + acnpOf("good", dropAll)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"an unknown field", acnpOf("bad", toAll+", ingres: []"),
			[]string{`error unknown-field x.yaml:4 (document 0): ClusterNetworkPolicy.crd.antrea.io/bad: spec.ingres: unknown field; did you mean "ingress"?`}},
		{"no priority", strings.Replace(acnpOf("bad", dropAll), "priority: 5, ", "", 1),
			[]string{"error schema x.yaml:4 (document 0): ClusterNetworkPolicy.crd.antrea.io/bad: spec.priority: Required value"}},
		{"an action of another system", acnpOf("bad", toAll+", ingress: [{action: Accept}]"),
			[]string{`error schema x.yaml:4 (document 0): ClusterNetworkPolicy.crd.antrea.io/bad: spec.ingress[0].action: Unsupported value: "Accept": supported values: "Allow", "Drop", "Reject", "Pass", "Deny"`}},
		{"a text for a number", strings.Replace(acnpOf("bad", dropAll), "priority: 5", "priority: high", 1),
			[]string{`error field-type x.yaml:4 (document 0): ClusterNetworkPolicy.crd.antrea.io/bad: spec.priority: must be a number, not "high"`}},
		{"another version", strings.Replace(acnpOf("bad", dropAll), "v1beta1", "v1alpha1", 1),
			[]string{"error api-version x.yaml:1 (document 0): ClusterNetworkPolicy/bad: apiVersion crd.antrea.io/v1alpha1 is not known for this kind; write apiVersion: crd.antrea.io/v1beta1"}},
		{"a tier without a number", strings.Replace(tierOf("bad", 1), "priority: 1", "priority: 1.5", 1),
			[]string{"error field-type x.yaml:4 (document 0): Tier.crd.antrea.io/bad: spec.priority: must be a whole number, not the number 1.5"}},
		{"a group's unknown field", groupOf("bad", "podSelectors: {}"),
			[]string{`error unknown-field x.yaml:4 (document 0): ClusterGroup.crd.antrea.io/bad: spec.podSelectors: unknown field; did you mean "podSelector"?`}},
		{"an escape sequence", strings.Replace(acnpOf("bad", toAll+", ingress: [{action: Drop, name: \"a\\e[31mb\"}]"), "bad", "fine", 1), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := Read(t.Context(), Options{FS: mapFiles(map[string]string{"x.yaml": tt.text + good}), Paths: []string{"."}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range res.Broken {
				got = append(got, string(b.Severity)+" "+b.Code+" "+b.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Contains(keysOf(res.Objects), "ClusterNetworkPolicy.crd.antrea.io/good") {
				t.Errorf("read: %q", keysOf(res.Objects))
			}
			for _, p := range res.Policies() {
				for r := range p.AllRules() {
					if strings.Contains(r.Name, "\x1b") {
						t.Errorf("name %q is not cleaned", r.Name)
					}
				}
			}
		})
	}
}
