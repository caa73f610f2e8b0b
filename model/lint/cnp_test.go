package lint

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// annotations are all of an object that is asked here.
type annotations map[string]string

func (a annotations) GetAnnotations() map[string]string { return a }

// What is written in a ClusterNetworkPolicy in vain, each with its neighbour that is well.
func TestCNPFindings(t *testing.T) {
	const applied = "kubectl.kubernetes.io/last-applied-configuration"
	everyone := made.Peers(made.NSPeer("*"))
	domain := made.Peers(model.Peer{Kind: model.PeerDNS, DNSName: "*.example.org"})
	some := func(n int) []model.Rule {
		return slices.Repeat([]model.Rule{made.Rule(model.Allow, everyone)}, n)
	}
	one := func(r model.Rule) []model.Rule { return []model.Rule{r} }
	for _, c := range []struct {
		name            string
		ingress, egress []model.Rule
		applied         string
		invalid         []model.Broken
		want            []string
	}{
		{name: "25 rules in each direction", ingress: some(25), egress: some(25)},
		{name: "26 rules", ingress: some(25), egress: some(26), want: []string{"cnp-too-many-rules error Egress 25: 26 egress rules, but the API accepts at most 25"}},
		{name: "Accept with domains", egress: one(made.Rule(model.Allow, domain))},
		{name: "Deny and Pass with domains", egress: []model.Rule{made.Rule(model.Deny, domain), made.Rule(model.Allow, everyone), made.Rule(model.Pass, slices.Concat(everyone, domain))},
			want: []string{"cnp-domains-not-accepted error Egress 0: Deny with domainNames (*.example.org): the API supports them with Accept only, so the effect is undefined",
				"cnp-domains-not-accepted error Egress 2: Pass with domainNames (*.example.org): the API supports them with Accept only, so the effect is undefined"}},
		{name: "ports of v1alpha1", ingress: one(made.Rule(model.Deny, everyone)), applied: `{"spec":{"ingress":[{"ports":[{"portNumber":{"port":80}}]}]}}`,
			want: []string{"cnp-ports-dropped error Ingress 0: matches every port: it was applied with ports, a field of v1alpha1 that the API server drops"}},
		{name: "ports of v1alpha1 in an egress rule", egress: append(one(made.Rule(model.Deny, everyone)), some(1)...), applied: `{"spec":{"egress":[{},{"ports":[{"namedPort":"http"}]}]}}`,
			want: []string{"cnp-ports-dropped error Egress 1: matches every port: it was applied with ports, a field of v1alpha1 that the API server drops"}},
		{name: "ports and protocols", ingress: one(made.Rule(model.Deny, everyone, made.TCP(80))), applied: `{"spec":{"ingress":[{"ports":[{}],"protocols":[{}]}]}}`},
		{name: "ports that were mended since", ingress: one(made.Rule(model.Deny, everyone, made.TCP(80))), applied: `{"spec":{"ingress":[{"ports":[{}]}]}}`},
		{name: "no ports meant", ingress: one(made.Rule(model.Deny, everyone)), applied: `{"spec":{"ingress":[{"ports":[]}]}}`},
		{name: "a record that is none", ingress: one(made.Rule(model.Deny, everyone)), applied: `{"spec":[`},
		{name: "an empty protocol", ingress: one(made.Rule(model.Deny, everyone, model.Port{Protocol: "TCP"})),
			invalid: []model.Broken{{Code: model.InvalidProtocolEmpty, Field: "spec.ingress[0].protocols[0].tcp", Message: "names no port"}},
			want:    []string{"cnp-empty-protocol error Ingress 0: spec.ingress[0].protocols[0].tcp: names no port"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := made.ANP("next", 10, "tenant=blue", c.ingress, c.egress)
			p.Kind, p.Invalid = model.KindCNP, c.invalid
			if c.applied != "" {
				p.Original = annotations{applied: c.applied}
			}
			var got []string
			for _, f := range Run(made.Cluster(append(base(), p)...), nil, Options{MaxPriority: 99, CNP: true}) {
				if slices.Contains([]string{CNPRules.Code, CNPDomains.Code, CNPPruned.Code, model.InvalidProtocolEmpty}, f.Code) {
					got = append(got, fmt.Sprintf("%s %s %s %d: %s", f.Code, f.Severity, f.Direction, f.Rule, f.Message))
				}
			}
			slices.Sort(got)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
