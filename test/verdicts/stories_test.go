package verdicts

import (
	"slices"
	"strings"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/convert"
	"rung/model/verdict"
	"rung/sources/manifests"
)

// The user stories of network-policy-api (site-src/user-story-examples), written anew in both
// generations of its API: 1 closes a namespace, 2 opens monitoring and DNS to all, 3 leaves a
// public service to its owners, 5 closes the cluster by default. Story 4, tenants, the API
// cannot say yet.
const storyCluster = `apiVersion: v1
kind: Node
metadata: {name: n1}
---
{apiVersion: v1, kind: Namespace, metadata: {name: vault, labels: {kubernetes.io/metadata.name: vault}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: watch, labels: {kubernetes.io/metadata.name: watch}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: kube-system, labels: {kubernetes.io/metadata.name: kube-system}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {kubernetes.io/metadata.name: shop}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: safe, namespace: vault}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: scrape, namespace: watch}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: dns, namespace: kube-system, labels: {app: dns}}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.3}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: public, namespace: shop, labels: {app: public}}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.4}]}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: by-the-owner, namespace: shop}
spec: {podSelector: {matchLabels: {app: public}}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: watch}}}]}]}
`

// story is what it says, in each API, and what comes of it.
type story struct {
	name       string
	anp, cnp   string
	priority   string
	want       map[string]verdict.Verdict // "from to port"
	ingress    string
	egress     string
	ports, pro string // of the last rule, in each API
}

func (s *story) text(next bool) string {
	accept, ports := "Allow", s.ports
	head := "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: " + s.anp + "\nmetadata: {name: default}\nspec:\n"
	if s.anp == "AdminNetworkPolicy" {
		head += "  priority: " + s.priority + "\n"
	}
	if next {
		accept, ports = "Accept", s.pro
		head = "apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\nmetadata: {name: default}\nspec:\n  tier: " + s.cnp + "\n  priority: " + s.priority + "\n"
	}
	return head + strings.NewReplacer("ALLOW", accept, "PORTS", ports).Replace(s.ingress+s.egress)
}

func of(ns string) string { return "{matchLabels: {kubernetes.io/metadata.name: " + ns + "}}" }

// TestStories: both APIs say the same of every pair of pods, by the same rule, by policies and
// by rows, and it is what the story is about.
func TestStories(t *testing.T) {
	const admin, baseline = "AdminNetworkPolicy", "BaselineAdminNetworkPolicy"
	for _, s := range []story{
		{name: "1 strict isolation", anp: admin, cnp: "Admin", priority: "10",
			ingress: "  subject: {namespaces: " + of("vault") + "}\n  ingress: [{name: none, action: Deny, from: [{namespaces: {}}]}]\n",
			want:    map[string]verdict.Verdict{"shop/public vault/safe 80": verdict.Deny, "vault/safe shop/public 80": verdict.Deny, "vault/safe watch/scrape 80": verdict.Allow}},
		{name: "2 monitoring and DNS", anp: admin, cnp: "Admin", priority: "30",
			ingress: "  subject: {namespaces: {}}\n  ingress: [{action: ALLOW, from: [{namespaces: " + of("watch") + "}]}]\n",
			egress:  "  egress: [{name: dns, action: ALLOW, to: [{pods: {namespaceSelector: " + of("kube-system") + ", podSelector: {matchLabels: {app: dns}}}}]}]\n",
			want:    map[string]verdict.Verdict{"watch/scrape shop/public 80": verdict.Allow, "vault/safe shop/public 80": verdict.Deny, "shop/public kube-system/dns 53": verdict.Allow}},
		{name: "3 delegation", anp: admin, cnp: "Admin", priority: "20",
			ingress: "  subject: {namespaces: {}}\n",
			egress:  "  egress: [{action: Pass, to: [{pods: {namespaceSelector: " + of("shop") + ", podSelector: {matchLabels: {app: public}}}}], PORTS}, {action: Deny, to: [{namespaces: " + of("shop") + "}]}]\n",
			ports:   "ports: [{portNumber: {protocol: TCP, port: 8080}}]", pro: "protocols: [{tcp: {destinationPort: {number: 8080}}}]",
			want: map[string]verdict.Verdict{"watch/scrape shop/public 8080": verdict.Allow, "vault/safe shop/public 8080": verdict.Deny, "watch/scrape shop/public 80": verdict.Deny}},
		{name: "5 closed by default", anp: baseline, cnp: "Baseline", priority: "10",
			ingress: "  subject: {namespaces: {}}\n  ingress: [{action: Deny, from: [{namespaces: {}}]}]\n",
			want:    map[string]verdict.Verdict{"shop/public vault/safe 80": verdict.Deny, "watch/scrape shop/public 80": verdict.Allow, "watch/scrape kube-system/dns 53": verdict.Deny}},
	} {
		t.Run(s.name, func(t *testing.T) {
			read := func(next bool) *model.Cluster {
				r := manifests.Parse("story.yaml", []byte(storyCluster+"---\n"+s.text(next)), manifests.Options{})
				if len(r.Broken) > 0 {
					t.Fatal(r.Broken)
				}
				c, _ := (*model.Cluster)(nil).Upsert(r.Objects, nil)
				return c
			}
			o := compiler.Options{IPv4: true, CNP: true}
			older, newer := read(false), read(true)
			a, _ := indexOf(t, older, o)
			b, d := indexOf(t, newer, o)
			zones := zonesOf(d)
			for from := range older.Pods() {
				for to := range older.Pods() {
					for _, port := range []uint16{53, 80, 8080} {
						q := verdict.Connection{From: verdict.Endpoint{Key: from.Key}, To: verdict.Endpoint{Key: to.Key}, Protocol: verdict.TCP, Port: port, Family: verdict.IPv4}
						x, errA := verdict.FromPolicies(a, q)
						y, errB := verdict.FromPolicies(b, q)
						if errA != nil || errB != nil {
							t.Fatal(errA, errB)
						}
						if what := sameRules(&x, &y); what != "" {
							t.Errorf("%s: %s", q, what)
						}
						rows, err := verdict.FromRows(b, zones, q)
						if err != nil {
							t.Fatal(err)
						}
						if what := disagreement(y, rows); what != "" {
							t.Errorf("%s: %s", q, what)
						}
					}
				}
			}
			for text, want := range s.want {
				f := strings.Fields(text)
				end := func(s string) verdict.Endpoint { ns, name, _ := strings.Cut(s, "/"); return verdict.PodEnd(ns, name) }
				port := map[string]uint16{"53": 53, "80": 80, "8080": 8080}[f[2]]
				got, err := verdict.FromPolicies(b, verdict.Connection{From: end(f[0]), To: end(f[1]), Protocol: verdict.TCP, Port: port, Family: verdict.IPv4})
				if err != nil || got.Verdict != want {
					t.Errorf("%s: %s, %v, want %s", text, got.Verdict, err, want)
				}
			}
			r := convert.ToCNP(slices.Collect(older.AllPolicies()))
			if back := convert.ToANP(r.Policies); r.Label() != convert.Exact || back.Label() != convert.Exact {
				t.Errorf("converted: %s, and back: %s", r.Label(), back.Label())
			}
		})
	}
}

// sameRules says where two answers are decided by rules of another place; which kind of policy
// they are in is no matter.
func sameRules(a, b *verdict.Answer) string {
	if a.Verdict != b.Verdict || len(a.Paths) != len(b.Paths) {
		return string(a.Verdict) + " and " + string(b.Verdict)
	}
	for i := range a.Paths {
		for j := range a.Paths[i].Stages {
			x, y := a.Paths[i].Stages[j].Decided, b.Paths[i].Stages[j].Decided
			if (x == nil) != (y == nil) || x != nil && (x.Rule != y.Rule || x.Direction != y.Direction || x.Tier != y.Tier || x.Action != y.Action) {
				return "decided by other rules"
			}
		}
	}
	return ""
}
