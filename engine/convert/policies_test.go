package convert_test

import (
	"slices"
	"strings"
	"testing"

	"rung/engine/convert"
	labels "rung/model/convert"
	"rung/revision"
	"rung/system"
)

// proved converts the objects of a text, and proves it.
func proved(t *testing.T, to convert.Target, text string) *convert.Result {
	t.Helper()
	r := revision.New(revision.Facts{Cluster: read(t, text), Flags: revision.Flags{Family: "ipv4"}}, nil)
	made, err := convert.ConvertPolicies(r, to)
	if err != nil {
		t.Fatal(err)
	}
	res, err := convert.ProveResult(t.Context(), r, made, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func cnp(name, spec string) string {
	return "apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\nmetadata: {name: " + name + "}\nspec: " + spec + "\n---\n"
}

func acnp(name, spec string) string {
	return "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: " + name + "}\nspec: " + spec + "\n---\n"
}

func pods() string {
	return node + ns("shop", "team: shop", "") + ns("mon", "team: mon", "") + pod("shop", "db", "app: db", "10.1.0.5") +
		pod("shop", "web", "app: web", "10.1.0.6") + pod("mon", "prom", "app: prom", "10.1.0.7")
}

// TestWitness: a rule that is not exact is shown by a connection that it matches, one that is
// reached by none has none.
func TestWitness(t *testing.T) {
	res := proved(t, convert.ToANP, pods()+
		cnp("first", "{tier: Admin, priority: 5, subject: {namespaces: {}}, egress: [{action: Pass, to: [{domainNames: [a.example.com]}]}, {action: Accept, to: [{namespaces: {}}, {networks: [0.0.0.0/0, '::/0']}]}]}")+
		cnp("hidden", "{tier: Admin, priority: 6, subject: {namespaces: {matchLabels: {team: nobody}}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}"))
	if len(res.Policies) != 2 || len(res.Rules) != 3 {
		t.Fatalf("%d policies of %d rules", len(res.Policies), len(res.Rules))
	}
	for i := range res.Rules {
		r := &res.Rules[i]
		if r.Label == labels.Exact && r.Witness != nil {
			t.Errorf("%s", r.Text())
		}
	}
	left := &res.Rules[0]
	if left.Label != labels.Inexpressible || !strings.Contains(left.Text(), "a.example.com") {
		t.Errorf("%s", left.Text())
	}
	if res.Proof.Equal == (left.Witness != nil) {
		t.Errorf("%s, and shown by %v", res.ProofText(), left.Witness)
	}
}

// TestLater: what holds for the labels of today and not for new ones is told apart.
func TestLater(t *testing.T) {
	res := proved(t, convert.ToANP, pods()+
		acnp("own", "{tier: securityops, priority: 5, appliedTo: [{namespaceSelector: {}}], ingress: [{name: same, action: Allow, from: [{namespaces: {match: Self}}]}, {name: others, action: Drop, from: [{namespaceSelector: {}}]}]}"))
	if res.Proof.Equal || len(res.Proof.FutureLabels) == 0 || res.Before != system.Antrea || res.After != system.OVN {
		t.Fatalf("%s: %v", res.ProofText(), res.Proof.FutureLabels)
	}
	for i := range res.Proof.Differs {
		t.Error(res.Proof.Differs[i].String())
	}
	at := slices.IndexFunc(res.Rules, func(r convert.Rule) bool { return r.Name == "same" })
	if w := res.Rules[at].Witness; w == nil || !strings.Contains(w.Text, "a pod in a namespace") {
		t.Errorf("%s", res.Rules[at].Text())
	}
}

// TestSame: what is of the API already is not converted, and an AdminNetworkPolicy that
// OVN-Kubernetes does not enforce stays where it is.
func TestSame(t *testing.T) {
	anp := "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: far, annotations: {mine: stays}}\nspec: {priority: 500, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}\n---\n"
	near := strings.NewReplacer("name: far", "name: near", "priority: 500", "priority: 50").Replace(anp)
	if res := proved(t, convert.ToANP, pods()+anp+near); len(res.Policies)+len(res.Converted)+len(res.Notes) > 0 || !res.Proof.Equal {
		t.Errorf("%d policies: %s", len(res.Policies), res.ProofText())
	}
	res := proved(t, convert.ToANP, pods()+anp+near+cnp("edge", "{tier: Admin, priority: 40, subject: {namespaces: {}}, ingress: [{action: Accept, from: [{namespaces: {}}]}]}"))
	if !res.Proof.Equal || len(res.Policies) != 2 || len(res.Notes) != 1 {
		t.Errorf("%d policies, notes %v: %s", len(res.Policies), res.Notes, res.ProofText())
	}
	if text := res.Text(); !strings.Contains(text, "edge") || !strings.Contains(text, "mine: stays") {
		t.Errorf("the text is\n%s", text)
	}
}

// TestIdlePriority: an AdminNetworkPolicy that OVN-Kubernetes does not enforce is said to become
// a ClusterNetworkPolicy that may be enforced.
func TestIdlePriority(t *testing.T) {
	anp := "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: far}\nspec: {priority: 120, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}\n---\n"
	near := strings.NewReplacer("name: far", "name: near", "priority: 120", "priority: 99").Replace(anp)
	res := proved(t, convert.ToCNP, pods()+anp+near)
	const want = "ANP far: not enforced now (priority 120 is above 99); the CNP may be"
	if !res.Proof.Equal || len(res.Policies) != 2 || len(res.Converted) != 2 || len(res.Notes) != 1 || res.Notes[0].String() != want {
		t.Errorf("%d policies, notes %v, want %s: %s", len(res.Policies), res.Notes, want, res.ProofText())
	}
}
