package manifests

import (
	"strings"
	"testing"

	antreademo "rung/examples-antrea"
	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
)

// fuzzed reads a text beside a small cluster: no panic, and what is said is clean. What
// was read has a place in the order, and is read again from its own text.
func fuzzed(t *testing.T, text []byte) {
	beside := someNS + "---\n" + somePod + "---\n" + groupOf("g", "childGroups: [h]") + "---\n" + groupOf("h", "podSelector: {}") + "---\n" +
		serviceOf("web", "clusterIP: 10.96.0.1, selector: {app: web}")
	r := Parse("x.yaml", text, Options{Limits: Limits{AliasNodes: 1000}})
	for _, b := range r.Broken {
		if s := b.String(); !words.IsClean(s) {
			t.Errorf("not clean: %q", s)
		}
	}
	c, _ := (&model.Cluster{}).Upsert(Parse("beside.yaml", []byte(beside), Options{}).Objects, nil)
	c, _ = c.Upsert(r.Objects, nil)
	for _, f := range antrea.CheckCluster(c) {
		if !words.IsClean(f.Message) || !words.IsClean(f.Remedy) || f.Code == "" || f.Message == "" {
			t.Errorf("finding %+v", f)
		}
	}
	placed := map[model.Key]bool{}
	for _, p := range antrea.EffectiveOrder(c) {
		placed[p.Policy.Key] = true
		if p.Priority() != p.Priority() {
			t.Errorf("%s has no place: its priority is no number", p.Policy.Key)
		}
	}
	antrea.LadderBands(c)
	for p := range c.EveryPolicy() {
		if !placed[p.Key] && p.Kind != model.KindEF {
			t.Errorf("%s is not in the order", p.Key)
		}
		for rule := range p.AllRules() {
			if !words.IsClean(rule.Name) || !words.IsClean(strings.Join(rule.PeerTexts(), " ")) || !words.IsClean(strings.Join(rule.PortTexts(), " ")) {
				t.Errorf("rule %+v is not clean", rule)
			}
		}
		out, err := Marshal(p)
		if err != nil {
			t.Errorf("%s cannot be written: %v", p.Key, err)
			continue
		}
		q, broken := ParsePolicy(out)
		if q == nil || q.Key != p.Key || len(q.Ingress) != len(p.Ingress) || len(q.Egress) != len(p.Egress) || len(q.Invalid) != len(p.Invalid) {
			t.Errorf("reads otherwise once written: %v\n%s", broken, out)
		}
	}
}

// FuzzAntrea reads objects of Antrea, beginning with those of its documentation.
func FuzzAntrea(f *testing.F) {
	for _, name := range []string{"10-tier.yaml", "20-acnp.yaml", "30-annp.yaml", "40-peers.yaml", "50-groups.yaml"} {
		text, err := antreademo.Files.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, doc := range strings.Split(string(text), "\n---\n") {
			f.Add([]byte(doc))
		}
	}
	for _, tt := range refusedByAntrea {
		f.Add([]byte(strings.Join(tt.objects, "---\n")))
	}
	f.Fuzz(fuzzed)
}

// FuzzCNP reads ClusterNetworkPolicies.
func FuzzCNP(f *testing.F) {
	head := "apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\nmetadata: {name: x}\n"
	for _, spec := range []string{
		"{tier: Admin, priority: 5, subject: {namespaces: {}}, ingress: [{action: Accept, from: [{namespaces: {}}]}]}",
		"{tier: Baseline, priority: 0, subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {a: b}}}}, egress: [{name: a, action: Deny, to: [{networks: [0.0.0.0/0, '::/0']}, {nodes: {}}], protocols: [{tcp: {destinationPort: {number: 80}}}, {udp: {destinationPort: {range: {start: 1, end: 9}}}}, {destinationNamedPort: web}]}]}",
		"{tier: Admin, priority: 1000, subject: {namespaces: {}}, egress: [{action: Pass, to: [{domainNames: ['*.example.com']}]}, {action: Deny, to: [{domainNames: [a.b]}], protocols: [{tcp: {}}]}]}",
		"{tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Allow, from: [], ports: [{portNumber: {port: 1}}]}]}",
	} {
		f.Add([]byte(head + "spec: " + spec + "\n"))
	}
	f.Fuzz(fuzzed)
}

// FuzzOldForm reads AdminNetworkPolicies in the form of their first releases.
func FuzzOldForm(f *testing.F) {
	head := "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: x}\n"
	for _, spec := range []string{
		"{priority: 5, subject: {namespaceSelector: {}}, ingress: [{action: Allow, from: [{namespaces: {sameLabels: [tenant]}}]}]}",
		"{priority: 5, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {notSameLabels: [tenant]}}]}], egress: [{action: Pass, to: [{pods: {namespaces: {namespaceSelector: {matchLabels: {a: b}}}, podSelector: {}}}], ports: [{namedPort: web}]}]}",
		"{priority: 5, subject: {namespaceAndPodSelector: {namespaceSelector: {}, podSelector: {}}}, egress: [{action: Allow, to: [{namespaces: {namespaceSelector: {}}}], ports: {list: [{namedPort: {name: web}}]}}]}",
	} {
		f.Add([]byte(head + "spec: " + spec + "\n"))
	}
	f.Fuzz(fuzzed)
}
