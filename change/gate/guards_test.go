package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/effect"
	"rung/change/guard"
	"rung/model"
	"rung/test/changing"
	"rung/test/given"
)

// Each case is a world, a change, and the guards it runs into where only the policies are
// known: "code policy".
func TestStaticGuards(t *testing.T) {
	wall := given.ANP("wall", 50, "tenant=blue", "in deny *", "out deny *")
	door := given.ANP("door", 40, "tenant=blue", "in allow team=ops", "out allow name=kube-system udp:53")
	for _, c := range []struct {
		name  string
		world []string
		m     change.Mutation
		want  []string
		says  string // part of the last guard's message
	}{
		{"a new policy for a tenant", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "in deny tenant=red")), nil, ""},
		{"a new policy that only allows", nil, changing.Apply(given.ANP("a", 10, "", "in allow tenant=red")), nil, ""},
		{"empty subject and a Deny", nil, changing.Apply(given.ANP("a", 10, "", "in deny tenant=red")), []string{"deny-system a"}, "every namespace"},
		{"a subject that names kube-system", nil, changing.Apply(given.ANP("a", 10, "name=kube-system", "in deny tenant=red")),
			[]string{"deny-system a"}, "kube-system"},
		{"every IPv4 address", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny 0.0.0.0/0")), []string{"deny-all-networks a"}, "0.0.0.0/0"},
		{"every IPv6 address", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny ::/0")), []string{"deny-all-networks a"}, "::/0"},
		{"every address in two halves", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny 0.0.0.0/1,128.0.0.0/1")), []string{"deny-all-networks a"}, ""},
		{"a private network", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny 10.0.0.0/8")), nil, ""},
		{"a baseline for all", nil, changing.Apply(given.BANP("", "in deny *")), []string{"deny-system default"}, ""},

		{"isolates system pods", nil, changing.Apply(given.NP("kube-system", "a", "{podSelector: {}}")), []string{"deny-system a"}, "isolates (ingress) pods in kube-system"},
		{"ceases to isolate system pods in one direction", []string{given.NP("kube-system", "a", "{podSelector: {}, policyTypes: [Ingress, Egress]}")},
			changing.Apply(given.NP("kube-system", "a", "{podSelector: {}}")), []string{"deny-system a"}, ""},
		{"isolates a tenant", nil, changing.Apply(given.NP("blue", "a", "{podSelector: {}}")), nil, ""},
		{"a firewall that denies all of a tenant", nil, changing.Apply(given.EF("blue", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")), nil, ""},
		{"a firewall of the system", nil, changing.Apply(given.EF("kube-system", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")), []string{"deny-system default"}, "what leaves pods in kube-system"},
		{"a firewall of the system that only allows", nil, changing.Apply(given.EF("kube-system", "{type: Allow, to: {cidrSelector: 1.2.3.4/32}}")), nil, ""},

		{"the Deny goes", []string{given.ANP("a", 10, "", "in deny tenant=red")}, changing.Apply(given.ANP("a", 10, "", "in allow tenant=red")), nil, ""},
		{"delete a policy that denies system", []string{given.ANP("a", 10, "", "in deny tenant=red")}, changing.Remove("a"), []string{"deny-system a"}, ""},
		{"move a policy that denies system", []string{given.ANP("a", 10, "", "in deny tenant=red")}, changing.Move("a", 11), []string{"deny-system a"}, ""},
		{"logging of a policy that denies system", []string{given.ANP("a", 10, "", "in deny tenant=red")},
			change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("a"), Levels: model.LogLevels{Deny: "alert"}}, nil, ""},
		{"labels of a policy that denies system", []string{given.ANP("a", 10, "", "in deny tenant=red")},
			changing.Apply(strings.Replace(given.ANP("a", 10, "", "in deny tenant=red"), "  name: a\n", "  name: a\n  labels: {team: ops}\n", 1)), nil, ""},

		{"delete the Allow above a Deny", []string{wall, door}, changing.Remove("door"), []string{"allow-lost door"}, "no longer applies"},
		{"delete the Deny below an Allow", []string{wall, door}, changing.Remove("wall"), nil, ""},
		{"move the Allow below", []string{wall, door}, changing.Move("door", 60), []string{"allow-lost door"}, "no longer comes first"},
		{"move the Allow to a tie", []string{wall, door}, changing.Move("door", 50), []string{"allow-lost door"}, "no longer comes first"},
		{"move the Allow a little", []string{wall, door}, changing.Move("door", 45), nil, ""},
		{"move the Deny above", []string{wall, door}, changing.Move("wall", 30), []string{"allow-lost wall"}, "no longer comes first"},
		{"move the Allow out of the range", []string{wall, door}, changing.Move("door", 120), []string{"allow-lost door"}, "no longer applies"},
		{"an edit that takes an Allow out", []string{wall, door}, changing.Apply(given.ANP("door", 40, "tenant=blue", "in allow team=ops")),
			[]string{"allow-lost door"}, `ANP door egress 0 no longer applies`},
		{"an edit that widens an Allow", []string{wall, door},
			changing.Apply(given.ANP("door", 40, "tenant=blue", "in allow *", "out allow name=kube-system")), nil, ""},
		{"an edit that narrows an Allow", []string{wall, door},
			changing.Apply(given.ANP("door", 40, "tenant=blue", "in allow team=ops tcp:80", "out allow name=kube-system udp:53")),
			[]string{"allow-lost door"}, "ANP door ingress 0 no longer applies"},
		{"an edit that swaps Allow and Deny in one policy", []string{given.ANP("a", 10, "tenant=blue", "in allow team=ops", "in deny *")},
			changing.Apply(given.ANP("a", 10, "tenant=blue", "in deny *", "in allow team=ops")), []string{"allow-lost a"}, "no longer comes first"},
		{"an edit that puts a rule in front", []string{wall, door},
			changing.Apply(given.ANP("door", 40, "tenant=blue", "in deny tenant=red", "in allow team=ops", "out allow name=kube-system udp:53")), nil, ""},
		{"another Allow lets the same through", []string{wall, door, given.ANP("wide", 45, "", "in allow *", "out allow *")}, changing.Remove("door"), nil, ""},
		{"a Deny of another tenant", []string{given.ANP("wall", 50, "tenant=green", "in deny *"), given.ANP("door", 40, "tenant=blue", "in allow team=ops")},
			changing.Remove("door"), nil, ""},
		{"a Deny of other peers", []string{given.ANP("wall", 50, "tenant=blue", "in deny tenant=red"), given.ANP("door", 40, "tenant=blue", "in allow team=ops")},
			changing.Remove("door"), nil, ""},
		{"a Deny of other ports", []string{given.ANP("wall", 50, "tenant=blue", "in deny * tcp:443"), given.ANP("door", 40, "tenant=blue", "in allow team=ops tcp:80")},
			changing.Remove("door"), nil, ""},
		{"a Deny of a network the peers' addresses are in", []string{given.ANP("wall", 50, "tenant=blue", "out deny 10.244.0.0/16"),
			given.ANP("door", 40, "tenant=blue", "out allow name=kube-system")}, changing.Remove("door"), []string{"allow-lost door"}, "blue/"},
		{"a Deny of nodes", []string{given.ANP("wall", 50, "tenant=blue", "out deny 172.18.0.0/16"),
			given.ANP("door", 40, "tenant=blue", "out allow node-role=control tcp:6443")}, changing.Remove("door"), []string{"allow-lost door"}, "172.18.0.3"},
		{"the baseline catches what an ANP let through", []string{given.BANP("tenant=blue", "in deny *"), given.ANP("door", 40, "tenant=blue", "in allow team=ops")},
			changing.Remove("door"), []string{"allow-lost door"}, "BANP default"},
		{"an Allow of the baseline", []string{given.BANP("tenant=blue", "in allow team=ops", "in deny *")},
			changing.Apply(given.BANP("tenant=blue", "in deny *")), []string{"allow-lost default"}, ""},
		{"an Allow that was caught by that policy before", []string{given.ANP("wall", 30, "tenant=blue", "in deny *"), given.ANP("door", 40, "tenant=blue", "in allow team=ops")},
			changing.Remove("door"), nil, ""},
		{"a new Deny above an Allow that stays", []string{door}, changing.Apply(given.ANP("wall", 30, "tenant=blue", "in deny *")), nil, ""},
		{"an Allow of peers that are not there yet", []string{given.ANP("wall", 50, "tenant=blue", "out deny 0.0.0.0/0"),
			given.ANP("door", 40, "tenant=blue", "out allow tenant=purple")}, changing.Remove("door"), []string{"allow-lost door"}, "what it would select"},
		{"an Allow of a subject that is not there yet", []string{given.ANP("wall", 50, "tenant=purple", "in deny *"),
			given.ANP("door", 40, "tenant=purple", "in allow team=ops")}, changing.Remove("door"), []string{"allow-lost door"}, "what it would select"},
		{"an Allow that was not enforced", []string{wall, given.ANP("door", 140, "tenant=blue", "in allow team=ops")}, changing.Remove("door"), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.world...)
			p := w.Gate("").resolveMutation(w.Current(), c.m)
			if p.Blocked != "" {
				t.Fatalf("blocked: %s", p.Blocked)
			}
			w.Gate("").judgeEffect(p, &effect.Effect{Unknown: "no pods are known"}, w.Current())
			var got []string
			for _, g := range p.Guards {
				if g.Code != guard.Deletes && g.Code != guard.Unjudged { // those hang on nothing else
					got = append(got, g.Code+" "+g.Policy.Name)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("guards (-want +got)\n%s%v", diff, p.Guards)
			}
			if c.says != "" && !slices.ContainsFunc(p.Guards, func(g change.Guard) bool { return strings.Contains(g.Message, c.says) }) {
				t.Errorf("%v do not say %q", p.Guards, c.says)
			}
			if !slices.ContainsFunc(p.Guards, func(g change.Guard) bool { return g.Code == guard.Unjudged }) {
				t.Errorf("that nothing is known of connections is no rail: %v", p.Guards)
			}
		})
	}
}

// A pod selector narrows an empty namespace selector down.
func TestSystemSubjectByPods(t *testing.T) {
	const text = `
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: a}
spec:
  priority: 10
  subject: {pods: {namespaceSelector: NS, podSelector: {matchLabels: {app: APP}}}}
  ingress: [{action: Deny, from: [{namespaces: {}}]}]
`
	for _, c := range []struct {
		ns, app string
		guarded bool
	}{
		{"{}", "web", false},
		{"{}", "dns", true},
		{"{matchLabels: {tenant: blue}}", "web", false},
		{"{matchLabels: {kubernetes.io/metadata.name: kube-public}}", "web", true},
		{"{matchExpressions: [{key: tenant, operator: DoesNotExist}]}", "web", true},
	} {
		w := newWorld(t)
		p := w.Gate("").resolveMutation(w.Current(), changing.Apply(strings.NewReplacer("NS", c.ns, "APP", c.app).Replace(text)))
		w.Gate("").judgeEffect(p, &effect.Effect{Unknown: "no pods are known"}, w.Current())
		if p.Blocked != "" || slices.ContainsFunc(p.Guards, func(g change.Guard) bool { return g.Code == guard.DenySystem }) != c.guarded {
			t.Errorf("%s %s: %s %v, want guarded %v", c.ns, c.app, p.Blocked, p.Guards, c.guarded)
		}
	}
}
