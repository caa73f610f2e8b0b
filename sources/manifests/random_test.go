package manifests

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"
)

// scramble changes a policy somewhere.
func scramble(r *rand.Rand, a *v1alpha1.AdminNetworkPolicy) {
	words := []string{"x", "yes", "a b", "it's", "10", "say: \"no\"", "c # d", "é", "two\nlines", "", "10.0.0.0/8", "{", "- e", "tab\there"}
	word := func() string { return words[r.IntN(len(words))] }
	selector := func() *metav1.LabelSelector {
		s := &metav1.LabelSelector{}
		if r.IntN(2) == 0 {
			s.MatchLabels = map[string]string{"k" + fmt.Sprint(r.IntN(3)): word()}
		}
		if r.IntN(3) == 0 {
			s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "In", Values: []string{word(), word()}}}
		}
		return s
	}
	peer := func() v1alpha1.AdminNetworkPolicyEgressPeer {
		switch r.IntN(4) {
		case 0:
			return v1alpha1.AdminNetworkPolicyEgressPeer{Namespaces: selector()}
		case 1:
			return v1alpha1.AdminNetworkPolicyEgressPeer{Nodes: selector()}
		case 2:
			return v1alpha1.AdminNetworkPolicyEgressPeer{Networks: []v1alpha1.CIDR{"10.0.0.0/8", v1alpha1.CIDR(fmt.Sprintf("10.%d.0.0/16", r.IntN(9)))}}
		}
		return v1alpha1.AdminNetworkPolicyEgressPeer{Pods: &v1alpha1.NamespacedPod{NamespaceSelector: *selector(), PodSelector: *selector()}}
	}
	rules := &a.Spec.Egress
	at := r.IntN(len(*rules) + 1)
	switch op := r.IntN(10); {
	case op == 0:
		a.Spec.Priority = int32(r.IntN(1000))
	case op == 1:
		a.Annotations = map[string]string{"k8s.ovn.org/acl-logging": word()}
	case op == 2:
		a.Annotations = nil
	case op == 3:
		if a.Labels == nil {
			a.Labels = map[string]string{}
		}
		a.Labels["l"+fmt.Sprint(r.IntN(4))] = word()
	case op == 4:
		a.Labels = nil
	case op == 5:
		a.Spec.Subject = v1alpha1.AdminNetworkPolicySubject{Namespaces: selector()}
	case op == 6 || len(*rules) == 0:
		n := v1alpha1.AdminNetworkPolicyEgressRule{Name: word(), Action: "Deny", To: []v1alpha1.AdminNetworkPolicyEgressPeer{peer()}}
		*rules = append((*rules)[:at:at], append([]v1alpha1.AdminNetworkPolicyEgressRule{n}, (*rules)[at:]...)...)
	case at == len(*rules) || op == 7:
		i := r.IntN(len(*rules))
		*rules = append((*rules)[:i:i], (*rules)[i+1:]...)
	default:
		rule := &(*rules)[at]
		switch r.IntN(5) {
		case 0:
			rule.Name = word()
		case 1:
			rule.To = append(rule.To, peer())
		case 2:
			rule.To[r.IntN(len(rule.To))] = peer()
		case 3:
			rule.Ports = nil
		case 4:
			n := word()
			rule.Ports = &[]v1alpha1.AdminNetworkPolicyPort{{NamedPort: &n}, {PortNumber: &v1alpha1.Port{Protocol: "TCP", Port: int32(r.IntN(99) + 1)}}}
		}
	}
}

// Chains of random edits on texts in every usual form: none is refused, and
// rewrite itself checks that the object means what it should and nothing else
// changes.
func TestRewriteRandom(t *testing.T) {
	list := "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1 # first\n    kind: Namespace\n    metadata: {name: first}\n" + indent(dashed(commented), "  ")
	for name, text := range map[string]string{
		"block": commented, "crlf": crlf(commented), "no newline at the end": strings.TrimSuffix(commented, "\n# the end\n"),
		"flow":      head + "metadata: {name: a}\nspec: {priority: 5, subject: {namespaces: {}}, egress: [{action: Deny, to: [{namespaces: {}}]}]}\n---\n" + blueText,
		"json":      jsonText,
		"json line": `{"apiVersion":"policy.networking.k8s.io/v1alpha1","kind":"AdminNetworkPolicy","metadata":{"name":"a"},"spec":{"priority":5,"subject":{"namespaces":{}}}}`,
		"list":      list,
		"four":      head + "metadata:\n    name: a\nspec:\n    priority: 5\n    subject:\n        namespaces: {}\n    egress:\n        - action: Deny\n          to:\n              - namespaces: {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := "x.yaml"
			if strings.HasPrefix(name, "json") {
				file = "x.json"
			}
			r := rand.New(rand.NewPCG(1, 2))
			for chain := range 8 {
				now := text
				for range 15 {
					p := find(t, file, now)
					e := setEdit(p, func(a *v1alpha1.AdminNetworkPolicy) { scramble(r, a) })
					out, err := rewriteText(file, []byte(now), []Edit{e})
					if err != nil {
						t.Fatalf("chain %d: %v\n%s\nto\n%+v", chain, err, now, e.Object)
					}
					now = string(out)
				}
			}
		})
	}
}

func indent(s, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+by) + "\n"
}
